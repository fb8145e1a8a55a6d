"""What the public checks of a lesson are written with: the table of questions, and things to expect.

Each function raises Miss with one sentence to the student: what was called, what came back, what should have.
Answers are only looked at for their form, so that the checks give none of them away.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from grader.observing.calling import safely_described
from grader.observing.compare import Expected, call_text, compare_tensor, named_parts, spoken
from grader.observing.forbidden import watching
from grader.observing.numbers import NotNumbers, Numbers, read_numbers
from grader.observing.outcome import Finding
from grader.student.picture import ONLY, ROUNDING, Picture, Table, tensor_of
from grader.student.tally import Question
from grader.wording import joined

__all__ = [
    "Miss",
    "Picture",
    "Question",
    "called",
    "expect",
    "expect_choice",
    "expect_dtype",
    "expect_figures",
    "expect_gradient",
    "expect_not_called",
    "expect_numbers",
    "expect_shape",
    "expect_table",
    "expect_weights",
    "expect_whole_numbers",
    "parts",
]

ROUNDED = 0.02  # what a sum of weights may be off, for a student may have rounded to 2 decimals


class Miss(AssertionError):
    """A public check does not hold; the text is for the student."""


def called(function: str, **arguments: Any) -> str:
    """A call with shapes in place of numbers: `called("project", x=x, table=t)` is `project(x[4, 2], table[3, 2])`."""
    return call_text(function, list(arguments), list(arguments.values()))


def expect(
    value: Any,
    expected: Table | Mapping[str, Table],
    call: str,
    axes: Mapping[str, str] | str = "",
    tolerance: float = ROUNDING,
) -> None:
    """Expect one tensor, or several by name in their order, with the shape, dtype and figures of `expected`.

    `axes` says in words what the axes of a returned tensor are.
    """
    __tracebackhide__ = True
    wanted = _expected(expected, call, axes, tolerance)
    returned = _parts(value, wanted)
    for name, tensor in wanted.tensors.items():
        _raise(compare_tensor(safely_described(returned[name]), tensor, name, _of_dtype(wanted, tensor)))


def expect_figures(student: Any, picture: Picture) -> None:
    """Expect what check() draws: that the picture's call gives the figures of the text."""
    __tracebackhide__ = True
    returned = picture.make(student)
    if not picture.returns:
        expect(returned, picture.figures, picture.call)
        return
    named = _named(returned, picture.names, picture.call)
    expect(tuple(named[name] for name in picture.expected), picture.expected, picture.call)


def expect_shape(
    value: Any, shape: Sequence[int] | Mapping[str, Sequence[int]], call: str, axes: Mapping[str, str] | str = ""
) -> None:
    """Expect one tensor, or several by name in their order, of the given shapes, whatever they hold."""
    __tracebackhide__ = True
    shapes = shape if isinstance(shape, Mapping) else {ONLY: shape}
    empty = {name: torch.empty(tuple(sizes)) for name, sizes in shapes.items()}
    wanted = _expected(empty if isinstance(shape, Mapping) else empty[ONLY], call, axes, ROUNDING)
    returned = _parts(value, wanted)
    for name, tensor in wanted.tensors.items():
        found = compare_tensor(safely_described(returned[name]), tensor, name, wanted)
        if found is not None and found.stage in ("type", "shape"):
            _raise(found)


def expect_dtype(value: Any, dtype: torch.dtype, call: str, returns: str = "") -> None:
    """Expect that what came back has the dtype that the inputs had: one tensor, or those that `returns` names."""
    __tracebackhide__ = True
    named = _named(value, returns.split(), call) if returns else {ONLY: value}
    for name, part in named.items():
        tree = safely_described(part)
        same = torch.empty(tree.tensor.shape if tree.tensor is not None else 0, dtype=dtype)
        found = compare_tensor(tree, same, name, Expected(call, {name: same}, dtype, single=not returns))
        if found is not None and found.stage in ("type", "dtype"):
            _raise(found)


def parts(value: Any, names: str, call: str) -> tuple[torch.Tensor, ...]:
    """The tensors of a returned tuple; `names` says how they are called, in order: "output scores weights"."""
    __tracebackhide__ = True
    returned = _named(value, names.split(), call)
    for name in returned:
        tree = safely_described(returned[name])
        if tree.kind != "tensor":
            raise Miss(f"{call} returned {spoken(tree)} for {name}; expected a torch.Tensor.")
    return tuple(returned.values())


