"""Name the mistake: the smallest set of the key's mistakes that does all that the student's function did.

A set is named only if it matches on every probe; sets that no probe tells apart are named together; when
nothing matches, nothing is guessed.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.key.code import CodeQuestion, probe_outcome
from grader.key.draw import shown_draw
from grader.key.judge import Trial, judge
from grader.key.steps import Mistake
from grader.observing.match import same_outcome
from grader.observing.outcome import Outcome

MOST_NAMED = 2  # sets that no probe tells apart; more than that says too little to be told


Variant: TypeAlias = tuple[Mistake, ...]  # the reference with these mistakes in it


@dataclass
class Diagnosis:
    """The probes of one question with the checks they serve, and what each variant does on them.

    A variant's outcome is computed when it is first asked for, and once.
    """

    question: CodeQuestion
    probes: list[Trial] = field(default_factory=list)
    _known: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    _variants: list[Variant] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        for checks in self.question.trials():
            draw = shown_draw(self.question.id, checks[0].name)
            self.probes += [(checks, probe) for probe in self.question.probes(checks[0], draw)]
        self._variants = list(_variants(self.question.mistakes))

    def mistakes(self, outcomes: Sequence[Outcome]) -> tuple[tuple[Mistake, ...], ...]:
        """The smallest matching sets, given what the student's function did on each probe."""
        for size in (1, 2):
            found = [
                variant
                for number, variant in enumerate(self._variants)
                if len(variant) == size and self._matches(number, outcomes)
            ]
            if found:
                return tuple(found) if len(_told(found)) <= MOST_NAMED else ()
        return ()

    def fails(self, mistake: Mistake) -> set[str]:
        """The names of the checks that the mistake fails when it is the only one."""
        number = next(number for number, one in enumerate(self._variants) if one == (mistake,))
        failed = set()
        for place, (checks, probe) in enumerate(self.probes):
            outcome = self._outcome(number, place)
            failed |= {check.name for check in checks if judge(probe, outcome, check.only) is not None}
        return failed

    def _matches(self, number: int, outcomes: Sequence[Outcome]) -> bool:
        return all(
            same_outcome(outcome, self._outcome(number, place), self.probes[place][1].expected.tolerance)
            for place, outcome in enumerate(outcomes)
        )

    def _outcome(self, number: int, place: int) -> Outcome:
        known = self._known.get((number, place))
        if known is None:
            function = self.question.with_mistakes(self._variants[number]).reference()
            with self._lock:
                known = probe_outcome(function, self.probes[place][1])
                self._known[number, place] = known
        return known


def _variants(mistakes: Sequence[Mistake]) -> Iterator[Variant]:
    for mistake in mistakes:
        yield (mistake,)
    for pair in itertools.combinations(mistakes, 2):
        if pair[0].step != pair[1].step:
            yield pair


def _told(sets: Sequence[tuple[Mistake, ...]]) -> set[tuple[str, ...]]:
    """Sets that read the same to the student count once."""
    return {tuple(mistake.message for mistake in mistakes) for mistakes in sets}
