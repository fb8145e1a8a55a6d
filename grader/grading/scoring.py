"""Judge a student's function on the inputs that count."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

from grader.grading.requests import request_of
from grader.grading.rules import called
from grader.key.code import CodeCheck, CodeQuestion, Probe
from grader.key.draw import secret_draw
from grader.key.judge import Caller, Trial, judge, observe, seeds_of
from grader.observing.match import same_outcome
from grader.observing.outcome import Finding, Outcome
from grader.observing.returned import Returned, size_of
from grader.sandbox.session import Session

MUCH = 100  # times the numbers that are expected
LARGE = Returned("other", "something large")


@dataclass
class Scoring:
    """Judges one submission's function. Calls are made once: what came of them can be judged again, against a reference
    that makes a mistake.
    """

    question: CodeQuestion
    secret: bytes
    submission: str
    _trials: list[Trial] = field(default_factory=list)
    _seen: dict[str, list[tuple[Outcome, Outcome | None]]] = field(default_factory=dict)  # by the first of the checks

    def prepare(self) -> None:
        """Make the inputs, and what the reference makes of them. What goes wrong here goes wrong again in `missed`."""
        with contextlib.suppress(Exception):
            self._trials = list(self._made())
            for _, probe in self._trials:
                for seed in seeds_of(probe):
                    _ = request_of(self.question, probe, seed).frame

    def missed(self, caller: Caller) -> dict[str, Finding]:
        """The first miss of each check that has one, by the check's name."""
        missed: dict[str, Finding] = {}
        for (checks, probe), outcome, again in observe(self._trials or self._made(), caller):
            self._seen.setdefault(checks[0].name, []).append((light(outcome, probe), again and light(again, probe)))
            missed = judged(checks, probe, outcome, again) | missed
        return {check.name: missed[check.name] for check in self.question.checks if check.name in missed}

    def missed_again(self, mistaken: CodeQuestion, names: Sequence[str]) -> dict[str, Finding]:
        """The same for checks that share their calls, by name, of the question with another reference."""
        together = next(checks for checks in mistaken.trials() if any(check.name in names for check in checks))
        checks = [check for check in together if check.name in names]
        seen = self._seen[together[0].name]
        missed: dict[str, Finding] = {}
        for (outcome, again), probe in zip(seen, self._drawn(mistaken, together[0]), strict=True):
            missed = judged(checks, probe, outcome, again) | missed
        return missed

    @property
    def steady(self) -> bool:
        """Whether every call that was made ended by itself, and those made twice did the same again."""
        seen = [pair for pairs in self._seen.values() for pair in pairs]
        came_back = all(outcome.ended in ("returned", "raised") for outcome, _ in seen)
        return bool(seen) and came_back and all(again is None or same_outcome(one, again) for one, again in seen)

    def _made(self) -> Iterator[Trial]:
        return ((checks, probe) for checks in self.question.trials() for probe in self._drawn(self.question, checks[0]))

    def _drawn(self, question: CodeQuestion, check: CodeCheck) -> Iterator[Probe]:
        return question.probes(check, secret_draw(self.secret, self.submission, question.id, check.name))


def light(outcome: Outcome, probe: Probe) -> Outcome:
    """The outcome for keeping: of one that is far larger than what is expected, only that it is."""
    expected = sum(map(torch.numel, probe.expected.tensors.values())) + sum(map(_size, probe.arguments))
    trees = (outcome.value, *outcome.after, *outcome.gradients)
    if sum(map(size_of, trees)) <= MUCH * max(expected, 1):
        return outcome
    return dataclasses.replace(outcome, value=LARGE, after=(), gradients=())


def _size(argument: object) -> int:
    return argument.numel() if isinstance(argument, torch.Tensor) else 1


def judged(checks: Sequence[CodeCheck], probe: Probe, outcome: Outcome, again: Outcome | None) -> dict[str, Finding]:
    """What each of the checks misses in one call, by their names."""
    found = {check.name: judge(probe, outcome, check.only, again) for check in checks}
    return {name: finding for name, finding in found.items() if finding is not None}


def caller_of(question: CodeQuestion, session: Session, forbidden: set[str]) -> Caller:
    """Makes calls of the student's function, and adds to `forbidden` what they call of that."""

    def calls(asked: Iterable[tuple[Probe, int]]) -> Iterator[Outcome]:
        for outcome in session.calls(request_of(question, probe, seed) for probe, seed in asked):
            forbidden.update(one.name for one in called(question, [outcome]))
            yield outcome

    return calls
