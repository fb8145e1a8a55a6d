"""Functions that take more than tables of numbers: masks, indices, whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch

from grader.key.arguments import dtype_of, widened
from grader.key.code import CodeQuestion, probe_outcome
from grader.key.draw import Draw
from grader.key.steps import Chain
from grader.key.trials import Caller, missed_in, observe

MASK = torch.tensor([[True, False], [False, True]])


def calling(function: Callable[..., Any]) -> Caller:
    return lambda asked: (probe_outcome(function, probe, seed) for probe, seed in asked)


def missed(question: CodeQuestion, function: Callable[..., Any]) -> set[str]:
    trials = [(checks, probe) for checks in question.trials() for probe in question.probes(checks[0], Draw(1))]
    return set(missed_in(observe(trials, calling(function))))


@pytest.fixture
def masked() -> CodeQuestion:
    """Fills the places of a mask with zeros, and takes the row of an index."""
    question = CodeQuestion("masked", "Masked", 2, Chain(("x", "mask", "row"), ("filled",)))

    @question.step
    def filled(x: torch.Tensor, mask: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(mask, 0.0)[row]

    @question.cases("values", 1, gradient=True, unchanged=True)
    def _(draw: Draw) -> Iterator[Sequence[Any]]:
        yield draw.normal(2, 2), MASK, torch.tensor([1, 0])

    @question.cases("dtype", 1, keeps_dtype=True)
    def _(draw: Draw) -> Iterator[Sequence[Any]]:
        yield draw.normal(2, 2, dtype=torch.float32), MASK, torch.tensor([1])

    return question


def test_masks_and_indices_stay_what_they_are() -> None:
    wide = widened((torch.ones(1, dtype=torch.float16), MASK, torch.tensor([1]), 2, None))
    assert [one.dtype for one in wide[:3]] == [torch.float64, torch.bool, torch.int64]
    assert wide[1] is not MASK
    assert wide[3:] == [2, None]
    assert dtype_of((MASK, torch.ones(1, dtype=torch.float32))) == torch.float32


def test_a_function_that_takes_a_mask_is_judged(masked: CodeQuestion) -> None:
    assert missed(masked, lambda x, mask, row: torch.where(mask, torch.zeros_like(x), x)[row]) == set()
    assert missed(masked, lambda x, mask, row: x[row]) == {"values", "dtype"}
    assert missed(masked, lambda x, mask, row: x.masked_fill(mask, 0.0).double()[row]) == {"dtype"}


def test_its_gradient_and_its_inputs_are_judged(masked: CodeQuestion) -> None:
    assert missed(masked, lambda x, mask, row: x.detach().masked_fill(mask, 0.0)[row]) == {"values"}

    def changes(x: torch.Tensor, mask: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        result = x.masked_fill(mask, 0.0)[row]
        mask.fill_(True)
        return result

    assert missed(masked, changes) == {"values"}


def test_a_function_of_whole_numbers_gives_what_the_reference_gives() -> None:
    question = CodeQuestion("total", "Total", 1, Chain(("ids",), ("sum",)))

    @question.step
    def sum(ids: torch.Tensor) -> torch.Tensor:
        return ids.sum()

    @question.cases("values", 1)
    def _(draw: Draw) -> Iterator[Sequence[Any]]:
        yield (torch.tensor([1, 2, 3]),)

    assert missed(question, lambda ids: ids.sum()) == set()
    assert missed(question, lambda ids: ids.sum().double()) == {"values"}
