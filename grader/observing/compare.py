"""Compare what came back with what should have, cheap questions first, and say the first miss.

The order is the student's ladder: type, shape, dtype, NaN, values. Shapes are compared before values
and nothing is ever broadcast. Tolerances go by dtype and are at least 1e-6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from grader.observing.outcome import Finding
from grader.observing.returned import Returned
from grader.wording import joined, with_article

# (rtol, atol), never below torch.testing's own: a square root taken in float32 must not cost a float64 result
# marks, nor another order of adding up a float32 one
TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-6, 1e-6),
}


@dataclass(frozen=True)
class Expected:
    """What a call should have returned: tensors by name, in order.

    `call` is the call as the student would write it with shapes, `dtype` is that of the inputs, which
    what is returned must keep but for exceptions by name in `dtypes`. `axes` says in words what each axis of
    a returned tensor is, `tolerance` replaces rtol and atol where a check needs its own.
    """

    call: str
    tensors: Mapping[str, torch.Tensor]
    dtype: torch.dtype
    single: bool = False  # one tensor is returned, not a tuple of them
    axes: Mapping[str, str] = field(default_factory=dict)
    tolerance: float | None = None
    dtypes: Mapping[str, torch.dtype] = field(default_factory=dict)


def compare(value: Returned, expected: Expected, only: Sequence[str] = ()) -> Finding | None:
    """The first miss, or None. `only` restricts the comparison to some of the returned names."""
    parts = parts_of(value, expected)
    if isinstance(parts, Finding):
        return parts
    for name in only or expected.tensors:
        found = compare_tensor(parts[name], expected.tensors[name], name, expected)
        if found:
            return found
    return None


def parts_of(value: Returned, expected: Expected) -> dict[str, Returned] | Finding:
    """The returned parts by name, or what is wrong with how they were returned."""
    names = tuple(expected.tensors)
    return {names[0]: value} if expected.single else named_parts(value, names, expected.call)


def named_parts(value: Returned, names: Sequence[str], call: str) -> dict[str, Returned] | Finding:
    """The same for a tuple of things with these names."""
    wanted = f"expected {_count(len(names))}: ({', '.join(names)})"
    if value.kind == "sequence" and len(value.items) == len(names):
        return dict(zip(names, value.items, strict=True))
    if value.kind == "none":
        return Finding("type", f"{call} returned None; {wanted}. Is the `return` line there?")
    if value.kind == "sequence":
        return Finding("type", f"{call} returned {_count(len(value.items))}; {wanted}.")
    return Finding("type", f"{call} returned {spoken(value)}; {wanted}.")


def compare_tensor(value: Returned, wanted: torch.Tensor, name: str, expected: Expected) -> Finding | None:
    """One returned tensor against the reference's, which may be of a wider dtype."""
    whole = "" if expected.single else f" {name}"
    if value.kind != "tensor" or value.tensor is None:
        return _wrong_type(value, whole, name, expected)
    actual = value.tensor
    if actual.shape != wanted.shape:
        axes = f" ({expected.axes[name]})" if name in expected.axes else ""
        thing = name if verb(name) == "are" else with_article(name)
        is_a = "returned shape" if expected.single else f"returned {thing} of shape"
        message = f"{expected.call} {is_a} {list(actual.shape)}; expected {list(wanted.shape)}{axes}."
        return Finding("shape", message, name)
    asked = expected.dtypes.get(name, expected.dtype)
    if actual.dtype != asked:
        return Finding("dtype", _wrong_dtype(actual.dtype, asked, name, expected), name)
    return _compare_values(actual, wanted, name, expected)


def _wrong_type(value: Returned, whole: str, name: str, expected: Expected) -> Finding:
    if value.kind == "none" and not whole:
        return Finding("type", f"{expected.call} returned None. Is the `return` line there?", name)
    thing = f"{spoken(value)} for {name}" if whole else spoken(value)
    return Finding("type", f"{expected.call} returned {thing}; expected a torch.Tensor.", name)


def _wrong_dtype(got: torch.dtype, asked: torch.dtype, name: str, expected: Expected) -> str:
    thing = "the result" if expected.single else name
    if name in expected.dtypes:
        return f"{expected.call}: {thing} came back as {dtype_name(got)}; expected {dtype_name(asked)}."
    return (
        f"{expected.call} got {dtype_name(asked)} inputs, but {thing} came back as {dtype_name(got)}; keep the dtype."
    )


