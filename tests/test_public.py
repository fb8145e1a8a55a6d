"""What public checks are written with: which sentence each wrong value gets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from grader import public
from grader.public import Miss, called

ONES = torch.ones(2, 3)


def missed(expectation: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(Miss) as raised:
        expectation(*arguments, **named)
    return str(raised.value)


def test_a_call_is_shown_with_shapes_in_place_of_numbers() -> None:
    assert called("attention", q=torch.ones(5, 6), k=torch.ones(7, 6)) == "attention(q[5, 6], k[7, 6])"


def test_figures_rounded_to_4_decimals_are_right() -> None:
    public.expect(torch.tensor([1 / 3, 2 / 3]), [0.3333, 0.6667], "f()")


def test_a_wrong_shape_names_the_call_both_shapes_and_the_axes() -> None:
    text = missed(public.expect, ONES, torch.ones(2, 4), "match_scores(q[2, 6], k[4, 6])", "queries, keys")
    assert text == "match_scores(q[2, 6], k[4, 6]) returned shape [2, 3]; expected [2, 4] (queries, keys)."


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "returned None"),
        ({"a": 1}, "a dict"),
        (np.ones(2), "numpy array"),
        (torch.ones(2, dtype=torch.float64), "float64"),
        (torch.tensor([1.0, float("nan")]), "NaN"),
        (torch.tensor([1.0, 2.0]), "expected 1.0000"),
    ],
)
def test_each_kind_of_wrong_tensor_has_its_own_words(value: object, says: str) -> None:
    assert says in missed(public.expect, value, [1.0, 1.0], "f()")


def test_a_dtype_that_was_lost_is_told() -> None:
    double = ONES.double()
    public.expect_dtype(double, torch.float64, "f(x[2, 3])")
    public.expect_dtype((double, double), torch.float64, "f(x[2, 3])", "output weights")
    lost = "f(x[2, 3]) got float64 inputs, but the result came back as float32; keep the dtype."
    assert missed(public.expect_dtype, ONES, torch.float64, "f(x[2, 3])") == lost
    lost = "f(x) got float64 inputs, but weights came back as float32; keep the dtype."
    assert missed(public.expect_dtype, (double, ONES), torch.float64, "f(x)", "output weights") == lost
    assert "expected two things" in missed(public.expect_dtype, (), torch.float64, "f(x)", "output weights")
    assert "returned None" in missed(public.expect_dtype, None, torch.float64, "f(x)")


def test_several_tensors_are_compared_in_their_order() -> None:
    wanted = {"output": [1.0], "weights": [2.0]}
    public.expect((torch.tensor([1.0]), torch.tensor([2.0])), wanted, "f()")
    assert "weights" in missed(public.expect, (torch.tensor([1.0]), torch.tensor([3.0])), wanted, "f()")
    assert "expected two things: (output, weights)" in missed(public.expect, torch.ones(2), wanted, "f()")


def test_figures_of_the_text_are_float32_whatever_the_student_made_the_default() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        public.expect(torch.tensor([1.0], dtype=torch.float32), [1.0], "f()")
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_shape_is_right_whatever_the_tensor_holds() -> None:
    public.expect_shape(torch.full((2, 3), float("nan"), dtype=torch.float64), [2, 3], "f()")
    assert "returned shape [2, 3]; expected [3, 2]" in missed(public.expect_shape, ONES, [3, 2], "f()")
    assert "an output of shape [2, 3]" in missed(public.expect_shape, [ONES], {"output": [2]}, "f()")


def test_parts_are_the_objects_that_were_returned() -> None:
    class Named(NamedTuple):
        output: torch.Tensor
        scores: torch.Tensor

    output, scores = public.parts(Named(ONES, ONES), "output scores", "f()")
    assert output is ONES
    assert scores is ONES
    assert "a list of 0 for scores" in missed(public.parts, (ONES, []), "output scores", "f()")


def test_inputs_that_no_gradient_reaches_are_named() -> None:
    q, k = (torch.ones(2, requires_grad=True) for _ in "qk")
    public.expect_gradient(q * k, "f(q, k)", q=q, k=k)
    assert "no gradient reaches k;" in missed(public.expect_gradient, q * k.detach(), "f(q, k)", q=q, k=k)
    assert "no gradient reaches q and k;" in missed(public.expect_gradient, ONES, "f(q, k)", q=q, k=k)


@pytest.mark.parametrize(
    "value", [[1, 2], (0.5, 1), torch.tensor([1.0, 2.0]), np.array([1, 2]), ["2/3", "1/3"], [Fraction(1, 3), 1]]
)
def test_two_numbers_are_accepted_in_every_form(value: object) -> None:
    assert len(public.expect_numbers(value, "FIXED_MIX", 2)) == 2


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1.0], "FIXED_MIX holds one number; 2 numbers are asked for."),
        ([1.0, None], "None"),
        ([True, 2], "True or False"),
        ([1, float("inf")], "infinite"),
        ("many", "no number"),
        (max, "holds a"),
    ],
)
def test_other_things_than_two_numbers_are_told_as_what_they_are(value: object, says: str) -> None:
    text = missed(public.expect_numbers, value, "FIXED_MIX", 2)
    assert text.startswith("FIXED_MIX ")
    assert says in text


def test_a_number_alone_may_stand_in_a_list_or_not() -> None:
    assert public.expect_numbers(0.8, "X", 1) == public.expect_numbers([0.8], "X", 1)
    assert missed(public.expect_numbers, [1, 2], "X", 1) == "X holds 2 numbers; one number is asked for."


def test_sizes_are_whole_numbers_from_1_on() -> None:
    public.expect_whole_numbers(torch.Size([3, 9]), "SIZES", 2)
    for wrong in ([3.5, 9], [3, 0], [-3, 9]):
        assert "a size is a whole number from 1 on" in missed(public.expect_whole_numbers, wrong, "SIZES", 2)


def test_weights_sum_to_1_however_they_are_rounded() -> None:
    public.expect_weights([0.33, 0.33, 0.33], "W", 3)
    assert missed(public.expect_weights, [0.5, 0.7], "W", 2) == "W sums to 1.2; the weights of a row sum to 1."
    assert "no weight is below 0" in missed(public.expect_weights, [1.5, -0.5], "W", 2)


def test_a_choice_is_one_of_the_letters() -> None:
    public.expect_choice(" b", "CHOICE", "ABC")
    for wrong in ("D", "AB", "", 3, ["A"]):
        assert 'write "A" or "B" or "C"' in missed(public.expect_choice, wrong, "CHOICE", "ABC").replace(
            "write one letter in quotation marks: ", "write "
        )


def test_a_table_has_its_rows_and_columns() -> None:
    assert public.expect_table([[1, 2], [3, 4]], "TABLE", 2, 2) == (1, 2, 3, 4)
    assert missed(public.expect_table, [1, 2, 3, 4], "TABLE", 2, 2) == (
        "TABLE has shape [4]; expected [2, 2] (2 rows of 2 numbers)."
    )
    assert "rows of different lengths" in missed(public.expect_table, [[1, 2], [3]], "TABLE", 2, 2)
