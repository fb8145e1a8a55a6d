"""Any object becomes a plain description, in bounded time and size, and survives the wire."""

from __future__ import annotations

import collections
import decimal
import enum
import fractions
import math
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.observing import returned
from grader.observing.returned import (
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_ITEMS,
    MAX_TEXT,
    Returned,
    describe,
    from_wire,
    to_wire,
)


class Pair(NamedTuple):
    left: float
    right: float


class Colour(enum.IntEnum):
    RED = 1


class Liar:
    """Says that it is a tensor, and fails at everything that a tensor can do."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return torch.Tensor

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked of an object that is no tensor")


class Endless:
    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, place: int) -> float:
        return 1.0


class LongList(list[float]):
    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, place: Any) -> Any:
        raise AssertionError("the list's own items are asked for")

    def __iter__(self) -> Iterator[float]:
        raise AssertionError("the list's own items are asked for")


class LyingArray:
    __array_interface__: ClassVar = {"data": (1, False), "shape": (10,), "typestr": "<f8", "version": 3}


class OwnTensor(torch.Tensor):
    pass


def over_the_wire(tree: Returned) -> Returned:
    tensors: dict[str, torch.Tensor] = {}
    plain = to_wire(tree, tensors)
    return from_wire(plain, tensors)


def same_tensor(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.dtype == other.dtype and torch.equal(one, other)


def equal(one: Returned, other: Returned) -> bool:
    if (one.tensor is None) != (other.tensor is None):
        return False
    if one.tensor is not None and other.tensor is not None and not same_tensor(one.tensor, other.tensor):
        return False
    same_number = one.number == other.number or (math.isnan(one.number) and math.isnan(other.number))
    fields = ("kind", "type", "text", "keys", "note")
    return (
        same_number
        and all(getattr(one, name) == getattr(other, name) for name in fields)
        and len(one.items) == len(other.items)
        and all(equal(left, right) for left, right in zip(one.items, other.items, strict=True))
    )


VALUES: list[tuple[Any, str, str]] = [
    (None, "none", "None"),
    (True, "bool", "bool"),
    (3, "number", "int"),
    (2.5, "number", "float"),
    (fractions.Fraction(2, 3), "number", "Fraction"),
    (decimal.Decimal("0.25"), "number", "Decimal"),
    ("words", "text", "str"),
    (torch.ones(2, 3), "tensor", "Tensor"),
    (torch.nn.Parameter(torch.ones(2)), "tensor", "Parameter"),
    (torch.tensor(3), "tensor", "Tensor"),
    (torch.ones(0, 4), "tensor", "Tensor"),
    (torch.ones(2, dtype=torch.bfloat16), "tensor", "Tensor"),
    (torch.ones(2, dtype=torch.bool), "tensor", "Tensor"),
    (np.ones((2, 2)), "array", "ndarray"),
    (np.ones(2, dtype=np.float32), "array", "ndarray"),
    (np.float32(0.5), "array", "float32"),
    (np.int64(4), "array", "int64"),
    (np.bool_(True), "array", type(np.bool_(True)).__name__),  # bool_ or bool, as numpy calls it
    ([1, 2], "sequence", "list"),
    ((1.0, [2.0]), "sequence", "tuple"),
    (Pair(1.0, 2.0), "sequence", "Pair"),
    (torch.Size([4, 7]), "sequence", "Size"),
    ({"output": 1}, "dict", "dict"),
    (collections.OrderedDict(a=1), "dict", "OrderedDict"),
]


@pytest.mark.parametrize(("value", "kind", "type_name"), VALUES, ids=lambda value: str(value)[:30])
def test_a_value_is_told_by_its_kind_and_its_type(value: Any, kind: str, type_name: str) -> None:
    tree = describe(value)
    assert (tree.kind, tree.type) == (kind, type_name)
    assert equal(over_the_wire(tree), tree)


OTHERS: list[Any] = [
    1 + 2j,
    {1, 2},
    b"bytes",
    range(3),
    (number for number in (1, 2)),
    lambda: 1,
    torch,
    int,
    Colour.RED,
    Endless(),
    LyingArray(),
    Liar(),
    torch.ones(2).as_subclass(OwnTensor),
    torch.ones(2, device="meta"),
    torch.ones(2, 2).to_sparse(),
    torch.tensor([1 + 2j]),
    np.array(["a"]),
    np.array([1 + 2j]),
    np.array([None]),
    np.array(["2020-01-01"], dtype="datetime64[D]"),
    np.zeros(2, dtype=[("a", "f8")]),
    np.ones((2, 2)).view(np.matrix),
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_described_and_not_touched(value: Any) -> None:
    tree = describe(value)
    assert tree.kind == "other"
    assert equal(over_the_wire(tree), tree)


def test_the_type_is_named_as_the_student_knows_it() -> None:
    assert describe(Liar()).type == "Liar"
    assert describe(torch.ones(2).as_subclass(OwnTensor)).type == "OwnTensor"


def test_a_type_whose_name_cannot_be_read_has_a_name() -> None:
    class Odd(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise SystemExit

    assert describe(Odd("Nameless", (), {})()).kind == "other"


def test_values_are_cut_from_their_graph_and_from_later_changes() -> None:
    value = torch.ones(3, requires_grad=True) * 2
    tree = describe(value)
    with torch.no_grad():
        value += 1
    assert tree.tensor is not None
    assert not tree.tensor.requires_grad
    assert tree.tensor.tolist() == [2, 2, 2]


def test_lazy_views_have_their_own_values() -> None:
    complex_ones = torch.tensor([1 + 2j, 3 - 4j])
    views = {
        "negated": complex_ones.conj().imag,
        "transposed": torch.arange(6.0).reshape(2, 3).mT,
        "expanded": torch.ones(1).expand(4),
        "strided": torch.arange(6.0)[::2],
    }
    for name, view in views.items():
        tree = over_the_wire(describe(view))
        assert tree.tensor is not None, name
        assert tree.tensor.is_contiguous(), name
        assert not tree.tensor.is_neg(), name
        assert tree.tensor.tolist() == view.tolist(), name


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f4", "<i2", "u1", "f2", "longdouble"])
def test_arrays_of_any_layout_are_read(order: Any, dtype: str) -> None:
    tree = describe(np.array([[1, 2, 3], [4, 5, 6]], dtype=dtype, order=order))
    assert tree.tensor is not None
    assert tree.tensor.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_an_array_turned_around_is_read() -> None:
    tree = describe(np.arange(4.0)[::-1])
    assert tree.tensor is not None
    assert tree.tensor.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("value", [10**400, -(10**400), fractions.Fraction(10**400), decimal.Decimal("1e999")])
def test_a_number_too_large_for_a_float_is_infinite(value: Any) -> None:
    assert math.isinf(describe(value).number)


def test_a_tensor_without_storage_is_not_read() -> None:
    value = torch.ones(100)
    value.untyped_storage().resize_(0)
    tree = describe(value)
    assert (tree.kind, tree.tensor) == ("other", None)
    assert tree.note


def test_a_tensor_whose_storage_is_too_short_is_not_read() -> None:
    value = torch.ones(100)
    value.untyped_storage().resize_(8)
    assert describe(value).kind == "other"


@pytest.mark.parametrize("value", [torch.ones(1).expand(MAX_ELEMENTS + 1), np.broadcast_to(1.0, (MAX_ELEMENTS + 1,))])
def test_what_is_too_large_is_not_read(value: Any) -> None:
    tree = describe(value)
    assert tree.kind == "other"
    assert str(MAX_ELEMENTS + 1) in tree.note


def test_many_large_tensors_are_not_all_read() -> None:
    """One reply has a limit in bytes: what does not fit must be told, not end the worker."""
    large = torch.ones(1, dtype=torch.float64).expand(MAX_ELEMENTS)
    tree = describe([large] * 5)
    read = sum(item.tensor.numel() for item in tree.items if item.tensor is not None)
    assert read * 8 < 64 * 2**20


def count(tree: Returned) -> int:
    return 1 + sum(count(item) for item in tree.items)


def depth(tree: Returned) -> int:
    return 1 + max((depth(item) for item in tree.items), default=0)


def nested(times: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(times):
        value = [value, value]
    return value


def holds_itself() -> list[Any]:
    value: list[Any] = []
    value += [value, value]
    return value


def dict_that_holds_itself() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


@pytest.mark.parametrize(
    "value",
    [
        holds_itself(),
        dict_that_holds_itself(),
        nested(1000),
        [0] * (10 * MAX_ITEMS),
        dict.fromkeys(range(10 * MAX_ITEMS)),
    ],
    ids=["list in itself", "dict in itself", "deep", "long list", "long dict"],
)
def test_deep_and_long_structures_end(value: Any) -> None:
    tree = describe(value)
    assert count(tree) <= 2 * MAX_ITEMS + 2
    assert depth(tree) <= MAX_DEPTH + 2
    assert count(over_the_wire(tree)) == count(tree)


def test_a_list_that_lies_about_its_length_has_its_own_items() -> None:
    assert [item.number for item in describe(LongList([1.0, 2.0])).items] == [1.0, 2.0]


def test_long_texts_and_keys_are_cut() -> None:
    assert len(describe("x" * 1_000_000).text) == MAX_TEXT
    assert len(describe({"x" * 1_000_000: 1}).keys[0]) == MAX_TEXT


def test_half_characters_become_printable() -> None:
    assert describe("\ud800").text == "\ufffd"


# --- the wire -----------------------------------------------------------------------------------------

WRONG: list[Any] = [
    None,
    [],
    "number",
    {},
    {"kind": "unknown"},
    {"kind": ["number"]},
    {"kind": "number", "number": "1"},
    {"kind": "number", "number": True},
    {"kind": "number", "number": None},
    {"kind": "number", "number": [1]},
    {"kind": "sequence", "items": {"0": {"kind": "none"}}},
    {"kind": "sequence", "items": [5]},
    {"kind": "dict", "items": [], "keys": "ab"},
    {"kind": "tensor"},
    {"kind": "tensor", "tensor": "t1"},
    {"kind": "tensor", "tensor": []},
    {"kind": "array"},
    {"kind": "number", "tensor": "t0"},
]


@pytest.mark.parametrize("plain", WRONG, ids=str)
def test_what_is_no_description_is_refused(plain: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_wire(plain, {"t0": torch.ones(1)})


def test_a_description_that_is_too_deep_is_refused() -> None:
    plain: dict[str, Any] = {"kind": "none"}
    for _ in range(500):
        plain = {"kind": "sequence", "items": [plain]}
    with pytest.raises(ValueError, match=r"."):
        from_wire(plain, {})


def test_a_description_with_more_items_than_a_worker_sends_is_refused() -> None:
    plain = {"kind": "sequence", "items": [{"kind": "none"}] * (4 * MAX_ITEMS)}
    with pytest.raises(ValueError, match=r"."):
        from_wire(plain, {})


def test_texts_that_a_worker_would_have_cut_are_cut() -> None:
    long = "x" * 100_000
    plain = {"kind": "dict", "type": long, "text": long, "note": long, "keys": [long], "items": [{"kind": "none"}]}
    tree = from_wire(plain, {})
    assert {len(text) for text in (tree.type, tree.text, tree.note, *tree.keys)} == {MAX_TEXT}


@pytest.mark.parametrize("number", [math.nan, math.inf, 10**400, -3, 2.5])
def test_any_number_of_json_is_read(number: Any) -> None:
    assert isinstance(from_wire({"kind": "number", "number": number}, {}).number, float)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(returned.KINDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "type", "tensor", "number", "text", "items", "keys", "note"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(json_values)
def test_whatever_json_comes_it_is_read_or_refused(plain: Any) -> None:
    try:
        assert isinstance(from_wire(plain, {"t0": torch.ones(1)}), Returned)
    except ValueError:
        pass


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.fractions(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(plain_values)
def test_whatever_is_described_comes_back_from_the_wire(value: Any) -> None:
    tree = describe(value)
    assert equal(over_the_wire(tree), tree)


def test_a_tensor_of_axes_that_no_array_has_is_told_by_its_type() -> None:
    tree = describe(torch.empty(0).new_empty((0, 2**62)))
    assert (tree.kind, tree.note) == ("other", "with axes too long to read")