def _compare_values(actual: torch.Tensor, wanted: torch.Tensor, name: str, expected: Expected) -> Finding | None:
    wide, target = actual.to(torch.float64), wanted.to(torch.float64)
    near, finite = close(wide, target, actual.dtype, expected.tolerance), torch.isfinite(wide)
    if bool(near.all()) and bool(finite.all()):
        return None
    bad = ~finite
    thing = "the result" if expected.single else name
    if bad.any():
        kind = "NaN" if torch.isnan(wide).any() else "infinity"
        holds = "hold" if verb(thing) == "are" else "holds"
        message = f"{expected.call}: {thing} {holds} {kind} in {int(bad.sum())} of {bad.numel()} places."
        return Finding("nan", message, name)
    wrong = ~near
    where = wrong.nonzero()[0].tolist()
    at = f"[{', '.join(map(str, where))}]" if where else ""
    place = f"place {at}" if expected.single and at else f"{thing}{at}"
    got, want = float(wide[tuple(where)]), float(target[tuple(where)])
    message = (
        f"{expected.call}: {thing} {verb(thing)} wrong in {int(wrong.sum())} of {wrong.numel()} places; "
        f"{place} is {', expected '.join(_figures(got, want))}."
    )
    return Finding("values", message, name)


def close(
    actual: torch.Tensor,
    wanted: torch.Tensor,
    dtype: torch.dtype,
    tolerance: float | None = None,
    equal_nan: bool = False,
) -> torch.Tensor:
    """Element by element, for two tensors of one shape, taken in float64: equal within the tolerance of `dtype`."""
    rtol, atol = tolerances(dtype, tolerance)
    wide = actual.to(torch.float64), wanted.to(torch.float64)
    return torch.isclose(*wide, rtol=rtol, atol=atol, equal_nan=equal_nan)


def tolerances(dtype: torch.dtype, tolerance: float | None = None) -> tuple[float, float]:
    """rtol and atol: those of the dtype, or a check's own for both."""
    return TOLERANCES.get(dtype, (1e-6, 1e-6)) if tolerance is None else (tolerance, tolerance)


def right_and_not(fine: Sequence[str], bad: Sequence[str]) -> str:
    """`scores and weights are right; output is not.`"""
    return f"{joined(fine)} {verb(*fine)} right; {joined(bad)} {verb(*bad)} not."


def verb(*names: str) -> str:
    """ "is" or "are" after these names: `scores` and `weights` are plural, `output` is not."""
    return "are" if len(names) > 1 or names[0].endswith("s") else "is"


def spoken(value: Returned) -> str:
    """What came back, as one says it: "a dict", "a numpy array of shape [3, 2]"."""
    if value.kind == "array" and value.tensor is not None:
        return f"a numpy array of shape {list(value.tensor.shape)}" if value.tensor.ndim else "a numpy number"
    if value.kind == "tensor" and value.tensor is not None:
        return f"one tensor of shape {list(value.tensor.shape)}"
    if value.kind == "none":
        return "None"
    if value.kind == "text":
        return f"the text {value.text!r}" if len(value.text) <= 30 else "a text"
    if value.kind == "sequence":
        return f"a {value.type} of {len(value.items)}"
    return f"{with_article(value.type)} {value.note}".rstrip()


def call_text(function: str, names: Sequence[str], arguments: Sequence[object]) -> str:
    """`attention(q[5, 6], k[7, 6], v[7, 3])`: a call with the shapes in place of the numbers."""
    shown = [
        f"{name}{list(value.shape)}" if isinstance(value, torch.Tensor) else f"{name}={value!r}"
        for name, value in zip(names, arguments, strict=False)
    ]
    return f"{function}({', '.join(shown)})"


def _count(number: int) -> str:
    words = {0: "nothing", 1: "one thing", 2: "two things", 3: "three things", 4: "four things"}
    return words.get(number, f"{number} things")


def dtype_name(dtype: torch.dtype) -> str:
    """`float32`."""
    return str(dtype).removeprefix("torch.")


def _figures(got: float, want: float) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes for them to read differently."""
    pair = _figure(got), _figure(want)
    return pair if pair[0] != pair[1] else (f"{got:.9g}", f"{want:.9g}")


def _figure(number: float) -> str:
    return f"{number:.4f}" if 1e-4 <= abs(number) < 1e6 or number == 0 else f"{number:.4g}"
