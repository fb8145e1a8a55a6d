"""Make a submitted notebook one that nbgrader can grade: nothing in it may stop the class.

What stands in the gradebook is put back (marks, points, locked cells, missing cells); what a student wrote is
kept as it is. Each repair is told in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from grader.autograding.source import SourceCell
from grader.questions import question_of, visible
from grader.reading.cells import MESSAGES, TEXT_TYPES, cleaned, limited, listed_cells, source_text
from grader.wording import joined

CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
BLANK = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="  # one pixel
IMAGE = re.compile(r"image/[A-Za-z0-9.+-]+")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
MOST_PICTURES = 1_000  # of one cell: a blank one takes many times the bytes of its name
MOST_NAMED = 6
FLAGS = ("grade", "solution", "task", "points")

Pictures = dict[str, dict[str, str]]  # by name, then base64 by type


@dataclass(frozen=True)
class Repaired:
    """A valid notebook (format 4.5) without outputs, and a sentence for each thing that was put right.

    `empty` says why nothing of the assignment is in it: its tests would then only test themselves.
    """

    notebook: dict[str, Any]
    notes: tuple[str, ...]
    empty: str = ""


@dataclass
class _Cell:
    """A cell on its way: `mark` is the source cell that it stands for."""

    kind: str
    source: str
    id: str = ""
    attachments: Pictures = field(default_factory=dict)
    claim: dict[str, Any] = field(default_factory=dict)
    mark: SourceCell | None = None


def repaired(name: str, document: object, source: Sequence[SourceCell]) -> Repaired:
    """`document` is a submitted notebook's JSON, or None where nothing could be read. Raises Unreadable."""
    if document is None:
        cells: list[_Cell] = []
        _put_back(cells, source)
        return Repaired(_notebook(cells), (), f"There is no {name} that could be read.")
    listed, notes = listed_cells(name, document)
    cells = list(_read(listed, notes))
    limited(name, 0, sum(len(cell.source) for cell in cells if cell.kind == "code"))
    known = {cell.id: cell for cell in source}
    empty = _nothing(name, cells, known)
    notes += [empty] if empty else []
    notes += _foreign(cells, known)
    notes += _marked(cells, known)
    notes += _restored(cells)
    back = _put_back(cells, source)
    notes += [] if empty else _told(back, "was missing and was put back", "were missing and were put back")
    notes += _moved(cells, source, back)
    return Repaired(_notebook(cells), tuple(notes), empty)


def _nothing(name: str, cells: Sequence[_Cell], known: dict[str, SourceCell]) -> str:
    if not known or any(_claimed(cell) in known for cell in cells):
        return ""
    return f"{name} holds none of the cells that this assignment came with: is it the right file?"


def _read(listed: Sequence[object], notes: list[str]) -> Iterator[_Cell]:
    for number, entry in enumerate(listed, start=1):
        try:
            yield _cell(entry, f"cell {number}", notes)
        except ValueError as reason:
            if len(notes) < MESSAGES:
                notes.append(f"cell {number} could not be read ({reason}) and was left out.")


def _cell(entry: object, where: str, notes: list[str]) -> _Cell:
    if not isinstance(entry, dict):
        raise ValueError("it is not a notebook cell")
    kind = entry.get("cell_type")
    if not isinstance(kind, str) or (kind != "code" and kind not in TEXT_TYPES):
        raise ValueError("its type is neither code nor text")
    source = cleaned(source_text(entry), where, notes)
    if kind != "code" and source.count("attachment") > MOST_PICTURES:
        raise ValueError(f"it shows more than {MOST_PICTURES:,} pictures")
    metadata = entry.get("metadata")
    claim = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return _Cell(
        kind if kind in ("code", "raw") else "markdown",
        source,
        entry["id"] if isinstance(entry.get("id"), str) else "",
        _attachments(entry.get("attachments")),
        claim if isinstance(claim, dict) else {},
    )


def _attachments(found: object) -> Pictures:
    """Pictures that were pasted into a text cell, as far as they are what they should be and can be written down."""
    if not isinstance(found, dict):
        return {}
    return {
        name: {kind: data for kind, data in bundle.items() if IMAGE.fullmatch(kind) and _is_base64(data)}
        for name, bundle in found.items()
        if isinstance(bundle, dict) and name.encode("utf-8", "replace").decode() == name
    }


def _is_base64(data: object) -> bool:
    return isinstance(data, str) and BASE64.fullmatch(data) is not None


class _Asked(Pictures):
    """Has a picture of every name, and keeps those that were asked for."""

    def __contains__(self, name: object) -> bool:
        self.setdefault(str(name), {"image/png": BLANK})
        return True


def _pictures(cell: _Cell) -> Pictures:
    """Those that the text has and shows; one that was lost is blank, as nbconvert makes no page of a text without."""
    kept = {name: bundle for name, bundle in cell.attachments.items() if bundle}
    asked = _Asked()
    # escapes, references and brackets make it no matter of reading the text ourselves
    if "attachment" in unescape(cell.source).replace("\\", ""):
        from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath  # slow, and seldom needed

        MarkdownWithMath(renderer=IPythonRenderer(escape=False, attachments=asked)).render(cell.source)
    return dict(sorted(asked.items())) | kept


