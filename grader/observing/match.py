"""Whether two calls did the same, in all that was observed of them."""

from __future__ import annotations

import torch

from grader.observing.compare import close
from grader.observing.outcome import Outcome
from grader.observing.returned import Returned


def same_outcome(one: Outcome, other: Outcome, tolerance: float | None = None) -> bool:
    """The same end, value, inputs afterwards and gradients; exceptions are the same when their types are."""
    if one.ended != other.ended:
        return False
    if one.raised is not None and other.raised is not None:
        return one.raised.type == other.raised.type
    return (
        same_value(one.value, other.value, tolerance)
        and bool(one.note) == bool(other.note)
        and _all_same(one.after, other.after, tolerance)
        and _all_same(one.gradients, other.gradients, tolerance)
    )


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
    left, right = one.to(torch.float64), other.to(torch.float64)
    equal = close(left, right, one.dtype, tolerance) | (left.isnan() & right.isnan())
    return bool(equal.all())
