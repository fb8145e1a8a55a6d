"""Name what is wrong with a function: mistakes that do all that it did, else faults seen in how its calls end, else the
steps that can be named by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.grading.diagnose import Diagnosis, Variant
from grader.grading.given import given_its_own
from grader.grading.observed import ended_by, steadiness
from grader.key.code import CodeQuestion
from grader.key.trials import Observation
from grader.observing.outcome import Finding, Outcome
from grader.results import MistakeFound
from grader.sandbox.session import Session


@dataclass(frozen=True)
class Named:
    """What is told; `variant` are the mistakes that explain all that the function did, where some do."""

    told: tuple[MistakeFound, ...] = ()
    variant: Variant = ()


def named(
    question: CodeQuestion,
    session: Session,
    diagnosis: Diagnosis,
    findings: Mapping[str, Finding],
    outcomes: Sequence[Outcome],
) -> Named:
    """Name what is wrong, given the findings and the outcomes of the diagnosis' probes."""
    sets = diagnosis.mistakes(dict(enumerate(outcomes)))
    if sets:
        return Named(_told(sets), sets[0])
    errors = {outcome.raised.type if outcome.raised else "" for outcome in outcomes}
    ended = ended_by(findings.values(), errors if len(errors) == 1 else ())
    if ended:
        return Named(ended)
    steady = steadiness(question, session, diagnosis.probes, outcomes)
    sets = diagnosis.mistakes(steady.outcomes) if _wrong(diagnosis, steady.outcomes) else ()
    if not sets:
        sets = (tuple(given_its_own(question, [probe for _, probe in diagnosis.probes], outcomes)),)
    return Named((*_told(sets), *([steady.fault] if steady.fault else [])))


def _wrong(diagnosis: Diagnosis, outcomes: Mapping[int, Outcome]) -> bool:
    """Whether one of the calls is wrong: what is right there is what some mistakes do there, too."""
    return any(Observation(*diagnosis.probes[place], outcome, None).missed() for place, outcome in outcomes.items())


def _told(sets: Sequence[Variant]) -> tuple[MistakeFound, ...]:
    """The mistakes of the first set; where another set cannot be told apart, it is told with it."""
    found: dict[str, MistakeFound] = {}
    for number, mistakes in enumerate(sets):
        for mistake in mistakes:
            message = mistake.message if number == 0 else f"Or: {mistake.message}"
            found.setdefault(mistake.message, MistakeFound(mistake.step, mistake.name, message))
    return tuple(found.values())
