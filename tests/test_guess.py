"""Predict, then run: what comes out shows itself once a guess is there."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.student.card import Card
from grader.student.guess import guess_card

RESULT = torch.tensor([0.75, 1.0])


def words(guess: Any, *results: Any) -> str:
    return guess_card(guess, results or [RESULT]).text()


def test_without_a_guess_nothing_comes_out() -> None:
    text = words(None)
    assert "What do you expect?" in text
    assert "0.75" not in text


@pytest.mark.parametrize("guess", [[0.75, 1], (0.75, 1.0), RESULT, ["3/4", 1], [0.751, 1]])
def test_a_guess_in_numbers_that_is_near_is_said_to_be(guess: Any) -> None:
    assert words(guess).endswith("tensor([0.7500, 1.0000])\n→ As you expected.")


@pytest.mark.parametrize("guess", [[0.7, 1], 0.75, [0.75, 1, 0], [[0.5, 1]]])
def test_a_guess_in_numbers_that_is_not_near_asks_to_read_again(guess: Any) -> None:
    assert words(guess).endswith("→ Not what you expected. What does the text say of it?")


@pytest.mark.parametrize("guess", ["it grows", "?", [True], object(), {"a": 1}, float("nan")])
def test_a_guess_in_words_is_not_judged(guess: Any) -> None:
    text = words(guess)
    assert "tensor([0.7500, 1.0000])" in text
    assert "→" not in text


def test_a_guess_in_numbers_is_not_judged_against_words() -> None:
    assert "→" not in words(3, "d = 4")


def test_several_results_stand_below_each_other() -> None:
    assert words("?", RESULT, "and a line", [(6, 9), (9, 3)]).splitlines() == [
        "You expected: ?",
        "tensor([0.7500, 1.0000])",
        "and a line",
        "[(6, 9), (9, 3)]",
    ]


@pytest.mark.parametrize("end", ["raise ValueError", "raise SystemExit", "return 3"])
def test_a_guess_that_cannot_be_shown_is_none_of_our_mistakes(end: str) -> None:
    names: dict[str, Any] = {}
    exec(f"class Odd:\n    def __repr__(self):\n        {end}", names)
    assert "something that cannot be shown" in words(names["Odd"]())


def test_what_is_shown_is_escaped() -> None:
    card = guess_card("<b>", ["<i>"])
    assert isinstance(card, Card)
    assert "<b>" not in card.html()
    assert "<i>" not in card.html()
