"""Write nbgrader assignments, and what students hand in for them, from the texts beside this file.

    python tests/courses/make_courses.py COURSE

writes COURSE/source. Submissions are made from what generate_assignment released, so they need COURSE/release:

    python tests/courses/make_courses.py COURSE submitted

ASSIGNMENT/source/NOTEBOOK.txt holds a notebook in parts that begin with a marker line:

    # %% text                    a text cell             # %% code               a code cell
    # %% locked ID               a code cell that students must not change
    # %% solution ID             code to write           # %% test ID POINTS     its test
    # %% answer ID POINTS        text graded by hand     # %% work ID POINTS     code graded by hand
    # %% task ID POINTS          a task, with the cells that a student adds, graded by hand

ASSIGNMENT/submitted/STUDENT/NOTEBOOK.txt holds what a student changed: `# %% cell ID` takes the place of a cell,
`# %% after ID` stands below it as a cell of its own. Every other file is copied as it is.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ASSIGNMENTS = sorted(folder.name for folder in HERE.iterdir() if (folder / "source").is_dir())
MARKER = re.compile(r"^# %% (.+)\n", re.MULTILINE)
# grade, solution, locked, task: nbgrader's four flags
FLAGS = {
    "locked": (False, False, True, False),
    "solution": (False, True, False, False),
    "test": (True, False, True, False),
    "answer": (True, True, False, False),
    "work": (True, True, False, False),
    "task": (False, False, True, True),
}
Cell = dict[str, Any]


def write_source(assignment: str, course: Path) -> None:
    """Write the instructor's folder of an assignment, source/ASSIGNMENT."""
    folder = course / "source" / assignment
    for text in _copied(HERE / assignment / "source", folder):
        cells = [_cell(marker, source, place) for place, (marker, source) in enumerate(_parts(text))]
        _write(folder / f"{text.stem}.ipynb", cells)


def write_submissions(assignment: str, course: Path) -> None:
    """Write submitted/STUDENT/ASSIGNMENT for every student. Raises LookupError for a part that has no place."""
    for student in sorted((HERE / assignment / "submitted").iterdir()):
        folder = course / "submitted" / student.name / assignment
        for text in _copied(student, folder):
            released = course / "release" / assignment / f"{text.stem}.ipynb"
            cells = json.loads(released.read_text(encoding="utf-8"))["cells"]
            for marker, source in _parts(text):
                how, grade_id = marker.split()
                _put_in(cells, how, grade_id, source)
            _write(folder / released.name, cells)


def _copied(folder: Path, into: Path) -> Iterator[Path]:
    """The notebooks' texts of a folder; its other files are copied."""
    into.mkdir(parents=True)
    for path in sorted(folder.iterdir()):
        if path.suffix == ".txt":
            yield path
        elif path.is_file():
            shutil.copy(path, into)


def _parts(text: Path) -> Iterator[tuple[str, str]]:
    """Marker and source of each part."""
    pieces = MARKER.split(text.read_text(encoding="utf-8"))[1:]
    yield from zip(pieces[::2], (source.rstrip("\n") for source in pieces[1::2]), strict=True)


def _cell(marker: str, source: str, place: int) -> Cell:
    kind, *named = marker.split()
    cell = _blank(f"cell-{place}", source, code=kind not in ("text", "answer", "task"))
    if named:
        names = ("grade", "solution", "locked", "task")
        flags = dict(zip(names, FLAGS[kind], strict=True))
        cell["metadata"]["nbgrader"] = {"schema_version": 3, "grade_id": named[0], **flags}
    if len(named) > 1:
        cell["metadata"]["nbgrader"]["points"] = float(named[1])
    return cell


def _put_in(cells: list[Cell], how: str, grade_id: str, source: str) -> None:
    """Replace the source of a cell (`cell`), or add a code cell of the student's own below it (`after`)."""
    ids = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
    if grade_id not in ids:
        raise LookupError(f"no cell `{grade_id}` for a part `{how} {grade_id}`")
    place = ids.index(grade_id)
    if how == "cell":
        cells[place]["source"] = source
    else:
        cells.insert(place + 1, _blank(f"own-{len(cells)}", source, code=True))


def _blank(cell_id: str, source: str, *, code: bool) -> Cell:
    cell: Cell = {"id": cell_id, "cell_type": "code" if code else "markdown", "metadata": {}, "source": source}
    return cell | {"execution_count": None, "outputs": []} if code else cell


def _write(path: Path, cells: list[Cell]) -> None:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write = write_submissions if sys.argv[2:] == ["submitted"] else write_source
    for name in ASSIGNMENTS:
        write(name, Path(sys.argv[1]))
