"""Small pieces of English that several sentences share."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # the direction of writing
ENDING = "\u2028\u2029"  # a line
OUR_MISTAKE = "This is our mistake, not yours, and costs you nothing. Please tell your instructor:"


def joined(words: Sequence[str]) -> str:
    """`q`, `q and k`, `q, k and v`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, noun: str) -> str:
    """`1 mistake`, `3 mistakes`, `2 copies`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def with_article(noun: str) -> str:
    """`a dict`, `an int`."""
    return f"{'an' if noun[:1].lower() in tuple('aeio') else 'a'} {noun}"


def capital(sentence: str) -> str:
    """With a capital letter at its start, and the rest as it is."""
    return sentence[:1].upper() + sentence[1:]


def printable(text: str) -> str:
    """The text without what would steer a terminal, or show letters in another order than they stand."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if _steers(sign) else sign for sign in text)


def _steers(sign: str) -> bool:
    if sign in "\n\t":
        return False
    return sign in TURNING or sign in ENDING or unicodedata.category(sign) in ("Cc", "Cs")


def first_line(text: str, longest: int = 300) -> str:
    """The first line that says anything, shortened."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
