"""Whether two calls did the same, in all that was observed of them; and which of many did."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

import torch

from grader.observing.compare import close
from grader.observing.outcome import Outcome, gradient_trouble
from grader.observing.returned import Returned

UNFIT = "values or shapes do not fit"


def same_outcome(one: Outcome, other: Outcome, tolerance: float | None = None) -> bool:
    """The same end, value, inputs afterwards and gradients; exceptions are the same when their types are, or when both
    say that values or shapes do not fit, which torch and numpy do by different types.
    """
    if one.ended != other.ended:
        return False
    if one.raised is not None and other.raised is not None:
        return _error(one.raised.type) == _error(other.raised.type)
    return (
        same_value(one.value, other.value, tolerance)
        and gradient_trouble(one.note) == gradient_trouble(other.note)
        and _all_same(one.after, other.after, tolerance)
        and _all_same(one.gradients, other.gradients, tolerance)
    )


def _error(type: str) -> str:
    return UNFIT if type in ("RuntimeError", "ValueError", "IndexError") else type


def same_value(one: Returned, other: Returned, tolerance: float | None = None) -> bool:
    """The same structure, kinds, shapes and dtypes, and values within the dtype's tolerance; NaN equals NaN."""
    if one.kind != other.kind or one.keys != other.keys or one.text != other.text:
        return False
    if one.tensor is not None and other.tensor is not None:
        return _same_tensor(one.tensor, other.tensor, tolerance)
    return one.number == other.number and _all_same(one.items, other.items, tolerance)


def _all_same(ones: tuple[Returned, ...], others: tuple[Returned, ...], tolerance: float | None) -> bool:
    if len(ones) != len(others):
        return False
    return all(same_value(one, other, tolerance) for one, other in zip(ones, others, strict=True))


def _same_tensor(one: torch.Tensor, other: torch.Tensor, tolerance: float | None) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if torch.equal(one, other):
        return True
    return bool(close(one, other, one.dtype, tolerance, equal_nan=True).all())


@dataclass
class Outcomes:
    """What many functions did in one call, so that those that did the same as another can be found at once."""

    _alike: dict[Hashable, tuple[list[int], list[list[torch.Tensor]]]] = field(default_factory=dict)
    _numbers: set[int] = field(default_factory=set)
    _stacked: dict[Hashable, list[torch.Tensor]] = field(default_factory=dict)

    def __contains__(self, number: int) -> bool:
        return number in self._numbers

    def add(self, number: int, outcome: Outcome) -> None:
        """The outcome of the function of this number."""
        form = _form(outcome)
        numbers, tensors = self._alike.setdefault(form, ([], []))
        numbers.append(number)
        tensors.append(list(_tensors(outcome)))
        self._numbers.add(number)
        self._stacked.pop(form, None)

    def same(self, outcome: Outcome, tolerance: float | None = None) -> list[int]:
        """The numbers of the functions that did the same, as `same_outcome` has it."""
        form = _form(outcome)
        if form not in self._alike:
            return []
        numbers, tensors = self._alike[form]
        if form not in self._stacked:
            self._stacked[form] = [torch.stack(rows).to(torch.float64) for rows in zip(*tensors, strict=True)]
        alike = torch.ones(len(numbers), dtype=torch.bool)
        for one, rows in zip(_tensors(outcome), self._stacked[form], strict=True):
            equal = close(one, rows, one.dtype, tolerance, equal_nan=True)
            alike &= equal.reshape(len(numbers), one.numel()).all(dim=1)
        return [number for number, is_alike in zip(numbers, alike.tolist(), strict=True) if is_alike]


def _form(outcome: Outcome) -> Hashable:
    """All of an outcome but the values of its tensors: what `same_outcome` wants to be equal."""
    if outcome.raised is not None:
        return outcome.ended, _error(outcome.raised.type)
    trees = tuple(tuple(map(_form_of, trees)) for trees in ((outcome.value,), outcome.after, outcome.gradients))
    return outcome.ended, gradient_trouble(outcome.note), trees


def _form_of(tree: Returned) -> Hashable:
    tensor = None if tree.tensor is None else (tuple(tree.tensor.shape), tree.tensor.dtype)
    return tree.kind, tree.keys, tree.text, tree.number, tensor, tuple(map(_form_of, tree.items))


def _tensors(outcome: Outcome) -> Iterator[torch.Tensor]:
    waiting: list[Iterable[Returned]] = [(outcome.value, *outcome.after, *outcome.gradients)]
    for trees in waiting:
        for tree in trees:
            if tree.tensor is not None:
                yield tree.tensor
            waiting.append(tree.items)
