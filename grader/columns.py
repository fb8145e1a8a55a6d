"""Blocks of text beside each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

GAP = 4  # columns between two blocks


def beside(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Lines in which each block is as wide as its widest line; a shorter block ends in empty lines."""
    widths = [max(map(len, block), default=0) for block in blocks]
    lines = itertools.zip_longest(*blocks, fillvalue="")
    return [
        (" " * GAP).join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
