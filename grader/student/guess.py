"""Predict, then run: a result that shows itself once the student has written down what they expect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grader.observing.calling import safely_described
from grader.observing.numbers import NotNumbers, read_numbers
from grader.student.card import Card
from grader.wording import counted, first_line

LONGEST = 10_000  # characters
NEAR = 0.01 + 1e-9  # a guess is made in the head
MOST = 1_000  # numbers among which a guess is looked for
READ_AGAIN = "read the text above it once more."


def guess_card(guess: Any, results: Sequence[Any]) -> Card:
    """The results below the guess, or a request for one where it is None."""
    if guess is None or (type(guess) is str and not guess.strip()):
        return Card(
            lines=["What do you expect? Any guess will do: nothing here is graded."],
            step="Write it in place of `None` and run this cell again: then it shows what comes out.",
        )
    card = Card(lines=[f"You expected: {_said(guess)}"], block=[_shown(result) for result in results])
    if len(results) == 1:
        card.step = _agreement(guess, results[0])
    return card


def _said(guess: Any) -> str:
    return first_line(" ".join((guess if type(guess) is str else _shown(guess, repr)).split()), 200)


def _shown(value: Any, written: Callable[[Any], str] = str) -> str:
    """As print() would show it, up to a length."""
    try:
        text = written(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object of the student's, which may do anything
        return f"something that cannot be shown ({type(error).__name__})"


def _agreement(guess: Any, result: Any) -> str:
    """Whether they agree, number by number; of fewer numbers, whether they are among those that came out; of more, that
    they are more. "" where there are no numbers to compare.
    """
    try:
        expected, came = (list(read_numbers(safely_described(value)).values) for value in (guess, result))
    except NotNumbers:
        return ""
    if not expected or len(expected) < len(came) > MOST:
        return ""
    if len(expected) > len(came):
        counts = counted(len(expected), "number"), counted(len(came), "number")
        return f"You expected {counts[0]}, and {counts[1]} came out: {READ_AGAIN}"
    if len(expected) < len(came):
        among = _among(expected, came)
        return f"What you expected is {'among what came out.' if among else f'not among what came out: {READ_AGAIN}'}"
    as_expected = all(_near(one, other) for one, other in zip(expected, came, strict=True))
    return "As you expected." if as_expected else f"Not what you expected: {READ_AGAIN}"


def _among(few: Sequence[float], many: Sequence[float]) -> bool:
    """Whether each of the few is near another one of the many."""
    left = list(many)
    for one in few:
        found = next((place for place, other in enumerate(left) if _near(one, other)), None)
        if found is None:
            return False
        del left[found]
    return True


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= NEAR * max(1.0, abs(other))
