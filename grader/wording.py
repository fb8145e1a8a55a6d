"""Small pieces of English that several sentences share."""

from __future__ import annotations

from collections.abc import Sequence

OUR_MISTAKE = "This is our mistake, not yours, and costs you nothing. Please tell your instructor:"


def joined(words: Sequence[str]) -> str:
    """`q`, `q and k`, `q, k and v`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_article(noun: str) -> str:
    """`a dict`, `an int`."""
    return f"{'an' if noun[:1].lower() in tuple('aeio') else 'a'} {noun}"


def first_line(text: str, longest: int = 300) -> str:
    """The first line that says anything, shortened."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
