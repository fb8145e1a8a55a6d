"""A code question tried in this process, with functions of the author's own in place of a student's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from grader.grading.calls import caller_of
from grader.grading.diagnose import Diagnosis
from grader.grading.functions import grade_code
from grader.grading.scoring import Scoring, secret_trials
from grader.key.arguments import copied
from grader.key.code import CodeQuestion
from grader.key.steps import Mistake
from grader.key.trials import Observation, Trial, missed_in, observe
from grader.observing.calling import call
from grader.observing.outcome import Outcome
from grader.observing.returned import Returned
from grader.reading.submission import Submission
from grader.results import QuestionResult
from grader.sandbox.loaded import Value
from grader.sandbox.request import Request
from grader.sandbox.session import Session

Function: TypeAlias = Callable[..., Any]
DRAWS = 4  # the inputs that are shown, and those of three submissions: each has its own


@dataclass
class Here:
    """What a session is to grading, with a function of this process."""

    name: str
    function: Function
    digest: str = ""
    errors: tuple[()] = ()
    lost: tuple[()] = ()
    given_up: str = ""

    @property
    def submission(self) -> Submission:
        return Submission("author", "the answer key", "script", (), self.digest, ())

    @property
    def values(self) -> dict[str, Value]:
        return {self.name: Value(Returned("other", "function"), True)}

    def begin_question(self) -> None:
        """There is no allowance of time to start anew."""

    def start_anew(self) -> bool:
        """A function of the author's own is taken to keep nothing from its calls."""
        return True

    def calls(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        for asked in requests:
            yield call(
                self.function,
                copied(asked.arguments),
                gradient=asked.gradient,
                after=asked.after,
                seed=asked.seed,
                forbids=asked.forbids,
            )


Run: TypeAlias = list[Observation]  # all calls of a question, on the inputs of one draw


@dataclass
class Rehearsal:
    """A question with the calls of `draws` draws: on the inputs that are shown (the first), and on secret ones.

    Raises what the cases or the reference raise.
    """

    question: CodeQuestion
    secret: bytes
    draws: int = DRAWS
    diagnosis: Diagnosis = field(init=False)
    trials: list[list[Trial]] = field(init=False)
    _runs_with: dict[Mistake, list[Run]] = field(default_factory=dict)
    _graded_with: dict[Mistake, QuestionResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.diagnosis = Diagnosis(self.question)
        others = (_digest(number) for number in range(1, self.draws))
        secret = (list(secret_trials(self.question, self.secret, digest)) for digest in others)
        self.trials = [self.diagnosis.probes, *secret]

    @property
    def id(self) -> str:
        return self.question.id

    def run(self, function: Function, draw: int) -> Run:
        """Make the calls of one draw."""
        caller = caller_of(self.question, cast(Session, Here(self.id, function)), set())
        return list(observe(self.trials[draw], caller))

    def runs(self, function: Function) -> list[Run]:
        """The calls of every draw."""
        return [self.run(function, draw) for draw in range(self.draws)]

    def runs_with(self, mistake: Mistake) -> list[Run]:
        """The same for the reference with a mistake in it, made once."""
        if mistake not in self._runs_with:
            self._runs_with[mistake] = self.runs(self.question.with_mistakes((mistake,)).reference())
        return self._runs_with[mistake]

    def fails(self, mistake: Mistake) -> dict[str, int]:
        """On how many of the draws the mistake fails each check, by the check's name."""
        missed = [missed_in(run) for run in self.runs_with(mistake)]
        return {check.name: sum(check.name in one for one in missed) for check in self.question.checks}

    def graded(self, function: Function, draw: int = 1) -> QuestionResult:
        """The question's result, as a student who hands in this function gets it."""
        session = cast(Session, Here(self.id, function, _digest(draw)))
        scoring = Scoring(self.question, self.secret, _digest(draw))
        return grade_code(self.question, session, scoring, lambda: self.diagnosis).final()

    def graded_with(self, mistake: Mistake) -> QuestionResult:
        """The same for the reference with a mistake in it, made once."""
        if mistake not in self._graded_with:
            self._graded_with[mistake] = self.graded(self.question.with_mistakes((mistake,)).reference())
        return self._graded_with[mistake]

    def named(self, run: Run) -> tuple[tuple[Mistake, ...], ...]:
        """The sets of mistakes that diagnosis names, given a run of the first draw."""
        return self.diagnosis.mistakes({place: seen.outcome for place, seen in enumerate(run)})


def _digest(draw: int) -> str:
    return f"rehearsal {draw}"
