"""Judge a student's function on the inputs that count."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import torch

from grader.grading.calls import packed
from grader.key.code import CodeQuestion, Probe
from grader.key.draw import secret_draw
from grader.key.trials import Caller, Observation, Trial, missed_in, observe
from grader.observing.match import same_outcome
from grader.observing.outcome import Finding, Outcome
from grader.observing.returned import Returned, size_of

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
    _seen: list[Observation] = field(default_factory=list)

    def prepare(self) -> None:
        """Make the inputs, what the reference makes of them, and what will be sent of them. What goes wrong here goes
        wrong again in `missed`.
        """
        with contextlib.suppress(Exception):
            self._trials = list(self._made())
            packed(self.question, self._trials)

    def missed(self, caller: Caller) -> dict[str, Finding]:
        """The first miss of each check that has one, by the check's name."""
        missed = missed_in(self._kept(observe(self._trials or self._made(), caller)))
        return {check.name: missed[check.name] for check in self.question.checks if check.name in missed}

    def missed_again(self, mistaken: CodeQuestion, names: Collection[str]) -> set[str]:
        """Those of the named checks that the same calls miss, judged by the question with another reference."""
        missed: set[str] = set()
        for seen in self._seen:
            checks = [check for check in seen.checks if check.name in names and check.name not in missed]
            if checks:
                missed |= _missed_by(mistaken, seen._replace(checks=checks))
        return missed

    @property
    def steady(self) -> bool:
        """Whether every call that was made ended by itself, and those made twice did the same again."""
        came_back = all(seen.outcome.ended in ("returned", "raised") for seen in self._seen)
        repeated = ((seen.outcome, seen.again) for seen in self._seen if seen.again is not None)
        return bool(self._seen) and came_back and all(same_outcome(*pair) for pair in repeated)

    def _kept(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        for seen in observations:
            self._seen.append(light(seen))
            yield seen

    def _made(self) -> Iterator[Trial]:
        return secret_trials(self.question, self.secret, self.submission)


def secret_trials(question: CodeQuestion, secret: bytes, submission: str) -> Iterator[Trial]:
    """The calls that count for one submission (told by its digest), on inputs that follow from the secret."""
    for checks in question.trials():
        draw = secret_draw(secret, submission, question.id, checks[0].name)
        yield from ((checks, probe) for probe in question.probes(checks[0], draw))


def _missed_by(mistaken: CodeQuestion, seen: Observation) -> set[str]:
    """All of the checks where the reference, with the mistake in it, does not run on these inputs."""
    try:
        return set(seen._replace(probe=mistaken.expecting(seen.probe)).missed())
    except Exception:
        return {check.name for check in seen.checks}


def light(seen: Observation) -> Observation:
    """The observation for keeping: of an outcome that is far larger than what is expected, only that it is."""
    again = seen.again and _light(seen.again, seen.probe)
    return seen._replace(outcome=_light(seen.outcome, seen.probe), again=again)


def _light(outcome: Outcome, probe: Probe) -> Outcome:
    expected = sum(map(torch.numel, probe.expected.tensors.values())) + sum(map(_size, probe.arguments))
    trees = (outcome.value, *outcome.after, *outcome.gradients)
    if sum(map(size_of, trees)) <= MUCH * max(expected, 1):
        return outcome
    return dataclasses.replace(outcome, value=LARGE, after=(), gradients=())


def _size(argument: object) -> int:
    return argument.numel() if isinstance(argument, torch.Tensor) else 1
