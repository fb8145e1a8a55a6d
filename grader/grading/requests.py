"""Calls of a student's function as a child is asked for them: each is packed once, however many submissions get it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from grader.key.code import CodeQuestion, Probe
from grader.sandbox.request import Request

_made: WeakKeyDictionary[Probe, dict[int, Request]] = WeakKeyDictionary()


def request_of(question: CodeQuestion, probe: Probe, seed: int) -> Request:
    """The call of a probe of this question, with a seed."""
    by_seed = _made.setdefault(probe, {})
    if seed not in by_seed:
        unchanged = probe.check.unchanged
        by_seed[seed] = Request(question.id, probe.arguments, probe.seeds, unchanged, seed, question.forbids)
    return by_seed[seed]
