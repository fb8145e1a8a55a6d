"""Proofs about mistakes: each costs points and is named, and no fault is named that is not there."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from grader.key.steps import Mistake
from grader.key.trials import missed_in
from grader.markdown import unmarked
from grader.observing.match import same_outcome
from grader.verifying.proof import Proof
from grader.verifying.rehearsal import Rehearsal
from grader.verifying.tolerances import hidden_by_tolerance
from grader.wording import counted, joined

PAIRS = 60  # of each question
MOST_UNNAMED = 0.2  # of all pairs


def named_with(rehearsal: Rehearsal, mistake: Mistake) -> list[Mistake]:
    """All that is named where this mistake is made."""
    return [one for variant in rehearsal.named(rehearsal.runs_with(mistake)[0]) for one in variant]


def is_caught(rehearsal: Rehearsal, mistake: Mistake) -> bool:
    """Whether it costs points."""
    graded = rehearsal.graded_with(mistake)
    return graded.score < graded.max_score


def is_named(rehearsal: Rehearsal, mistake: Mistake) -> bool:
    """Whether its sentence is among those that a student reads who makes it."""
    graded = rehearsal.graded_with(mistake)
    told = [found.message.removeprefix("Or: ") for found in graded.mistakes]
    return mistake.message in told and mistake.message in unmarked(graded.feedback)


def each_costs_points(rehearsals: Sequence[Rehearsal]) -> Proof:
    """Each mistake alone, graded as a student's work is."""
    failures = []
    for rehearsal in rehearsals:
        for mistake in rehearsal.question.mistakes:
            if not is_caught(rehearsal, mistake):
                failures.append(
                    f"{rehearsal.id}: nothing catches `{mistake.name}`. {hidden_by_tolerance(rehearsal, mistake)}"
                )
    return Proof("every mistake costs points", tuple(failures), _tried(rehearsals))


def each_is_named(rehearsals: Sequence[Rehearsal]) -> Proof:
    """Alone, or together with one other that does the same on all inputs that are shown."""
    failures = [said for rehearsal in rehearsals for said in _unnamed(rehearsal)]
    return Proof("every mistake is named", tuple(failures), _tried(rehearsals), tuple(_not_told_apart(rehearsals)))


def _unnamed(rehearsal: Rehearsal) -> Iterator[str]:
    """Mistakes that are taken for each other are told once."""
    told: list[Mistake] = []
    for mistake in rehearsal.question.mistakes:
        if mistake in told or not is_caught(rehearsal, mistake) or is_named(rehearsal, mistake):
            continue
        others = [one for one in rehearsal.question.mistakes if one is not mistake]
        same = [one for one in others if _alike(rehearsal, one, mistake)]
        told += same
        why = "It does not do the same each time it is called: make it a function of its inputs alone."
        if same:
            why = f"{_spoken(same)} {'do' if len(same) > 1 else 'does'} the same on all cases: "
            why += "add a case that tells them apart, or give them one sentence."
        yield f"{rehearsal.id}: `{mistake.name}` is never named. {why}"


def _alike(rehearsal: Rehearsal, one: Mistake, other: Mistake) -> bool:
    """Whether two mistakes do the same on all inputs that are shown."""
    runs = zip(rehearsal.runs_with(one)[0], rehearsal.runs_with(other)[0], strict=True)
    return all(same_outcome(seen.outcome, like.outcome, seen.probe.expected.tolerance) for seen, like in runs)


def _not_told_apart(rehearsals: Sequence[Rehearsal]) -> Iterator[str]:
    """Two that no call tells apart and that read differently, each pair once."""
    for rehearsal in rehearsals:
        pairs = {
            frozenset((mistake.name, other.name))
            for mistake in rehearsal.question.mistakes
            for other in named_with(rehearsal, mistake)
            if other.message != mistake.message
        }
        for one, other in sorted(sorted(pair) for pair in pairs):
            yield f"{rehearsal.id}: no case tells `{one}` from `{other}`; students read both sentences."


def pairs_are_not_misnamed(rehearsals: Sequence[Rehearsal]) -> Proof:
    """Two mistakes in different steps at once, drawn at random: what is named is what was made, or one that alone does
    the same.
    """
    failures = []
    number, unnamed, right = 0, 0, 0
    for rehearsal in rehearsals:
        for pair in drawn_pairs(rehearsal.question.mistakes):
            number += 1
            run = rehearsal.run(rehearsal.question.with_mistakes(pair).reference(), 0)
            if not missed_in(run):
                right += 1
                continue
            named = rehearsal.named(run)
            unnamed += not named
            if wrong := misnamed(pair, named):
                failures.append(
                    f"{rehearsal.id}: {_spoken(pair)} made together are told as {_spoken(wrong)}. "
                    "Add a case that tells these apart."
                )
    if unnamed > MOST_UNNAMED * number:
        failures.append(
            f"Of {number} pairs of mistakes, nothing is named for {unnamed}: more than a fifth. Add cases on which "
            "more of the mistakes run to the end, with sizes that differ."
        )
    notes = [f"nothing is named for {unnamed} of {number} pairs"] if unnamed else []
    notes += [f"{counted(right, 'pair')} of mistakes undo each other and come out right"] if right else []
    return Proof("two mistakes at once are not misnamed", tuple(failures), counted(number, "pair"), tuple(notes))


def drawn_pairs(mistakes: Sequence[Mistake], most: int = PAIRS) -> list[tuple[Mistake, Mistake]]:
    """At most so many pairs of mistakes in different steps; the same ones each time."""
    all_pairs = itertools.combinations(mistakes, 2)
    pairs = [(one, other) for one, other in all_pairs if not set(one.replaced) & set(other.replaced)]
    return pairs if len(pairs) <= most else random.Random(most).sample(pairs, most)


def misnamed(pair: Sequence[Mistake], named: Sequence[tuple[Mistake, ...]]) -> tuple[Mistake, ...]:
    """The named set that tells of a fault which is not there; () where none does.

    A single mistake does the same as the pair on all cases, so it says no less; and where the pair itself is named,
    what is named beside it reads "Or:".
    """
    made = {mistake.message for mistake in pair}
    told = [{mistake.message for mistake in variant} for variant in named]
    if made in told:
        return ()
    wrong = (variant for variant, said in zip(named, told, strict=True) if len(variant) > 1 and not said <= made)
    return next(wrong, ())


def _spoken(mistakes: Sequence[Mistake]) -> str:
    return joined([f"`{mistake.name}`" for mistake in mistakes])


def _tried(rehearsals: Sequence[Rehearsal]) -> str:
    return counted(sum(len(rehearsal.question.mistakes) for rehearsal in rehearsals), "mistake")
