"""Calls to be made of a function, and what was observed of those that were made."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from grader.key.code import CodeCheck, Probe
from grader.key.judge import judge
from grader.observing.outcome import Finding, Outcome

Trial: TypeAlias = tuple[Sequence[CodeCheck], Probe]  # a call to be made, and the checks that it serves
Caller: TypeAlias = Callable[[Iterator[tuple[Probe, int]]], Iterator[Outcome]]  # makes calls, each with a seed


class Observation(NamedTuple):
    """A call that was made, the checks that it serves, and what came of it; `again`: of the same call once more."""

    checks: Sequence[CodeCheck]
    probe: Probe
    outcome: Outcome
    again: Outcome | None

    def missed(self) -> dict[str, Finding]:
        """What each of the checks misses, by their names."""
        found = {check.name: judge(self.probe, self.outcome, check.only, self.again) for check in self.checks}
        return {name: finding for name, finding in found.items() if finding is not None}


def missed_in(observations: Iterable[Observation]) -> dict[str, Finding]:
    """The first miss of each check that has one, by the check's name."""
    missed: dict[str, Finding] = {}
    for observation in observations:
        missed = observation.missed() | missed
    return missed


def observe(trials: Iterable[Trial], caller: Caller) -> Iterator[Observation]:
    """Make the call of each trial, and make it again where the answer must be the same each time.

    A trial is asked for while the calls of the one before it are at work.
    """
    asked, answered = itertools.tee(trials)
    outcomes = caller((probe, seed) for _, probe in asked for seed in seeds_of(probe))
    for trial in answered:
        outcome = next(outcomes)
        again = next(outcomes) if trial[1].check.repeat else None
        yield Observation(*trial, outcome, again if outcome.ended == "returned" else None)


def seeds_of(probe: Probe) -> tuple[int, ...]:
    """The seed of each call that is made of a probe."""
    return (0, 1) if probe.check.repeat else (0,)
