"""A table whose fields are coloured by their numbers, as HTML and as plain text, alone or beside another one.

In a table of weights, rows are positions that read and columns positions that are read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import torch

from grader.columns import beside
from grader.student.picture import as_table

MOST = 20  # rows and columns that are drawn
LIGHT, BLUE, BROWN = (240, 246, 255), (10, 60, 130), (140, 60, 0)
CELL = "padding:.35em .6em;text-align:center;border:1px solid rgba(128,128,128,.35);"
HEAD = "padding:.25em .6em;text-align:center;border:0;font-weight:normal;"
WRONG = "outline:3px solid #d1495b;outline-offset:-3px;font-weight:bold;"
TABLE = "border-collapse:collapse;margin:.3em 0;font-variant-numeric:tabular-nums"
BESIDE = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 2.5em"
CAPTION = "caption-side:top;text-align:left;padding:.2em 0;color:inherit;white-space:nowrap"


@dataclass(frozen=True)
class Heat:
    """A table to draw: numbers of any shape (of a batch, the first text), what it is, and what in it is marked.

    `with_sums` adds the sum of each row to the HTML. `largest` is the number with the strongest colour, so that two
    tables have the same colour for the same number.
    """

    numbers: torch.Tensor
    caption: str = ""
    is_weights: bool = True
    with_sums: bool = True
    marked: torch.Tensor | None = None
    largest: float = 1.0

    @property
    def rows(self) -> list[list[float]]:
        """The numbers that are drawn."""
        return as_table(self.numbers)[:MOST, :MOST].to(torch.float64).tolist()

    @property
    def marks(self) -> list[list[bool]]:
        """Which of them are marked."""
        marked = torch.zeros(self.numbers.shape, dtype=torch.bool) if self.marked is None else self.marked
        return as_table(marked)[:MOST, :MOST].tolist()

    @property
    def sums(self) -> list[float]:
        """Of whole rows, what is not drawn included."""
        return as_table(self.numbers)[:MOST].to(torch.float64).sum(dim=-1).tolist()

    @property
    def row_heads(self) -> list[str]:
        """`position 0` for weights, `row 0` else, and nothing for a row alone."""
        if self.numbers.ndim < 2 and not self.is_weights:
            return [""]
        return [f"{'position' if self.is_weights else 'row'} {index}" for index in range(len(self.rows))]


# --- HTML ---------------------------------------------------------------------------------------------


def heats_html(heats: Sequence[Heat]) -> str:
    """The tables beside each other where there is room; legible on light and dark pages, with no style sheet."""
    return f'<div style="{BESIDE}">{"".join(map(heat_html, heats))}</div>'


def heat_html(heat: Heat) -> str:
    """One table."""
    head = "".join(f'<th scope="col" style="{HEAD}">{column}</th>' for column in range(len(heat.rows[0])))
    corner = "reads ↓ &nbsp; is read →" if heat.is_weights else ""
    tag = "th" if corner else "td"
    last = f'<th scope="col" style="{HEAD}">sum</th>' if heat.with_sums else ""
    rows = zip(heat.row_heads, heat.rows, heat.marks, heat.sums, strict=True)
    body = "".join(_row(heat, *row) for row in rows)
    caption = f'<caption style="{CAPTION}">{escape(heat.caption)}</caption>' if heat.caption else ""
    return (
        f'<table style="{TABLE}">{caption}<tr style="background:none"><{tag} style="{HEAD}text-align:right">{corner}'
        f"</{tag}>{head}{last}</tr>{body}</table>"
    )


def _row(heat: Heat, label: str, numbers: Sequence[float], marks: Sequence[bool], total: float) -> str:
    cells = "".join(_cell(number / heat.largest, number, wrong) for number, wrong in zip(numbers, marks, strict=True))
    first = f'<th scope="row" style="{HEAD}text-align:right">{label}</th>' if label else "<td></td>"
    last = f'<td style="{HEAD}">{_figure(total)}</td>' if heat.with_sums else ""
    return f'<tr style="background:none">{first}{cells}{last}</tr>'


def _cell(share: float, number: float, wrong: bool) -> str:
    edge, mark = (WRONG, "✗ ") if wrong else ("", "")
    return f'<td style="{CELL}{_colours(share)}{edge}">{mark}{_figure(number)}</td>'


def _colours(share: float) -> str:
    """The more, the darker: blue above 0 and brown below; the text is black or white, whichever is legible on it."""
    if not math.isfinite(share):
        return "background:rgb(90,90,90);color:#fff;"
    dark, weight = BLUE if share >= 0 else BROWN, min(abs(share), 1.0)
    red, green, blue = (round(light + (strong - light) * weight) for light, strong in zip(LIGHT, dark, strict=True))
    return f"background:rgb({red},{green},{blue});color:{'#000' if _luminance(red, green, blue) > 0.18 else '#fff'};"


def _luminance(*channels: int) -> float:
    """The relative luminance of WCAG 2, near enough; above 0.18 black text has the higher contrast."""
    red, green, blue = (float(((channel / 255 + 0.055) / 1.055) ** 2.4) for channel in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# --- text ---------------------------------------------------------------------------------------------


def heats_text(heats: Sequence[Heat]) -> str:
    """The tables beside each other; `*` marks what is wrong."""
    heads = max((heat.row_heads for heat in heats), key=len)
    labels = [*[""] * any(heat.caption for heat in heats), *(f"{head}:" if head else "" for head in heads)]
    return "\n".join(beside([*([labels] if any(labels) else []), *map(_lines, heats)]))


def _lines(heat: Heat) -> list[str]:
    """The caption and the rows, a figure as wide as the widest."""
    marked = [
        ["*" * wrong + _figure(number) for number, wrong in zip(*row, strict=True)]
        for row in zip(heat.rows, heat.marks, strict=True)
    ]
    width = max((len(text) for row in marked for text in row), default=0)
    rows = ["  ".join(f"{text:>{width}}" for text in row) for row in marked]
    return [heat.caption, *rows] if heat.caption else rows


# --- words --------------------------------------------------------------------------------------------


def not_drawn(numbers: torch.Tensor) -> list[str]:
    """What of the numbers is left out of a table."""
    said = ["Of the batch, only the first text is drawn."] if numbers.ndim > 2 else []
    if numbers.numel() and max(as_table(numbers).shape) > MOST:
        said.append(f"Only the first {MOST} rows and columns are drawn.")
    return said


def _figure(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) and abs(value) < 1e4 else f"{value:.4g}"
