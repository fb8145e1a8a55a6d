"""What came back against what should have: the first miss of the ladder is told, and nothing is broadcast."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import torch

from grader.observing.compare import TOLERANCES, Expected, call_text, close, compare, parts_of
from grader.observing.outcome import Finding
from grader.observing.returned import describe

RIGHT = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
CALL = "f(x[2, 3])"


def single(dtype: torch.dtype = torch.float64, **more: Any) -> Expected:
    return Expected(CALL, {"result": RIGHT}, dtype, single=True, **more)


def triple(dtype: torch.dtype = torch.float64) -> Expected:
    parts = {"output": RIGHT, "scores": RIGHT + 1, "weights": RIGHT + 2}
    return Expected(CALL, parts, dtype, axes={"output": "queries, columns of v"})


def miss(value: Any, expected: Expected, *only: str) -> Finding:
    found = compare(describe(value), expected, only)
    assert found is not None
    return found


def test_the_right_value_has_no_miss() -> None:
    assert compare(describe(RIGHT.clone()), single()) is None
    assert compare(describe((RIGHT, RIGHT + 1, RIGHT + 2)), triple()) is None


@pytest.mark.parametrize("kind", [tuple, list, collections.namedtuple("Three", "output scores weights")._make])  # type: ignore[misc]
def test_parts_may_come_in_any_sequence(kind: Any) -> None:
    assert compare(describe(kind([RIGHT, RIGHT + 1, RIGHT + 2])), triple()) is None


@pytest.mark.parametrize(
    ("value", "stage"),
    [
        (None, "type"),
        (3.0, "type"),
        ([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], "type"),
        (RIGHT.numpy(), "type"),
        (RIGHT.mT, "shape"),
        (RIGHT[0], "shape"),
        (RIGHT[None], "shape"),
        (torch.zeros(()), "shape"),
        (RIGHT.float(), "dtype"),
        (RIGHT.long(), "dtype"),
        (torch.full_like(RIGHT, torch.nan), "nan"),
        (RIGHT / 0, "nan"),
        (RIGHT + 1e-3, "values"),
        (torch.zeros_like(RIGHT), "values"),
    ],
    ids=lambda value: str(value)[:25],
)
def test_the_first_miss_of_the_ladder_is_told(value: Any, stage: str) -> None:
    assert miss(value, single()).stage == stage


def test_a_shape_comes_before_a_dtype_and_a_dtype_before_values() -> None:
    assert miss(RIGHT.mT.long(), single()).stage == "shape"
    assert miss((RIGHT + torch.nan).float(), single()).stage == "dtype"


@pytest.mark.parametrize("value", [torch.zeros(1, 1), torch.zeros(3), torch.zeros(1, 3), torch.zeros(2, 1)])
def test_nothing_is_broadcast(value: torch.Tensor) -> None:
    zeros = Expected(CALL, {"result": torch.zeros(2, 3)}, torch.float32, single=True)
    assert miss(value, zeros).stage == "shape"


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,)])
def test_emptiness_needs_the_right_shape_too(shape: tuple[int, ...]) -> None:
    empty = Expected(CALL, {"result": torch.zeros(0, 5)}, torch.float32, single=True)
    assert compare(describe(torch.zeros(0, 5)), empty) is None
    assert miss(torch.zeros(shape), empty).stage == "shape"


@pytest.mark.parametrize(("dtype", "tolerances"), TOLERANCES.items(), ids=str)
def test_tolerances_are_those_of_torch_and_at_least_a_millionth(
    dtype: torch.dtype, tolerances: tuple[float, float]
) -> None:
    rtol, atol = torch.testing._comparison.default_tolerances(dtype)
    assert tolerances[0] >= max(rtol, 1e-6)
    assert tolerances[1] >= max(atol, 1e-6)
    assert max(tolerances) <= max(rtol, atol, 1e-6)


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_a_result_rounded_to_its_dtype_is_right(dtype: torch.dtype) -> None:
    wanted = torch.linspace(-3, 3, 50, dtype=torch.float64) / 7
    expected = Expected(CALL, {"result": wanted}, dtype, single=True)
    assert compare(describe(wanted.to(dtype)), expected) is None


def test_a_tolerance_of_its_own_replaces_that_of_the_dtype() -> None:
    assert compare(describe(RIGHT + 1e-3), single(tolerance=1e-2)) is None
    assert miss(RIGHT + 1e-3, single(tolerance=1e-5)).stage == "values"


@pytest.mark.parametrize("other", [torch.float32, torch.float16, torch.int64])
def test_dtypes_may_differ(other: torch.dtype) -> None:
    one = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert close(one, one.to(other), torch.float64).all()
    assert not close(one.to(other) + 1, one, other).any()


def test_nan_is_never_close() -> None:
    nan, one = torch.tensor([torch.nan]), torch.ones(1)
    assert not close(nan, one, torch.float64).any()
    assert not close(one, nan, torch.float64).any()


def test_only_some_parts_are_compared_where_asked() -> None:
    value = (RIGHT, RIGHT, RIGHT + 2)
    assert compare(describe(value), triple(), ("output", "weights")) is None
    assert miss(value, triple(), "scores").part == "scores"


@pytest.mark.parametrize(
    "value",
    [
        None,
        RIGHT,
        (),
        (RIGHT,),
        (RIGHT, RIGHT),
        (RIGHT,) * 4,
        {"output": RIGHT, "scores": RIGHT, "weights": RIGHT},
        "abc",
    ],
    ids=["None", "tensor", "empty", "one", "two", "four", "dict", "text"],
)
def test_another_number_of_parts_is_a_type_miss(value: Any) -> None:
    found = miss(value, triple())
    assert found.stage == "type"
    assert "(output, scores, weights)" in found.message


def test_one_tensor_with_three_rows_is_not_three_parts() -> None:
    assert miss(torch.zeros(3, 2, 3), triple()).stage == "type"


def test_parts_are_known_by_their_names() -> None:
    parts = parts_of(describe((RIGHT, RIGHT + 1, RIGHT + 2)), triple())
    assert isinstance(parts, dict)
    assert list(parts) == ["output", "scores", "weights"]


# --- sentences ----------------------------------------------------------------------------------------


def test_a_shape_is_told_with_what_its_axes_are() -> None:
    text = miss((RIGHT.mT, RIGHT + 1, RIGHT + 2), triple()).message
    assert CALL in text
    assert "[3, 2]" in text
    assert "[2, 3] (queries, columns of v)" in text


def test_the_first_wrong_number_is_told() -> None:
    value = RIGHT.clone()
    value[1, 2] = 7
    text = miss(value, single()).message
    assert "1 of 6 places" in text
    assert "[1, 2] is 7.0000, expected 5.0000" in text


def test_a_single_number_has_no_place() -> None:
    expected = Expected(CALL, {"result": torch.tensor(2.0)}, torch.float32, single=True)
    assert "is 3.0000, expected 2.0000" in miss(torch.tensor(3.0), expected).message


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "x" * 1000,
        {},
        {1},
        RIGHT.numpy(),
        RIGHT.mT,
        RIGHT.float(),
        RIGHT + torch.nan,
        RIGHT + 1,
        torch.ones(2).to_sparse(),
    ],
    ids=lambda value: str(value)[:25],
)
@pytest.mark.parametrize("expected", [single(), triple()], ids=["one", "three"])
def test_every_miss_is_one_calm_sentence(value: Any, expected: Expected) -> None:
    text = miss(value, expected).message
    assert text.endswith((".", "?"))
    assert "!" not in text
    assert "\n" not in text
    assert len(text) < 300


def test_a_call_is_told_with_shapes_instead_of_numbers() -> None:
    text = call_text("mix_rows", ("rows", "proportions"), (torch.rand(4, 3), None))
    assert text == "mix_rows(rows[4, 3], proportions=None)"
