"""Calls of a student's function, as they are asked of a child."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from grader.grading.rules import called
from grader.key.code import CodeQuestion, Probe
from grader.key.trials import Caller, Trial, seeds_of
from grader.observing.outcome import Outcome
from grader.sandbox.request import Request
from grader.sandbox.session import Session

# made and packed once, however many submissions get them
_requests: WeakKeyDictionary[Probe, dict[tuple[str, tuple[str, ...], int], Request]] = WeakKeyDictionary()


def caller_of(question: CodeQuestion, session: Session, forbidden: set[str]) -> Caller:
    """Makes calls of the student's function, and adds to `forbidden` what they call of that."""

    def calls(asked: Iterable[tuple[Probe, int]]) -> Iterator[Outcome]:
        for outcome in session.calls(_request(question, probe, seed) for probe, seed in asked):
            forbidden.update(one.name for one in called(question, [outcome]))
            yield outcome

    return calls


def packed(question: CodeQuestion, trials: Iterable[Trial]) -> list[bytes]:
    """What will be sent for these calls, made now, so that it need not be made when the child waits for it."""
    return [_request(question, probe, seed).frame for _, probe in trials for seed in seeds_of(probe)]


def _request(question: CodeQuestion, probe: Probe, seed: int) -> Request:
    by_use = _requests.setdefault(probe, {})
    use = (question.id, question.forbids, seed)
    if use not in by_use:
        by_use[use] = Request(question.id, probe.arguments, probe.seeds, probe.check.unchanged, seed, question.forbids)
    return by_use[use]
