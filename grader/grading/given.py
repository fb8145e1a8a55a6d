"""Judge each returned part by what it should be, given the parts before it that the same call returned.

Where no set of the key's mistakes does all that a student's function did, what it returned still says which steps are
right: weights that are the softmax of its own scores, whatever those are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from grader.key.arguments import widened
from grader.key.code import CodeQuestion, Probe, probe_outcome
from grader.key.steps import Mistake
from grader.observing.compare import close, parts_of
from grader.observing.outcome import Outcome

FEWEST = 2  # calls that must speak for a mistake


@dataclass(frozen=True)
class _Call:
    probe: Probe
    parts: Mapping[str, torch.Tensor]  # in float64

    def agrees(self, question: CodeQuestion, part: str) -> bool:
        """Whether the part is what the question's chain makes of the parts before it."""
        order = list(question.chain.steps)
        before = {name: value for name, value in self.parts.items() if order.index(name) < order.index(part)}
        try:
            expected = question.chain.value(part, widened(self.probe.arguments), before)
            own = self.parts[part]
            return own.shape == expected.shape and bool(close(own, expected, self.probe.expected.dtype).all())
        except Exception:  # it does not run on these parts
            return False

    def exchanged(self, one: str, other: str) -> _Call:
        """The same call with two parts in each other's place."""
        return replace(self, parts={**self.parts, one: self.parts[other], other: self.parts[one]})

    def is_right(self, part: str) -> bool:
        """Whether the part is what the reference gives, whatever the parts before it are."""
        own, expected = self.parts[part], self.probe.expected.tensors[part]
        return own.shape == expected.shape and bool(close(own, expected, self.probe.expected.dtype).all())

    def follows_in_shape(self, question: CodeQuestion, part: str) -> bool:
        """Whether the parts before it have the shapes that they should: turned around, their axes mean other things,
        and a step that suits them looks like a mistake.
        """
        parts = _inner_parts(question)
        tensors = self.probe.expected.tensors
        return all(self.parts[name].shape == tensors[name].shape for name in parts[: parts.index(part)])


def given_its_own(question: CodeQuestion, probes: Sequence[Probe], outcomes: Sequence[Outcome]) -> list[Mistake]:
    """The mistakes in steps that can be named by themselves; those of parts that nothing explains are left out."""
    calls = [call for probe, outcome in zip(probes, outcomes, strict=True) if (call := _read(question, probe, outcome))]
    found: list[Mistake] = []
    for part in _inner_parts(question):
        # first: nothing is calculated with parts of other shapes, which could make tables of any size
        if len(calls) < FEWEST or not _judged_by_what_came_before(question, calls, part):
            continue
        if _agree(question, calls, part) or _in_another_order(question, calls, part):
            continue
        sets = [mistakes for mistakes in _sets(question, part) if _agree(question.with_mistakes(mistakes), calls, part)]
        smallest = [mistakes for mistakes in sets if len(mistakes) == len(sets[0])]
        if len({tuple(mistake.message for mistake in mistakes) for mistakes in smallest}) == 1:
            found += smallest[0]
    return found if _stops_where_they_stop(question, found, probes, outcomes) else []


def _stops_where_they_stop(
    question: CodeQuestion, mistakes: Sequence[Mistake], probes: Sequence[Probe], outcomes: Sequence[Outcome]
) -> bool:
    """Where most calls raised: whether the reference with the mistakes in it raises on each of those inputs, too. A few
    may raise for a reason of their own.
    """
    stopped = [probe for probe, outcome in zip(probes, outcomes, strict=True) if outcome.ended == "raised"]
    if 2 * len(stopped) < len(probes):
        return True
    reference = question.with_mistakes(mistakes).reference()
    return all(probe_outcome(reference, probe).ended == "raised" for probe in stopped)


def _judged_by_what_came_before(question: CodeQuestion, calls: Sequence[_Call], part: str) -> bool:
    """Not where the part is right, so that what is wrong is before it only, nor where that has other axes."""
    right = all(call.is_right(part) for call in calls)
    return not right and all(call.follows_in_shape(question, part) for call in calls)


def _in_another_order(question: CodeQuestion, calls: Sequence[_Call], part: str) -> bool:
    """Whether nothing is wrong with the part if two parts of one shape were given back in each other's place."""
    pairs = itertools.combinations(_inner_parts(question), 2)
    return any(_agree(question, [call.exchanged(*pair) for call in calls], part) for pair in pairs if part not in pair)


def _agree(question: CodeQuestion, calls: Sequence[_Call], part: str) -> bool:
    return all(call.agrees(question, part) for call in calls)


def _inner_parts(question: CodeQuestion) -> list[str]:
    """The returned names that are steps, in the order of the steps, where there is more than one."""
    parts = [step for step in question.chain.steps if step in question.chain.returns]
    return parts if len(parts) > 1 else []


def _sets(question: CodeQuestion, part: str) -> Iterator[tuple[Mistake, ...]]:
    """One or two mistakes in steps that lie between the part before and this one."""
    order, parts = list(question.chain.steps), _inner_parts(question)
    first = max((order.index(name) + 1 for name in parts[: parts.index(part)]), default=0)
    between = order[first : order.index(part) + 1]
    mistakes = [mistake for mistake in question.mistakes if set(mistake.replaced) <= set(between)]
    yield from ((mistake,) for mistake in mistakes)
    yield from (pair for pair in itertools.combinations(mistakes, 2) if pair[0].step != pair[1].step)


def _read(question: CodeQuestion, probe: Probe, outcome: Outcome) -> _Call | None:
    """A call that returned a tensor for every name, none of them the same as another."""
    if outcome.ended != "returned" or not probe.expected.tensors:
        return None
    parts = parts_of(outcome.value, probe.expected)
    if not isinstance(parts, dict):
        return None
    tensors = {name: tree.tensor.to(torch.float64) for name, tree in parts.items() if tree.tensor is not None}
    same = any(torch.equal(one, other) for one, other in itertools.combinations(tensors.values(), 2))
    return None if same or set(tensors) != set(question.chain.returns) else _Call(probe, tensors)
