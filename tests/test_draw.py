"""Inputs are drawn from a seed alone: known to nobody beforehand, and the same on a regrade."""

from __future__ import annotations

import math

import pytest
import torch

from grader.key.draw import Draw, secret_draw, shown_draw


def numbers(draw: Draw) -> list[float]:
    return draw.normal(4).tolist()


def test_a_regrade_sees_the_same_inputs() -> None:
    one, other = (secret_draw(b"secret", "sum", "attention", "a check") for _ in range(2))
    assert numbers(one) == numbers(other)


@pytest.mark.parametrize(
    "differently",
    [
        (b"another", "sum", "attention", "a check"),
        (b"secret", "mus", "attention", "a check"),
        (b"secret", "sum", "project", "a check"),
        (b"secret", "sum", "attention", "another check"),
        (b"secret", "suma", "ttention", "a check"),
        (b"", "sum", "attention", "a check"),
    ],
)
def test_everything_that_identifies_a_check_changes_the_inputs(differently: tuple[bytes, str, str, str]) -> None:
    assert numbers(secret_draw(b"secret", "sum", "attention", "a check")) != numbers(secret_draw(*differently))


def test_shown_inputs_are_the_same_for_everybody_and_are_not_the_scored_ones() -> None:
    shown = numbers(shown_draw("attention", "a check"))
    assert shown == numbers(shown_draw("attention", "a check"))
    assert shown != numbers(secret_draw(b"", "", "attention", "a check"))


def test_draws_neither_follow_nor_move_the_global_generator() -> None:
    torch.manual_seed(1)
    first, after = numbers(Draw(5)), torch.rand(())
    torch.manual_seed(1)
    assert torch.rand(()) == after
    assert numbers(Draw(5)) == first


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_dtype_changes_the_rounding_and_not_the_numbers(dtype: torch.dtype) -> None:
    wide, narrow = Draw(3).normal(50), Draw(3).normal(50, dtype=dtype)
    assert narrow.dtype == dtype
    assert torch.equal(wide.to(dtype), narrow)


def test_normal_numbers_have_the_scale_asked_for() -> None:
    values = Draw(7).normal(50, 40, scale=3.0)
    assert values.shape == (50, 40)
    assert abs(float(values.std()) - 3) < 0.2


def test_proportions_are_positive_differ_and_sum_to_one() -> None:
    shares = Draw(11).proportions(6, 5)
    assert bool((shares > 0).all())
    assert all(math.isclose(total, 1) for total in shares.sum(dim=-1).tolist())
    assert len({round(share, 9) for share in shares.flatten().tolist()}) == 30
