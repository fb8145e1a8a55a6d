"""Predict, then run: a result that shows itself once the student has written down what they expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.observing.calling import safely_described
from grader.observing.numbers import NotNumbers, read_numbers
from grader.student.card import Card
from grader.wording import first_line, printable

NEAR = 0.01  # a guess is made in the head


def guess_card(guess: Any, results: Sequence[Any]) -> Card:
    """The results below the guess, or a request for one where it is None."""
    if guess is None:
        return Card(
            lines=["What do you expect? Write it in place of `None`, and the cell shows what comes out."],
            step="Any guess will do: nothing here is graded.",
        )
    card = Card(lines=[f"You expected: {_said(guess)}"], block=[str(result) for result in results])
    near = _near(_numbers([guess]), _numbers(results))
    if near is not None:
        card.step = "As you expected." if near else "Not what you expected. What does the text say of it?"
    return card


def _said(guess: Any) -> str:
    try:
        return printable(first_line(guess if isinstance(guess, str) else repr(guess), 200))
    except BaseException as error:  # an object of the student's, which may do anything
        return f"something that cannot be shown ({type(error).__name__})"


def _numbers(values: Sequence[Any]) -> list[float] | None:
    """All numbers of these values, one after the other; None where one holds something else."""
    try:
        return [number for value in values for number in read_numbers(safely_described(value)).values]
    except NotNumbers:
        return None


def _near(guess: list[float] | None, results: list[float] | None) -> bool | None:
    """Whether they agree; None where one of them is in words."""
    if guess is None or results is None:
        return None
    return len(guess) == len(results) and all(
        abs(one - other) <= NEAR for one, other in zip(guess, results, strict=True)
    )
