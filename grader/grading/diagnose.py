"""Name the mistake: the smallest set of the key's mistakes that does all that the student's function did.

A set is named only if it matches on every probe; sets that no probe tells apart are named together; when
nothing matches, nothing is guessed.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.key.code import CodeQuestion, probe_outcome
from grader.key.draw import shown_draw
from grader.key.judge import judge
from grader.key.steps import Mistake
from grader.key.trials import Trial
from grader.observing.match import Outcomes, same_outcome
from grader.observing.outcome import Outcome

FEW = 3  # variants that are looked at one by one
MOST_NAMED = 2  # sets that no probe tells apart; more than that says too little to be told


Variant: TypeAlias = tuple[Mistake, ...]  # the reference with these mistakes in it


@dataclass
class Diagnosis:
    """The probes of one question with the checks they serve, and what each variant does on them.

    A variant's outcome is computed when it is first asked for, and once.
    """

    question: CodeQuestion
    probes: list[Trial] = field(default_factory=list)
    _variants: list[Variant] = field(default_factory=list)
    _of_size: dict[int, list[int]] = field(default_factory=dict)  # by the number of mistakes, places in _variants
    _known: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    _tables: dict[tuple[int, int], Outcomes] = field(default_factory=dict)  # by probe and number of mistakes
    _kinds: set[int] = field(default_factory=set)  # of each group of checks that share their calls, the first place
    _fails: dict[str, set[str]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        for checks in self.question.trials():
            draw = shown_draw(self.question.id, checks[0].name)
            self.probes += [(checks, probe) for probe in self.question.probes(checks[0], draw)]
        draw = shown_draw(self.question.id, "tells apart")
        self.probes += [((), probe) for probe in self.question.telling_probes(draw)]
        firsts = itertools.groupby(range(len(self.probes)), lambda place: id(self.probes[place][0]))
        self._kinds = {next(places) for _, places in firsts}
        self._variants = list(_variants(self.question.mistakes))
        for number, variant in enumerate(self._variants):
            self._of_size.setdefault(len(variant), []).append(number)

    def mistakes(self, outcomes: Mapping[int, Outcome]) -> tuple[Variant, ...]:
        """The smallest matching sets, given what the student's function did on probes, by their places."""
        # a call that came back tells more apart than one that did not, and so does the first of those that are alike
        places = sorted(outcomes, key=lambda place: (outcomes[place].ended != "returned", place not in self._kinds))
        if not places or outcomes[places[0]].ended in ("timed_out", "died"):
            return ()
        if all(map(_gives_nothing, (outcome for outcome in outcomes.values() if outcome.ended == "returned"))):
            return self._giving_nothing(outcomes)
        for size in sorted(self._of_size):
            left = self._of_size[size]
            for place in places:
                left = self._same_on(place, size, outcomes[place], left)
            if left:
                found = tuple(self._variants[number] for number in left)
                return found if len(_told(found)) <= MOST_NAMED else ()
        return ()

    def _giving_nothing(self, outcomes: Mapping[int, Outcome]) -> tuple[Variant, ...]:
        """Mistakes of one step after which nothing comes back either. What came before that shows nowhere, so that
        nothing is said of other steps.
        """
        places = [place for place, outcome in outcomes.items() if outcome.ended == "returned"]
        alike = []
        for number in self._of_size.get(1, ()):
            theirs = [self._outcome(number, place) for place in places]
            back = [outcome for outcome in theirs if outcome.ended == "returned"]
            if back and all(map(_gives_nothing, back)):
                alike.append(self._variants[number])
        return tuple(alike) if len(_told(alike)) <= MOST_NAMED else ()

    def fails(self, mistake: Mistake) -> set[str]:
        """The names of the checks that the mistake fails when it is the only one."""
        if mistake.name not in self._fails:
            number = next(number for number, one in enumerate(self._variants) if one == (mistake,))
            failed = set()
            for place, (checks, probe) in enumerate(self.probes):
                outcome = self._outcome(number, place)
                failed |= {check.name for check in checks if judge(probe, outcome, check.only) is not None}
            self._fails[mistake.name] = failed
        return self._fails[mistake.name]

    def _same_on(self, place: int, size: int, outcome: Outcome, among: Collection[int]) -> list[int]:
        """Those among the variants of a size that do the same on a probe; each is run on it when first asked for."""
        tolerance = self.probes[place][1].expected.tolerance
        if len(among) <= FEW:
            return [number for number in among if same_outcome(outcome, self._outcome(number, place), tolerance)]
        with self._lock:
            table = self._tables.setdefault((place, size), Outcomes())
            for number in among:
                if number not in table:
                    table.add(number, self._outcome(number, place))
            same = set(table.same(outcome, tolerance))
        return [number for number in among if number in same]

    def _outcome(self, number: int, place: int) -> Outcome:
        with self._lock:
            known = self._known.get((number, place))
            if known is None:
                function = self.question.with_mistakes(self._variants[number]).reference()
                known = self._known[number, place] = probe_outcome(function, self.probes[place][1])
        return known


def _variants(mistakes: Sequence[Mistake]) -> Iterator[Variant]:
    for mistake in mistakes:
        yield (mistake,)
    for pair in itertools.combinations(mistakes, 2):
        if not set(pair[0].replaced) & set(pair[1].replaced):
            yield pair


def _gives_nothing(outcome: Outcome) -> bool:
    return outcome.value.kind == "none"


def _told(sets: Sequence[tuple[Mistake, ...]]) -> set[tuple[str, ...]]:
    """Sets that read the same to the student count once."""
    return {tuple(mistake.message for mistake in mistakes) for mistakes in sets}
