"""What a student's code gave back, as plain data: made in the worker, read by the grader.

`describe` is the one place that touches a student's object, and it asks the cheap, safe questions
first: exact type, layout, device, storage, shape, size. Nothing else may touch such an object.
"""

from __future__ import annotations

import decimal
import fractions
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import torch

from grader.wording import printable

Kind: TypeAlias = Literal["tensor", "array", "number", "bool", "text", "none", "sequence", "dict", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_KIND_OF: dict[str, Kind] = {kind: kind for kind in KINDS}  # so that a description is read fast
MAX_DEPTH = 6
MAX_ITEMS = 10_000  # over the whole structure
MAX_ELEMENTS = 1_000_000  # of tensors and arrays, over the whole structure
LARGEST_AXES = 2**48  # their product, without those of length 0: numpy refuses 2**63 bytes, however empty
MAX_TEXT = 200  # characters
MAX_AXES = 32  # of a tensor: a shape is told in a sentence
READABLE = frozenset(
    {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
    | {torch.float16, torch.bfloat16, torch.float32, torch.float64}
)


@dataclass(frozen=True)
class Returned:
    """A tree of what came back. `type` is the type's name as the student knows it.

    `note` says why something of kind "other" cannot be read (too large, no storage, ...).
    """

    kind: Kind
    type: str = ""
    tensor: torch.Tensor | None = None
    number: float = 0.0
    text: str = ""
    items: tuple[Returned, ...] = ()
    keys: tuple[str, ...] = ()
    note: str = ""


def describe(value: Any) -> Returned:
    """The plain description of any object, in bounded time and size; never raises."""
    return _Describer().describe(value, 0)


class _Describer:
    """Counts what was described so far, so that wide structures end as deep ones do."""

    def __init__(self) -> None:
        self.left = MAX_ITEMS
        self.elements = MAX_ELEMENTS

    def describe(self, value: Any, depth: int) -> Returned:
        self.left -= 1
        kind = type(value)
        name = _name(kind)
        if self.left < 0 or depth > MAX_DEPTH:
            return Returned("other", name, note="nested too deeply or too long to read")
        if kind in (torch.Tensor, torch.nn.Parameter):
            return self._counted(_tensor(value, name, self.elements))
        if kind is np.ndarray or kind in _NUMPY_SCALARS:
            return self._counted(_array(value, name, self.elements))
        if value is None:
            return Returned("none", "None")
        if kind in _PLAIN:
            return _plain(value, name)
        return self._container(value, kind, name, depth)

    def _counted(self, tree: Returned) -> Returned:
        self.elements -= tree.tensor.numel() if tree.tensor is not None else 0
        return tree

    def _container(self, value: Any, kind: type, name: str, depth: int) -> Returned:
        # the base's own methods: a subclass (a named tuple, say) may override them
        if issubclass(kind, dict):
            pairs = list(itertools.islice(dict.items(value), max(self.left + 1, 0)))
            keys = tuple(whole(key) if type(key) is str else _name(type(key)) for key, _ in pairs)
            items = self._described((item for _, item in pairs), depth)
            return Returned("dict", name, items=items, keys=keys[: len(items)])
        for base in (tuple, list):
            if issubclass(kind, base):
                return Returned("sequence", name, items=self._described(base.__iter__(value), depth))
        return Returned("other", name)

    def _described(self, values: Iterable[Any], depth: int) -> tuple[Returned, ...]:
        """As many as there is room for; the one that finds none is the last."""
        inner = []
        for item in values:
            inner.append(self.describe(item, depth + 1))
            if self.left < 0:
                break
        return tuple(inner)


_NUMPY_SCALARS = frozenset(
    kind for kind in np.sctypeDict.values() if issubclass(kind, (np.integer, np.floating, np.bool_))
)
_PLAIN = (bool, int, float, str, fractions.Fraction, decimal.Decimal, range)


def _name(kind: type) -> str:
    try:
        return str(type.__getattribute__(kind, "__name__"))[:MAX_TEXT]
    except BaseException:
        return "object"


def _tensor(value: torch.Tensor, name: str, most: int) -> Returned:
    """A tensor's own values, cut from the graph and from everything lazy."""
    if value.is_nested:
        return Returned("other", name, note="that is nested")
    if value.layout is not torch.strided or value.device.type != "cpu":
        return Returned("other", name, note=f"on {value.device.type} as {value.layout}")
    if value.dtype not in READABLE:
        return Returned("other", name, note=f"of {str(value.dtype).removeprefix('torch.')}")
    if value.ndim > MAX_AXES:
        return Returned("other", name, note=f"with {value.ndim} axes, too many to read")
    if value.numel() > most:
        return Returned("other", name, note=f"with {value.numel()} elements, too many to read")
    if math.prod(max(1, size) for size in value.shape) > LARGEST_AXES:
        return Returned("other", name, note="with axes too long to read")
    if value.untyped_storage().nbytes() < _bytes_needed(value):
        return Returned("other", name, note="whose storage is gone")
    plain = value.detach().resolve_conj().resolve_neg().contiguous()
    return Returned("tensor", name, tensor=plain.clone())


def _bytes_needed(value: torch.Tensor) -> int:
    """How far into its storage a tensor reaches; resized or freed storage is shorter, and reading it crashes."""
    if value.numel() == 0:
        return 0
    reach = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
    return (int(value.storage_offset()) + reach + 1) * value.element_size()


def _array(value: Any, name: str, most: int) -> Returned:
    if value.dtype.kind not in "biuf":
        return Returned("other", name, note=f"of {value.dtype}")
    if value.ndim > MAX_AXES:
        return Returned("other", name, note=f"with {value.ndim} axes, too many to read")
    if value.size > most:
        return Returned("other", name, note=f"with {value.size} elements, too many to read")
    wide = np.array(value, dtype=value.dtype.newbyteorder("="), copy=True, order="C")
    if wide.dtype.kind in "iuf":
        wide = wide.astype(np.float64)
    return Returned("array", name, tensor=torch.from_numpy(np.ascontiguousarray(wide).reshape(value.shape)))


def _plain(value: Any, name: str) -> Returned:
    if type(value) is bool:
        return Returned("bool", name, number=float(value))
    if type(value) is str:
        return Returned("text", name, text=whole(value))
    if type(value) is range:
        return Returned("other", name, note="a range, not numbers")
    try:
        return Returned("number", name, number=float(value))
    except (OverflowError, ValueError):
        return Returned("number", name, number=math.inf)


def whole(text: str, longest: int = MAX_TEXT) -> str:
    """The text as it can be written down and shown anywhere: shortened, without half characters and controls."""
    return printable(text[:longest])


def size_of(tree: Returned) -> int:
    """How many numbers and other values the tree holds."""
    own = 1 if tree.tensor is None else tree.tensor.numel()
    return own + sum(map(size_of, tree.items))


def to_wire(tree: Returned, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    """The tree as JSON; its tensors are put into `tensors` under names of their own."""
    plain: dict[str, Any] = {"kind": tree.kind, "type": tree.type}
    if tree.tensor is not None:
        plain["tensor"] = f"t{len(tensors)}"
        tensors[plain["tensor"]] = tree.tensor
    if tree.kind in ("number", "bool"):
        plain["number"] = tree.number
    if tree.text:
        plain["text"] = tree.text
    if tree.note:
        plain["note"] = tree.note
    if tree.items:
        plain["items"] = [to_wire(item, tensors) for item in tree.items]
    if tree.keys:
        plain["keys"] = list(tree.keys)
    return plain


def from_wire(plain: Any, tensors: dict[str, torch.Tensor]) -> Returned:
    """The inverse of `to_wire`, which trusts nothing. Raises ValueError on anything else."""
    return _read(plain, _Sent(tensors, MAX_ITEMS + MAX_DEPTH + 2, MAX_ELEMENTS), 0)


@dataclass
class _Sent:
    """The tensors that came with a description, and how much more it may hold."""

    tensors: dict[str, torch.Tensor]
    items: int
    elements: int

    def tensor(self, name: Any) -> torch.Tensor:
        found = self.tensors.get(name) if isinstance(name, str) else None
        if found is None or found.dtype not in READABLE or found.ndim > MAX_AXES:
            raise ValueError("a tensor that was not sent")
        self.elements -= found.numel()  # each time: a few bytes can name one large tensor ten thousand times
        if self.elements < 0:
            raise ValueError("more elements than are read")
        return found


def _read(plain: Any, sent: _Sent, depth: int) -> Returned:
    sent.items -= 1
    if not isinstance(plain, dict) or depth > MAX_DEPTH + 1 or sent.items < 0:
        raise ValueError("not a description of a value")
    said, items, keys = plain.get("kind"), plain.get("items", []), plain.get("keys", [])
    if not isinstance(items, list) or not isinstance(keys, list):
        raise ValueError("not a description of a value")
    kind = _KIND_OF.get(said) if type(said) is str else None
    if kind is None:
        raise ValueError("an unknown kind of value")
    tensor = sent.tensor(plain["tensor"]) if "tensor" in plain else None
    if (kind in ("tensor", "array")) != (tensor is not None):
        raise ValueError("a tensor that was not sent")
    return Returned(
        kind,
        _text(plain.get("type", "")),
        tensor,
        _number(plain.get("number", 0.0)),
        _text(plain.get("text", "")),
        tuple(_read(item, sent, depth + 1) for item in items),
        tuple(map(_text, keys)),
        _text(plain.get("note", "")),
    )


def _text(value: Any) -> str:
    if value == "":
        return ""
    if not isinstance(value, str):
        raise ValueError("not a text")
    return whole(value)


def _number(value: Any) -> float:
    """JSON numbers only; Python's own json also reads NaN and Infinity, which is wanted here."""
    if type(value) not in (int, float):
        raise ValueError("not a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf
