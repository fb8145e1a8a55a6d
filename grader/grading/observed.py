"""Faults that no step of a reference could have: seen in how calls end, and in how two calls differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.grading.calls import caller_of
from grader.key.code import CodeQuestion
from grader.key.steps import CODE
from grader.key.trials import Trial
from grader.observing.match import same_outcome
from grader.observing.outcome import Finding, Outcome, Stage
from grader.results import MistakeFound
from grader.sandbox.session import Session

BY_STAGE: dict[Stage, str] = {"timed_out": "never_ends", "died": "ends_the_program"}
BY_ERROR = {
    "NameError": "undefined_name",
    "UnboundLocalError": "undefined_name",
    "ModuleNotFoundError": "missing_module",
    "ImportError": "missing_module",
    "SyntaxError": "syntax_error",
    "IndentationError": "syntax_error",
    "TabError": "syntax_error",
}
RANDOM = MistakeFound(
    CODE,
    "random_numbers",
    "Two calls with the same inputs give different answers: random numbers take part (dropout, noise, or a layer with"
    " fresh weights). An answer must follow from the inputs alone.",
)
REMEMBERS = MistakeFound(
    CODE,
    "remembers_calls",
    "Two calls with the same inputs give different answers: something outside the function keeps what an earlier call"
    " left (a global, a cache, or memory that torch.empty() does not clear). Make what it needs inside, anew in each"
    " call.",
)
UNSETTLED = MistakeFound(
    CODE,
    "never_the_same",
    "Two calls with the same inputs give different answers, even if the program starts anew: random numbers without a"
    " seed, the time, or memory that torch.empty() does not clear take part. An answer must follow from the inputs"
    " alone.",
)
MOST_FRESH = 4  # calls that each start anew


@dataclass(frozen=True)
class Steadiness:
    """How a function does when it starts anew. `outcomes` are calls of a fresh program each, by the probe's place; only
    where it remembers calls.
    """

    fault: MistakeFound | None
    outcomes: dict[int, Outcome]


def ended_by(findings: Iterable[Finding], errors: Iterable[str] = ()) -> tuple[MistakeFound, ...]:
    """The fault that a call or a cell ended with, where that says it all: `errors` are the types of exceptions."""
    found = [finding for finding in findings if finding.stage in BY_STAGE]
    if found:
        return (MistakeFound(CODE, BY_STAGE[found[0].stage], found[0].message),)
    message = next((finding.message for finding in findings), "")
    names = [BY_ERROR[error] for error in errors if error in BY_ERROR]
    return tuple(MistakeFound(CODE, name, message) for name in dict.fromkeys(names[:1]))


def steadiness(
    question: CodeQuestion, session: Session, trials: Sequence[Trial], outcomes: Sequence[Outcome]
) -> Steadiness:
    """Whether the function's answers follow from its inputs alone; `outcomes` are those of one program for all."""
    first = _fresh(question, session, trials[0], (0, 0, 1))
    if not first or first[0].ended in ("timed_out", "died"):
        return Steadiness(None, {})
    if same_outcome(first[0], outcomes[0]) and same_outcome(first[0], first[1]):
        return Steadiness(None if same_outcome(first[0], first[2]) else RANDOM, {})
    once_more = _fresh(question, session, trials[0], (0,))
    if not once_more:  # the calls above ended the program
        return Steadiness(None, {})
    if not same_outcome(first[0], once_more[0]):
        return Steadiness(UNSETTLED, {})
    others = [place for place in range(1, len(trials)) if trials[place][0] is not trials[place - 1][0]]
    known = {0: first[0]}
    for place in others[: MOST_FRESH - 1]:
        fresh = _fresh(question, session, trials[place], (0,))
        known |= {place: fresh[0]} if fresh else {}
    return Steadiness(REMEMBERS, known)


def _fresh(question: CodeQuestion, session: Session, trial: Trial, seeds: Sequence[int]) -> list[Outcome]:
    """What a program does that starts anew; nothing where it cannot."""
    if not session.start_anew():
        return []
    calls = caller_of(question, session, set())
    return list(calls((trial[1], seed) for seed in seeds))