def _claimed(cell: _Cell) -> str:
    """The grade id that a cell says it has. A cell that asks a question is known by that, too: scripts have no ids,
    and some programs lose them.
    """
    id = cell.claim.get("grade_id")
    return id if isinstance(id, str) else question_of(cell.source) or "" if cell.kind == "code" else ""


def _foreign(cells: Sequence[_Cell], known: dict[str, SourceCell]) -> list[str]:
    """Marks that this assignment does not know are dropped, as they would stop nbgrader."""
    foreign = [claimed for claimed in map(_claimed, cells) if claimed and claimed not in known]
    one = "is a mark that this assignment does not know; it was taken off its cell"
    return _told(foreign, one, "are marks that this assignment does not know; they were taken off their cells")


def _marked(cells: Sequence[_Cell], known: dict[str, SourceCell]) -> list[str]:
    """Give each source cell that is there its one cell: of copies the last, as nbgrader does, in its own type."""
    doubled, changed, retyped = [], [], []
    claims = [(cell, _claimed(cell)) for cell in cells]  # once: a source may be long
    for id, mark in known.items():
        copies = [cell for cell, claimed in claims if claimed == id]
        if not copies:
            continue
        chosen = [cell for cell in copies if cell.kind == mark.cell_type] or copies
        cell = chosen[-1]
        cell.mark = mark
        doubled += [id] * (len(copies) > 1)
        changed += [id] * _differs(cell.claim, mark)
        retyped += [id] * (cell.kind != mark.cell_type)
        cell.kind = mark.cell_type
    return [
        *_told(doubled, "was there more than once; the last one counts", "were there more than once; the last counts"),
        *_told(changed, "had other marks or points; they were put back", "had other marks or points, now put back"),
        *_told(retyped, "had become another type of cell and was changed back", "had become other types of cells"),
    ]


def _differs(claim: dict[str, Any], mark: SourceCell) -> bool:
    """Whether a student changed what nbgrader keeps with a cell; older schemas have other fields, honestly."""
    if claim.get("schema_version") != 3:
        return "schema_version" in claim and claim["schema_version"] not in (0, 1, 2)
    return any(claim.get(flag, mark.metadata.get(flag)) != mark.metadata.get(flag) for flag in FLAGS)


def _restored(cells: Sequence[_Cell]) -> list[str]:
    """Locked cells get the source that the gradebook holds, hidden tests included."""
    changed = []
    for cell in cells:
        if cell.mark is not None and cell.mark.locked:
            seen = (visible(cell.mark.source).strip(), cell.mark.source.strip())
            changed += [cell.mark.id] * (cell.source.strip() not in seen)
            cell.source = cell.mark.source
    return _told(changed, "is locked, had been changed, and was put back", "are locked, had been changed, and are back")


def _put_back(cells: list[_Cell], source: Sequence[SourceCell]) -> list[str]:
    """Insert what is missing after the cell that it followed, else before the one that it preceded."""
    back = []
    for place, mark in enumerate(source):
        present = {cell.mark.id: index for index, cell in enumerate(cells) if cell.mark is not None}
        if mark.id in present or not mark.comes_back:
            continue
        before = [present[other.id] + 1 for other in source[:place] if other.id in present]
        after = [present[other.id] for other in source[place + 1 :] if other.id in present]
        index = before[-1] if before else after[0] if after else len(cells)
        cells.insert(index, _Cell(mark.cell_type, mark.source, mark=mark))
        back.append(mark.id)
    return back


def _moved(cells: Sequence[_Cell], source: Sequence[SourceCell], back: Sequence[str]) -> list[str]:
    standing = [cell.mark.id for cell in cells if cell.mark is not None and cell.mark.id not in back]
    released = [mark.id for mark in source if mark.id in standing]
    return [] if standing == released else ["Some cells were moved; each was graded where it stands."]


def _told(ids: Sequence[str], one: str, several: str) -> list[str]:
    """A sentence about the cells of these ids."""
    named = [f"`{re.sub(r'[^ -~]|`', '?', id)[:60]}`" for id in dict.fromkeys(ids)]
    if not named:
        return []
    if len(named) > MOST_NAMED:
        more = len(named) - MOST_NAMED
        named[MOST_NAMED:] = [f"{more} other{'s' if more > 1 else ''}"]
    return [f"{joined(named)} {one if len(named) == 1 else several}."]


def _notebook(cells: Sequence[_Cell]) -> dict[str, Any]:
    taken: set[str] = set()
    return {
        "cells": [_plain(cell, number, taken) for number, cell in enumerate(cells, start=1)],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _plain(cell: _Cell, number: int, taken: set[str]) -> dict[str, Any]:
    id = cell.id if CELL_ID.fullmatch(cell.id) else f"cell-{number}"
    while id in taken:
        id = f"{id[:50]}-{len(taken)}"
    taken.add(id)
    plain: dict[str, Any] = {"cell_type": cell.kind, "id": id, "metadata": {}, "source": cell.source}
    if cell.mark is not None:
        plain["metadata"]["nbgrader"] = cell.mark.metadata
    if cell.kind == "code":
        plain |= {"outputs": [], "execution_count": None}
    elif pictures := _pictures(cell):
        plain["attachments"] = pictures
    return plain
