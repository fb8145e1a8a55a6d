"""Predict, then run: what comes out shows itself once a guess is there."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.student.guess import guess_card

RESULT = torch.tensor([0.75, 1.0])


def words(guess: Any, *results: Any) -> str:
    return guess_card(guess, results or [RESULT]).text()


def test_without_a_guess_nothing_comes_out() -> None:
    assert words("  ") == words(None)
    text = words(None)
    assert "What do you expect?" in text
    assert "0.75" not in text


@pytest.mark.parametrize("guess", [[0.74, 1.01], [0.75, 1], (0.75, 1.0), RESULT, ["3/4", 1], [0.751, 1]])
def test_a_guess_in_numbers_that_is_near_is_said_to_be(guess: Any) -> None:
    assert words(guess).endswith("tensor([0.7500, 1.0000])\n→ As you expected.")


@pytest.mark.parametrize("guess", [[0.7, 1], [[0.5, 1]], ["1/2", 1]])
def test_a_guess_in_numbers_that_is_not_near_asks_to_read_again(guess: Any) -> None:
    assert words(guess).endswith("→ Not what you expected: read the text above it once more.")


@pytest.mark.parametrize(
    ("guess", "says"),
    [
        (0.75, "What you expected is among what came out."),
        ([1.0], "What you expected is among what came out."),
        ([1.0, 1.0, 1.0], "You expected 3 numbers, and 2 numbers came out: read the text above it once more."),
        (0.5, "What you expected is not among what came out: read the text above it once more."),
        ([0.75, 1, 3], "You expected 3 numbers, and 2 numbers came out: read the text above it once more."),
    ],
)
def test_a_guess_of_another_count_of_numbers_is_told_so_or_looked_for_among_them(guess: Any, says: str) -> None:
    assert words(guess).endswith(f"→ {says}")


@pytest.mark.parametrize("guess", ["it grows", "?", [True], object(), {"a": 1}, float("nan"), [], torch.ones(0)])
def test_a_guess_in_words_is_not_judged(guess: Any) -> None:
    text = words(guess)
    assert "tensor([0.7500, 1.0000])" in text
    assert "→" not in text


@pytest.mark.parametrize("count", [1, 9_000])
def test_a_guess_is_not_looked_for_among_very_many_numbers(count: int) -> None:
    assert "→" not in words([1.0] * count, torch.ones(9_990))


def test_a_number_that_came_out_once_is_found_once() -> None:
    assert words([1, 1], torch.tensor([0.75, 1.0, 5.0])).endswith(
        "→ What you expected is not among what came out: read the text above it once more."
    )


def test_a_guess_in_numbers_is_not_judged_against_words() -> None:
    assert "→" not in words(3, "d = 4")


def test_a_guess_is_not_judged_against_several_results() -> None:
    assert "→" not in words(0.75, torch.tensor(0.25), torch.tensor(0.5))


def test_an_interruption_is_left_to_whoever_asked_for_it() -> None:
    class Slow:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guess_card(Slow(), [1])


GUESSES = {  # right ones, as a student might write them
    "average": [1, 1],
    "came_out": [2, 3, 3],
    "matches": [1, 0, 1],
    "*lines": "the dot products grow, the scaled ones stay",
    "torch.softmax(": 1,
    "torch.exp(": "inf",
    "weights_of_position_0 @ V,": 0.4011,
    "[tuple(": [(6, 9), (9, 3), (9, 6)],
    "shared @ shared.T": -1,
    "two_weights @ two_values": [0, 0],
    'f"w.grad': "grows",
}


def test_no_right_guess_of_the_lesson_is_told_to_be_another() -> None:
    cells = [cell for cell in code_cells("l10_attention") if "\nreveal(" in cell]
    assert len(cells) == len(GUESSES)
    names: dict[str, Any] = {"math": math, "torch": torch}
    for cell, (start, guess) in zip(cells, GUESSES.items(), strict=True):
        assert start in cell
        told: list[str] = []
        names["reveal"] = lambda expected, *results, told=told: told.append(guess_card(expected, results).text())
        exec(WORKED + cell.replace("my_guess = None", f"my_guess = {guess!r}"), names)
        assert told
        assert "read the text above" not in told[0]


WORKED = """
Q = K = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
V = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])
"""


def code_cells(assignment: str) -> list[str]:
    path = Path(__file__).parent.parent / "exercises" / assignment / "attention.ipynb"
    document = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]


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
    assert "something that cannot be shown" in words("?", names["Odd"]())


def test_a_long_result_is_cut() -> None:
    assert len(words("?", "x" * 1_000_000)) < 11_000


def test_what_is_shown_is_escaped() -> None:
    html = guess_card("<b>", ["<i>"]).html()
    assert "&lt;b&gt;" in html
    assert "&lt;i&gt;" in html
    assert "<i>" not in html
