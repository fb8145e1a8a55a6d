"""Predict, then run: a result that shows itself once the student has written down what they expect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grader.observing.calling import safely_described
from grader.observing.numbers import NotNumbers, read_numbers
from grader.student.card import Card
from grader.wording import first_line

LONGEST = 10_000  # characters
NEAR = 0.01  # a guess is made in the head


def guess_card(guess: Any, results: Sequence[Any]) -> Card:
    """The results below the guess, or a request for one where it is None."""
    if guess is None or (type(guess) is str and not guess.strip()):
        return Card(
            lines=["What do you expect? Any guess will do: nothing here is graded."],
            step="Write it in place of `None` and run this cell again: then it shows what comes out.",
        )
    card = Card(lines=[f"You expected: {_said(guess)}"], block=[_shown(result) for result in results])
    near = _near(guess, results[0]) if len(results) == 1 else None
    if near is not None:
        card.step = "As you expected." if near else "Not what you expected: read the text above it once more."
    return card


def _said(guess: Any) -> str:
    return first_line(guess if type(guess) is str else _shown(guess, repr), 200)


def _shown(value: Any, written: Callable[[Any], str] = str) -> str:
    """As print() would show it, up to a length."""
    try:
        text = written(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object of the student's, which may do anything
        return f"something that cannot be shown ({type(error).__name__})"


def _near(guess: Any, result: Any) -> bool | None:
    """Whether they agree, number by number; None where one of them is in words or holds another count of numbers."""
    try:
        expected, came = (read_numbers(safely_described(value)).values for value in (guess, result))
    except NotNumbers:
        return None
    if len(expected) != len(came):
        return None
    return all(abs(one - other) <= NEAR for one, other in zip(expected, came, strict=True))
