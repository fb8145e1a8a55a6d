"""Grade one submission: the only place where an answer key and a student's work meet."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from grader import __version__
from grader.grading.answers import grade_values
from grader.grading.carried import Own
from grader.grading.counterexample import with_examples
from grader.grading.diagnose import Diagnosis
from grader.grading.functions import Draft, grade_code
from grader.grading.missing import cell_troubles
from grader.grading.scoring import Scoring
from grader.key.answer_key import AnswerKey, Question
from grader.key.code import CodeQuestion, Probe
from grader.markdown import escaped
from grader.reading.attempt import untouched
from grader.reading.submission import Submission
from grader.results import CheckResult, QuestionResult, Result, tidy_score
from grader.sandbox.child import SlotGone
from grader.sandbox.limits import WorkerBroken
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session import Session
from grader.wording import OUR_MISTAKE

MOST_MESSAGES = 12


@dataclass
class Grading:
    """A key made ready to grade with: what its mistakes do is computed once, when first needed."""

    key: AnswerKey
    seconds: float
    _diagnoses: dict[str, Diagnosis] = field(default_factory=dict)
    _small: dict[str, list[Probe]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def diagnosis(self, question: CodeQuestion) -> Diagnosis:
        """The question's diagnosis, shared by all submissions."""
        with self._lock:
            if question.id not in self._diagnoses:
                self._diagnoses[question.id] = Diagnosis(question)
            return self._diagnoses[question.id]

    def small_probes(self, question: CodeQuestion) -> list[Probe]:
        """The calls on the question's small inputs, shared as well."""
        with self._lock:
            if question.id not in self._small:
                self._small[question.id] = list(question.small_probes())
            return self._small[question.id]

    def grade(self, submission: Submission, sandbox: Sandbox) -> Result:
        """The result of one submission; whatever the student's code does ends in a result."""
        try:
            try:
                questions, told = self._at_work(submission, sandbox, blamed=False)
            except SlotGone:  # killed from outside, perhaps by a system short of memory: not at a student's cost
                questions, told = self._at_work(submission, sandbox, blamed=True)
        except WorkerBroken as error:
            questions = tuple(_not_graded(question, str(error)) for question in self.key.questions)
            told = submission.messages
        return self.result(submission, questions, told, sandbox.isolation)

    def _at_work(
        self, submission: Submission, sandbox: Sandbox, blamed: bool
    ) -> tuple[tuple[QuestionResult, ...], tuple[str, ...]]:
        code = self.key.code_questions.values()
        scorings = {question.id: Scoring(question, self.key.secret, submission.digest) for question in code}

        def prepare() -> None:
            for name in set(scorings) - untouched(submission, scorings):
                scorings[name].prepare()

        with Session(sandbox, submission, self.key.names, self.seconds, blamed, meanwhile=prepare) as session:
            questions = self._questions(session, scorings)
            return questions, (*submission.messages, *cell_troubles(session))

    def result(
        self,
        submission: Submission,
        questions: Sequence[QuestionResult],
        messages: Sequence[str],
        isolation: str,
    ) -> Result:
        """Question results summed up."""
        broken = any(question.status == "grader_error" for question in questions)
        return Result(
            assignment=self.key.assignment,
            student=submission.student,
            source=submission.source,
            score=tidy_score(sum(question.score for question in questions)),
            max_score=tidy_score(self.key.points),
            status="grader_error" if broken else "graded",
            questions=tuple(questions),
            messages=tuple(dict.fromkeys(messages))[:MOST_MESSAGES],
            isolation=isolation,
            grader=__version__,
            key=self.key.digest,
            submission=submission.digest,
        )

    def _questions(self, session: Session, scorings: Mapping[str, Scoring]) -> tuple[QuestionResult, ...]:
        """In the order of the lesson, but functions first: their mistakes explain numbers."""
        drafts: dict[str, Draft] = {}

        def draft(function: CodeQuestion) -> QuestionResult:
            scoring, diagnosis = scorings[function.id], partial(self.diagnosis, function)
            drafts[function.id] = grade_code(function, session, scoring, diagnosis)
            return drafts[function.id].result

        code = self.key.code_questions
        graded = {name: _graded(function, partial(draft, function)) for name, function in code.items()}
        own = Own(session, dict(graded))
        if not own.wrong:
            session.end_calls()
        for question in self.key.questions:
            if not isinstance(question, CodeQuestion):
                graded[question.id] = _graded(question, partial(grade_values, question, own))
        graded = with_examples(graded, session, scorings, self.small_probes)
        session.end_calls()
        for name, function in code.items():
            if name in drafts and drafts[name].credited:
                graded[name] = _credited(function, drafts[name], graded[name])
        return tuple(graded[question.id] for question in self.key.questions)


def _graded(question: Question, grade: Callable[[], QuestionResult]) -> QuestionResult:
    """A fault of ours costs this question's grade, says so, and leaves the others alone."""
    started = time.perf_counter()
    try:
        graded = grade()
    except (SlotGone, WorkerBroken):
        raise
    except Exception as error:
        graded = _not_graded(question, f"{type(error).__name__}: {error}")
    return dataclasses.replace(graded, seconds=round(time.perf_counter() - started, 4))


def _credited(question: CodeQuestion, draft: Draft, before: QuestionResult) -> QuestionResult:
    final = _graded(question, draft.final)
    return dataclasses.replace(final, example=before.example, seconds=round(before.seconds + final.seconds, 4))


def unreadable_result(grading: Grading, student: str, source: str, digest: str, problem: str, isolation: str) -> Result:
    """What a submission gets that cannot be read: 0, and the sentence that says why."""
    empty = Submission(student, source, "notebook", (), digest, (problem,))
    questions = [_nothing_to_grade(question, problem) for question in grading.key.questions]
    return grading.result(empty, questions, (problem,), isolation)


def _nothing_to_grade(question: Question, problem: str) -> QuestionResult:
    told = tuple(CheckResult(name, "not_attempted", 0, points) for name, points in question.asks)
    head = f"**{escaped(question.title)}**: 0 of {question.points:g} points"
    text = f"{head}, since nothing could be read. {escaped(problem)}"
    return QuestionResult(question.id, question.title, "not_attempted", 0, question.points, told, feedback=text)


def _not_graded(question: Question, why: str) -> QuestionResult:
    text = f"**{escaped(question.title)}**: {OUR_MISTAKE} {escaped(why)}"
    return QuestionResult(question.id, question.title, "grader_error", 0, question.points, feedback=text)
