"""The forms in which a number may be given, the ones that are refused, and how near is near enough."""

from __future__ import annotations

import decimal
import fractions
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.observing.numbers import NotNumbers, Numbers, read_numbers, right_decimals, within
from grader.observing.returned import Returned, describe

ACCEPTED: list[tuple[Any, tuple[float, ...], tuple[int, ...]]] = [
    (3, (3.0,), ()),
    (-0.5, (-0.5,), ()),
    (fractions.Fraction(2, 3), (2 / 3,), ()),
    (decimal.Decimal("0.25"), (0.25,), ()),
    ("2/3", (2 / 3,), ()),
    (" 2 / 3 ", (2 / 3,), ()),
    ("-1/4", (-0.25,), ()),
    ("0.8022", (0.8022,), ()),
    (".5", (0.5,), ()),
    ("1e-3", (0.001,), ()),
    ("0,8022", (0.8022,), ()),
    (np.float32(0.5), (0.5,), ()),
    (np.int64(7), (7.0,), ()),
    (np.array(0.5), (0.5,), ()),
    (np.array([1, 2]), (1.0, 2.0), (2,)),
    (np.array([[1.5], [2.5]], dtype=np.float16), (1.5, 2.5), (2, 1)),
    (torch.tensor(0.25), (0.25,), ()),
    (torch.tensor([1, 2, 3]), (1.0, 2.0, 3.0), (3,)),
    (torch.tensor([0.5], dtype=torch.bfloat16), (0.5,), (1,)),
    (torch.tensor([0.5], requires_grad=True), (0.5,), (1,)),
    (torch.nn.Parameter(torch.tensor([0.5])), (0.5,), (1,)),
    (torch.Size([4, 7]), (4.0, 7.0), (2,)),
    ([1, 2.5], (1.0, 2.5), (2,)),
    ((1, 2), (1.0, 2.0), (2,)),
    ([[1, 2], [3, 4]], (1.0, 2.0, 3.0, 4.0), (2, 2)),
    ([(1, 2), [3, 4]], (1.0, 2.0, 3.0, 4.0), (2, 2)),
    (["1/3", "0.5", 1], (1 / 3, 0.5, 1.0), (3,)),
    ([torch.tensor(1.0), np.float64(2.0), 3], (1.0, 2.0, 3.0), (3,)),
    ([torch.tensor([1.0, 2.0]), [3, 4]], (1.0, 2.0, 3.0, 4.0), (2, 2)),
    ([5], (5.0,), (1,)),
]

REFUSED: list[Any] = [
    True,
    False,
    np.bool_(True),
    torch.tensor([True]),
    [True, False],
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    torch.tensor([math.nan]),
    np.array([1.0, math.inf]),
    [1.0, math.nan],
    decimal.Decimal("NaN"),
    1 + 2j,
    torch.tensor([1 + 2j]),
    np.array([1 + 2j]),
    "",
    "  ",
    "two thirds",
    "2/0",
    "1/2/3",
    "nan",
    "inf",
    "50%",
    "1,2,3",
    "[1, 2]",
    "0x10",
    "__import__('os')",
    np.array(["1"]),
    None,
    [None, 1],
    [1, [2, 3]],
    [[1, 2], [3]],
    {"a": 1},
    {1, 2},
    range(3),
    b"1",
    (number for number in (1, 2)),
    len,
    torch,
    torch.ones(2, device="meta"),
    torch.ones(2).to_sparse(),
    torch.zeros(10_001),
]


@pytest.mark.parametrize(("value", "values", "shape"), ACCEPTED, ids=lambda value: str(value)[:30])
def test_a_form_of_a_number_is_accepted(value: Any, values: tuple[float, ...], shape: tuple[int, ...]) -> None:
    assert read_numbers(describe(value)) == Numbers(values, shape)


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: f"{type(value).__name__} {str(value)[:25]}")
def test_a_form_that_is_no_number_is_refused_with_a_sentence(value: Any) -> None:
    with pytest.raises(NotNumbers) as refused:
        read_numbers(describe(value))
    text = f"NAME {refused.value}."
    assert "\n" not in text
    assert len(text) < 160
    assert ".." not in text


def test_a_number_in_words_of_any_size_is_read_at_once() -> None:
    """`Fraction("1e999999999")` alone would keep the grader busy for hours."""
    texts = ["1e999999999", "-1e999999999", "1e-999999999", "1/1e999999999", "9" * 199, "1e5", "1e-5"]
    code = (
        "import sys; from grader.observing.numbers import *; from grader.observing.returned import Returned\n"
        "for text in sys.argv[1:]:\n"
        "    try: print(read_numbers(Returned('text', text=text)))\n"
        "    except NotNumbers: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *texts], check=True, timeout=30, stdout=subprocess.PIPE, text=True
    )
    assert done.stdout.split()[-2:] == ["100000", "1e-05"]


@given(st.text(max_size=30))
def test_any_text_is_a_finite_number_or_refused(text: str) -> None:
    if "e" in text.lower():
        return  # the test above
    try:
        assert math.isfinite(read_numbers(Returned("text", "str", text=text)).values[0])
    except NotNumbers:
        pass


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_means_the_same_in_each_form(number: float) -> None:
    forms = [number, torch.tensor(number, dtype=torch.float64), np.float64(number), fractions.Fraction(number)]
    assert {read_numbers(describe(form)).values for form in forms} == {(number,)}


def test_numbers_are_shown_as_they_would_be_written() -> None:
    assert str(Numbers((0.8022,), ())) == "0.8022"
    assert str(Numbers((1.0, 2.5), (2,))) == "[1, 2.5]"
    assert len(str(Numbers((0.123456789,) * 1000, (1000,)))) < 150


# --- near enough --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.8022, 0.80224, 0.80216, 0.80221])
def test_half_a_unit_of_the_last_decimal_is_near_enough(value: float) -> None:
    assert within(value, 0.8022, 4)


@pytest.mark.parametrize("value", [0.8023, 0.8021, 0.802, 0.80226, 0.80214, 0.0])
def test_more_than_half_a_unit_is_not(value: float) -> None:
    assert not within(value, 0.8022, 4)


@given(st.floats(-1000, 1000), st.integers(1, 6))
def test_the_answer_rounded_to_the_decimals_asked_is_right(answer: float, decimals: int) -> None:
    assert within(round(answer, decimals), answer, decimals)


def test_slack_is_added_for_figures_rounded_on_the_way() -> None:
    assert within(0.8024, 0.8022, 4, slack=2e-4)
    assert not within(0.8025, 0.8022, 4, slack=2e-4)


@pytest.mark.parametrize(
    ("value", "answer", "decimals"),
    [
        (0.802, 0.80226, 3),
        (0.80, 0.8022, 2),
        (0.41, 0.4150, 2),
        (0.42, 0.4150, 2),
        (0.3, 1 / 3, 1),
        (1.67, 5 / 3, 2),
        (1.66, 5 / 3, 2),
        (0.9, 0.8022, None),
        (0.5, 0.4011, None),
        (0.8123, 0.8022, None),
        (0.7, 0.8022, None),
        (-0.80, 0.8022, None),
    ],
)
def test_fewer_decimals_are_told_as_such(value: float, answer: float, decimals: int | None) -> None:
    assert right_decimals(value, answer, 4) == decimals
