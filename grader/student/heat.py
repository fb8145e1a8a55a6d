"""Weights as a coloured table: rows are positions that read, columns positions that are read."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from grader.wording import joined

MOST = 20  # rows and columns that are drawn
LIGHT, DARK = (240, 246, 255), (10, 60, 130)
CELL = "padding:.35em .6em;text-align:center;border:1px solid rgba(128,128,128,.35);"
HEAD = "padding:.25em .6em;text-align:center;border:0;font-weight:normal;opacity:.8;"


def heat_html(weights: torch.Tensor) -> str:
    """An HTML table of two-dimensional weights, legible on light and dark pages; no style sheet is needed."""
    rows = weights[:MOST, :MOST].to(torch.float64).tolist()
    sums = weights[:MOST].to(torch.float64).sum(dim=-1).tolist()
    columns = range(len(rows[0]) if rows else 0)
    head = "".join(f'<th style="{HEAD}">{column}</th>' for column in columns)
    body = "".join(_row(index, row, total) for index, (row, total) in enumerate(zip(rows, sums, strict=True)))
    return (
        '<table style="border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums">'
        f'<tr style="background:none"><th style="{HEAD}text-align:right">reads ↓ &nbsp; is read →</th>{head}'
        f'<th style="{HEAD}">sum</th></tr>{body}</table>'
    )


def _row(index: int, row: Sequence[float], total: float) -> str:
    cells = "".join(f'<td style="{CELL}{_colours(value)}">{_figure(value)}</td>' for value in row)
    return (
        f'<tr style="background:none"><th style="{HEAD}text-align:right">position {index}</th>{cells}'
        f'<td style="{HEAD}">{_figure(total)}</td></tr>'
    )


def _colours(value: float) -> str:
    """The more is read, the darker; the text is black or white, whichever the background leaves legible."""
    if not math.isfinite(value):
        return "background:rgb(128,128,128);color:#fff"
    share = min(max(value, 0.0), 1.0)
    red, green, blue = (round(light + (dark - light) * share) for light, dark in zip(LIGHT, DARK, strict=True))
    luminance = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    return f"background:rgb({red},{green},{blue});color:{'#000' if luminance > 0.5 else '#fff'}"


def heat_text(weights: torch.Tensor) -> str:
    """The same as plain text."""
    rows = weights[:MOST, :MOST].to(torch.float64).tolist()
    return "\n".join(f"position {index}:  " + "  ".join(map(_figure, row)) for index, row in enumerate(rows))


def remarks(weights: torch.Tensor) -> list[str]:
    """What should be said about these weights besides their picture."""
    said = []
    sums = weights.to(torch.float64).sum(dim=-1)
    off = [index for index, total in enumerate(sums.tolist()) if not abs(total - 1) < 1e-3]
    if off:
        which = f"Row {off[0]} sums" if len(off) == 1 else f"Rows {joined([str(row) for row in off[:5]])} sum"
        said.append(f"{which} to something else than 1, so these are not weights over the positions read.")
    if max(weights.shape) > MOST:
        said.append(f"Only the first {MOST} rows and columns are drawn.")
    return said


def _figure(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) and abs(value) < 1e4 else f"{value:.4g}"