def expect_gradient(output: torch.Tensor, call: str, **inputs: torch.Tensor) -> None:
    """Expect that the sum of `output` has a gradient for each of the inputs, by name."""
    __tracebackhide__ = True
    found: Sequence[torch.Tensor | None] = [None] * len(inputs)
    if output.requires_grad:
        found = torch.autograd.grad(output.sum(), list(inputs.values()), allow_unused=True)
    cut = [name for name, gradient in zip(inputs, found, strict=True) if gradient is None]
    if cut:
        why = "NumPy, .detach(), .item() and torch.tensor() forget how a number was calculated"
        raise Miss(f"{call}: no gradient reaches {joined(cut)}; {why}.")


def expect_not_called(forbidden: str, function: Callable[..., Any], call: str, *arguments: Any) -> None:
    """Expect that `function(*arguments)` calls no function or class of a dotted name: a rule of the question."""
    __tracebackhide__ = True
    with watching([forbidden]) as calls:
        function(*arguments)
    if calls:
        raise Miss(f"{call} uses {forbidden}, which this question forbids. Write the steps yourself.")


def expect_numbers(value: Any, name: str, count: int) -> tuple[float, ...]:
    """Expect `count` finite numbers in what `name` holds, and return them. Says nothing of their size."""
    __tracebackhide__ = True
    given = _numbers(value, name)
    if len(given.values) != count:
        raise Miss(f"{name} holds {_count(len(given.values))}; {_count(count)} {_be(count)} asked for.")
    return given.values


def expect_weights(value: Any, name: str, count: int) -> None:
    """Expect `count` numbers from 0 on that sum to 1, rounded as they may be."""
    __tracebackhide__ = True
    given = expect_numbers(value, name, count)
    if min(given) < 0:
        raise Miss(f"{name} holds {min(given):g}; no weight is below 0.")
    if abs(sum(given) - 1) > ROUNDED:
        raise Miss(f"{name} sums to {sum(given):.4g}; the weights of a row sum to 1.")


def expect_whole_numbers(value: Any, name: str, count: int) -> None:
    """Expect `count` whole numbers from 1 on, such as the sizes of a shape."""
    __tracebackhide__ = True
    for number in expect_numbers(value, name, count):
        if number != int(number) or number < 1:
            raise Miss(f"{name} holds {number:g}; a size is a whole number from 1 on.")


def expect_choice(value: Any, name: str, letters: str) -> None:
    """Expect one of the letters, in quotation marks."""
    __tracebackhide__ = True
    tree = safely_described(value)
    choices = " or ".join(f'"{letter}"' for letter in letters)
    if tree.kind != "text":
        raise Miss(f"{name} holds {spoken(tree)}; write one letter in quotation marks: {choices}.")
    if tree.text.strip().upper() not in list(letters):
        raise Miss(f"{name} = {tree.text[:40]!r} is none of the choices; write {choices}.")


def expect_table(value: Any, name: str, rows: int, columns: int) -> tuple[float, ...]:
    """Expect a table of numbers with so many rows and columns, and return its numbers row by row."""
    __tracebackhide__ = True
    given = _numbers(value, name)
    if given.shape != (rows, columns):
        shape = list(given.shape)
        raise Miss(f"{name} has shape {shape}; expected [{rows}, {columns}] ({rows} rows of {_count(columns)}).")
    return given.values


def _expected(
    expected: Table | Mapping[str, Table], call: str, axes: Mapping[str, str] | str, tolerance: float
) -> Expected:
    named = expected if isinstance(expected, Mapping) else {ONLY: expected}
    words = axes if isinstance(axes, Mapping) else {ONLY: axes} if axes else {}
    tensors = {name: tensor_of(table) for name, table in named.items()}
    return Expected(call, tensors, torch.float32, not isinstance(expected, Mapping), words, tolerance)


def _of_dtype(wanted: Expected, tensor: torch.Tensor) -> Expected:
    return dataclasses.replace(wanted, dtype=tensor.dtype)


def _parts(value: Any, wanted: Expected) -> dict[str, Any]:
    """What was returned, by name: the objects themselves, since a gradient flows through them only."""
    __tracebackhide__ = True
    return {ONLY: value} if wanted.single else _named(value, list(wanted.tensors), wanted.call)


def _named(value: Any, names: Sequence[str], call: str) -> dict[str, Any]:
    __tracebackhide__ = True
    found = named_parts(safely_described(value), names, call)
    if isinstance(found, Finding):
        raise Miss(found.message)
    return dict(zip(names, value, strict=True))


def _raise(found: Finding | None) -> None:
    __tracebackhide__ = True
    if found is not None:
        raise Miss(found.message)


def _numbers(value: Any, name: str) -> Numbers:
    __tracebackhide__ = True
    try:
        return read_numbers(safely_described(value))
    except NotNumbers as wrong:
        raise Miss(f"{name} {wrong}.") from None


def _count(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
