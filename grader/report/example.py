"""A small example of a wrong function as plain text and as an HTML table. What a student's code gave is escaped."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any, TypeAlias

from grader.columns import beside
from grader.results import Example
from grader.wording import printable

HEAD = "A small example:"
GOT, WANTED = "came back", "should be"
WIDTH = 76  # columns of text, which leaves room for an indent

Grid: TypeAlias = list[list[str]]  # the figures of a table, row by row


def example_text(example: Example) -> str:
    """The call, its inputs, and what came back beside what should have, in 76 columns; `*` marks what is wrong."""
    lines = [HEAD, "", *_inputs(example), "", f"  {example.call}", *_compared(example)]
    lines += ["", *(line for note in _notes(example, "*") for line in _wrapped(note))]
    return printable("\n".join(line.rstrip() for line in lines).rstrip())


def example_html(example: Example) -> str:
    """The same with a table that has headers. What is wrong has a cross, a line below it and bold figures; text has the
    colour of the page.
    """
    inputs = "\n".join(escape(printable(line[2:])) for line in _inputs(example))
    got, wanted = _grid(example.got), _grid(example.expected)
    rows = _word_rows(example) if got is None or wanted is None else _figure_rows(got, wanted, _marks(example))
    caption = f"<caption {CAPTION}>{escape(printable(_called(example)))}</caption>"
    notes = "".join(f"<p>{escape(printable(note))}</p>" for note in _notes(example, "✗"))
    table = f'<table style="border-collapse: collapse; margin: 4px 0px">{caption}{rows}</table>'
    return f'<p>{HEAD}</p><pre style="margin: 4px 0px">{inputs}</pre>{table}{notes}'


def _called(example: Example) -> str:
    return f"{example.part} of {example.call}" if example.part else example.call


def _notes(example: Example, mark: str) -> list[str]:
    legend = f"{mark} marks what is wrong." if any(map(any, _marks(example))) else ""
    return [note for note in (legend, example.note) if note]


# --- figures ------------------------------------------------------------------------------------------


def _figure(value: Any) -> str:
    return printable(value) if isinstance(value, str) else f"{value:.4f}".rstrip("0").rstrip(".")


def _literal(value: Any) -> str:
    """As Python writes it: `[[1, 0], [0.5, 2]]`."""
    return f"[{', '.join(map(_literal, value))}]" if isinstance(value, list) else _figure(value)


def _grid(value: Any) -> Grid | None:
    """One figure or a row as a table of one row; None for words."""
    if isinstance(value, str):
        return None
    rows = value if isinstance(value, list) else [value]
    rows = rows if isinstance(rows[0], list) else [rows]
    return [[_figure(item) for item in row] for row in rows]


def _marks(example: Example) -> list[list[bool]]:
    """For each figure that came back whether it is wrong; nothing is marked where the shapes differ."""
    got, wanted = _grid(example.got), _grid(example.expected)
    if got is None or wanted is None or _shape(example.got) != _shape(example.expected):
        return [[False] * len(row) for row in got or ()]
    return [[one != other for one, other in zip(*rows, strict=True)] for rows in zip(got, wanted, strict=True)]


def _shape(value: Any) -> list[int]:
    return [len(value), *_shape(value[0])] if isinstance(value, list) else []


def _inputs(example: Example) -> list[str]:
    """`q = [[1, 0]]`, the names right-aligned; one that is too long breaks between its rows."""
    widest = max(map(len, example.inputs), default=0)
    lines = []
    for name, value in example.inputs.items():
        line = f"  {name:>{widest}} = {_literal(value)}"
        if len(line) > WIDTH and isinstance(value, list):
            line = f"  {name:>{widest}} = [" + f",\n{' ' * (widest + 6)}".join(map(_literal, value)) + "]"
        lines += line.split("\n")
    return lines


# --- text ---------------------------------------------------------------------------------------------


def _wrapped(text: str, head: str = "  ") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _compared(example: Example) -> list[str]:
    """Both sides under their heads, one beside the other, or below it where they are too wide together."""
    got, wanted = _grid(example.got), _grid(example.expected)
    if got is None or wanted is None:
        label = f"{example.part}    " if example.part else ""
        sides = ((f"  {label}{GOT}  ", example.got), (f"  {' ' * len(label)}{WANTED}  ", example.expected))
        return [line for head, side in sides for line in _wrapped(_literal(side), head)]
    marked = [
        ["*" * wrong + text for text, wrong in zip(*rows, strict=True)]
        for rows in zip(got, _marks(example), strict=True)
    ]
    left, right = [GOT, *_aligned(marked)], [WANTED, *_aligned(wanted)]
    labels = [example.part, *_labels(got if len(got) > len(wanted) else wanted)]
    together = _indented([labels, left, right])
    if max(map(len, together)) <= WIDTH:
        return together
    return [*_indented([labels[: len(left)], left]), *_indented([labels[: len(right)], right])]


def _indented(blocks: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {line}" for line in beside(blocks)]


def _labels(rows: Grid) -> list[str]:
    return [f"row {number}" for number in range(len(rows))] if len(rows) > 1 else [""]


def _aligned(rows: Grid) -> list[str]:
    """Rows as lines, with the decimal points of a column below each other."""
    columns = [_points_aligned(column) for column in zip(*rows, strict=True)]
    return ["  ".join(cells) for cells in zip(*columns, strict=True)]


def _points_aligned(cells: Sequence[str]) -> list[str]:
    parts = [cell.partition(".") for cell in cells]
    before = max(len(whole) for whole, _, _ in parts)
    after = max(len(point + rest) for _, point, rest in parts)
    return [f"{whole:>{before}}{point + rest:<{after}}" for whole, point, rest in parts]


# --- HTML ---------------------------------------------------------------------------------------------

CAPTION = 'style="text-align: left; padding: 2px 0px; color: inherit"'  # nbgrader's pages have grey ones
CELL = "padding: 2px 8px; text-align: right"
WORDS = "padding: 2px 8px; text-align: left"
HEADER = f"{WORDS}; white-space: nowrap"
EDGE = "border-left: 2px solid #8a8a8a"  # between the two sides; legible on light and on dark
WRONG = "border-bottom: 2px solid #d1495b; font-weight: bold"


def _word_rows(example: Example) -> str:
    sides = ((GOT, example.got), (WANTED, example.expected))
    rows = (
        f'<tr><th scope="row" style="{HEADER}">{head}</th><td style="{WORDS}">'
        f"{escape(printable(_literal(side)))}</td></tr>"
        for head, side in sides
    )
    return f"<tbody>{''.join(rows)}</tbody>"


def _figure_rows(got: Grid, wanted: Grid, marks: Sequence[Sequence[bool]]) -> str:
    heads = ((GOT, got), (WANTED, wanted))
    top = "".join(
        f'<th scope="colgroup" colspan="{len(side[0])}" style="{HEADER}; {EDGE}">{head}</th>' for head, side in heads
    )
    rows = itertools.zip_longest(_labels(got if len(got) > len(wanted) else wanted), got, wanted, marks)
    lines = (
        f"<tr>{_row_head(label)}{_cells(left, len(got[0]), wrong)}{_cells(right, len(wanted[0]), None)}</tr>"
        for label, left, right, wrong in rows
    )
    return f"<thead><tr><td></td>{top}</tr></thead><tbody>{''.join(lines)}</tbody>"


def _row_head(label: str) -> str:
    return f'<th scope="row" style="{HEADER}">{label}</th>' if label else "<td></td>"


def _cells(row: Sequence[str] | None, count: int, wrong: Sequence[bool] | None) -> str:
    """The cells of one side; empty ones where the other side has more rows."""
    texts = row or [""] * count
    cells = []
    for number, (text, is_wrong) in enumerate(zip(texts, wrong or [False] * count, strict=True)):
        style = "; ".join([CELL, *([EDGE] if number == 0 else []), *([WRONG] if is_wrong else [])])
        cells.append(f'<td style="{style}">{"✗ " if is_wrong else ""}{escape(text)}</td>')
    return "".join(cells)
