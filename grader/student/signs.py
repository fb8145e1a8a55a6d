"""How the state of a question looks: a sign, a colour in the terminal, and one for its edge in a notebook."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """`colour` is one of pytest's words for it, `edge` is CSS."""

    sign: str
    colour: str
    edge: str


NOTHING = Look("·", "light", "#8a8a8a")  # nothing was checked, or nothing there to check
LOOKS = {
    "passed": Look("●", "green", "#2e9e5b"),
    "answered": Look("○", "green", "#2e9e5b"),  # hollow: nobody has looked whether it is right
    "begun": Look("◐", "yellow", "#c98a00"),
    "failed": Look("✗", "red", "#d1495b"),
    "crashed": Look("!", "red", "#d1495b"),
    "timed out": Look("⧗", "red", "#d1495b"),
}
PLAIN = str.maketrans("●○◐✗⧗·", "#o~xT.")  # for terminals with few letters


def look_of(word: str) -> Look:
    """The look of a status in a word, as `Tally.word` has it."""
    return LOOKS.get(word, NOTHING)
