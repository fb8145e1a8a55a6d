"""Partial credit: one cause costs once.

A function that forgets to scale still takes the softmax of its scores, keeps the dtype and leaves its inputs
alone. Whether it does is seen by putting the named mistake into the reference and judging again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from grader.grading.diagnose import Diagnosis
from grader.key.code import CodeQuestion
from grader.key.steps import RETURNED, TAKEN, Mistake, wanted_by
from grader.observing.outcome import Finding

Rescore = Callable[[CodeQuestion, Collection[str]], set[str]]


def still_missed(
    diagnosis: Diagnosis, mistakes: Sequence[Mistake], missed: Mapping[str, Finding], rescore: Rescore
) -> dict[str, Finding]:
    """Those of the `missed` checks that are about one of the mistakes, or miss something else as well.

    `rescore` judges again what the student's function did, on checks by their names, of a question whose reference
    makes the mistakes too, and gives those that are still missed.
    """
    about = {name for mistake in mistakes for name in _about(diagnosis, mistake)}
    others = missed.keys() - about
    forgiven = others - rescore(diagnosis.question.with_mistakes(mistakes), others)
    return {name: finding for name, finding in missed.items() if name not in forgiven}


def _about(diagnosis: Diagnosis, mistake: Mistake) -> set[str]:
    """The checks that a mistake costs: those of the part it spoils, else all that it fails when alone."""
    fails = diagnosis.fails(mistake)
    spoilt = _spoilt_parts(diagnosis.question, mistake)
    of_part = {check.name for check in diagnosis.question.checks if spoilt & set(check.only)}
    return of_part & fails or fails


def _spoilt_parts(question: CodeQuestion, mistake: Mistake) -> set[str]:
    """The returned part that the mistaken step makes or leads to; not those that only follow from it."""
    names = question.chain.returns
    if mistake.step == TAKEN:
        return set(names)
    if mistake.step == RETURNED:
        return _moved(names, mistake)
    steps = list(question.chain.steps)
    after = steps[steps.index(mistake.step) :]
    return {next((step for step in after if step in names), names[0])}


def _moved(names: Sequence[str], mistake: Mistake) -> set[str]:
    """The parts that are given back in another place: the replacement is run on the names themselves."""
    try:
        value = mistake.replacement(**{name: name for name in wanted_by(mistake.replacement)})
    except Exception:  # it does more than move them
        return set(names)
    if not isinstance(value, tuple) or len(value) != len(names):
        return set(names)
    return {name for name, place in zip(names, value, strict=True) if name != place}
