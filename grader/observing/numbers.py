"""Read the numbers that a student's name holds, and say how near to the answer they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from grader.observing.returned import Returned
from grader.wording import with_article


class NotNumbers(Exception):
    """The name holds something else; the text ends the sentence "NAME ..."."""


@dataclass(frozen=True)
class Numbers:
    """Plain numbers with the shape they came in: () for one number, (3,) for three, (2, 2) for a table."""

    values: tuple[float, ...]
    shape: tuple[int, ...]

    def __str__(self) -> str:
        shown = ", ".join(f"{value:.7g}" for value in self.values[:12])
        more = ", …" if len(self.values) > 12 else ""
        return shown if self.shape == () else f"[{shown}{more}]"


def read_numbers(tree: Returned) -> Numbers:
    """int, float, Fraction, "2/3", numpy, tensors, lists and tuples of them. Raises NotNumbers."""
    if tree.kind in ("tensor", "array") and tree.tensor is not None:
        return _from_tensor(tree.tensor)
    if tree.kind in ("number", "text"):
        return Numbers((_finite(_one(tree)),), ())
    if tree.kind == "sequence":
        return _from_sequence([read_numbers(item) for item in tree.items])
    if tree.kind == "bool":
        raise NotNumbers("holds True or False, which is no number")
    if tree.kind == "none":
        raise NotNumbers("still holds None in one of its places")
    if tree.note:
        raise NotNumbers(f"holds {with_article(tree.type)} {tree.note}")
    name = "a function" if tree.type == "function" else f"a value of type {tree.type}"
    raise NotNumbers(f"holds {name}; numbers, or a list of numbers, are expected")


def _one(tree: Returned) -> float:
    if tree.kind == "number":
        return tree.number
    text = tree.text.strip().replace(",", ".") if tree.text.count(",") == 1 else tree.text.strip()
    above, slash, below = text.partition("/")
    try:
        # not Fraction(text): its exponents may have any size, and take hours
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        hint = "; write it without quotation marks" if any(sign.isdigit() for sign in text) else ""
        raise NotNumbers(f"holds the text {tree.text[:40]!r}, which is no number{hint}") from None


def _finite(value: float) -> float:
    if math.isnan(value):
        raise NotNumbers("is NaN, which is not a number")
    if math.isinf(value):
        raise NotNumbers("is infinite; a finite number is expected")
    return value


def _from_tensor(tensor: torch.Tensor) -> Numbers:
    if tensor.dtype == torch.bool or tensor.is_complex():
        raise NotNumbers(f"holds {str(tensor.dtype).removeprefix('torch.')} values; numbers are expected")
    if tensor.numel() > 10_000:
        raise NotNumbers(f"holds {tensor.numel()} numbers, many more than are asked for")
    values = tuple(_finite(value) for value in tensor.to(torch.float64).flatten().tolist())
    return Numbers(values, tuple(tensor.shape))


def _from_sequence(items: Sequence[Numbers]) -> Numbers:
    shapes = {item.shape for item in items}
    if len(shapes) > 1:
        raise NotNumbers("holds rows of different lengths")
    inner = shapes.pop() if shapes else ()
    return Numbers(tuple(value for item in items for value in item.values), (len(items), *inner))


def within(value: float, answer: float, decimals: int, slack: float = 0.0) -> bool:
    """Half a unit of the last decimal asked, plus `slack` for intermediates rounded by hand."""
    return abs(value - answer) <= 0.5 * 10.0**-decimals * (1 + 1e-9) + slack


def right_decimals(value: float, answer: float, decimals: int) -> int | None:
    """To how many decimals fewer than `decimals` the value is right; None when it is simply wrong.

    Rounded and cut off both count: 1.67 and 1.66 are right to 2 decimals for 5/3.
    """
    for fewer in range(decimals - 1, 0, -1):
        units = abs(answer) * 10.0**fewer + 1e-9
        if any(math.isclose(abs(value) * 10.0**fewer, short, abs_tol=1e-6) for short in _shortened(units)):
            return fewer if math.copysign(1, value) == math.copysign(1, answer) else None
    return None


def _shortened(units: float) -> tuple[int, int]:
    return math.floor(units), math.floor(units + 0.5)
