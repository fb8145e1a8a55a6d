"""The two forms of a released exercise: a notebook that is the same on each run, and its script beside it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from grader.errors import CourseError
from grader.questions import holds_questions

# What a notebook says about the machine that wrote it would change with the author; every kernel knows this.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("deletable", "editable", "jupyter", "nbgrader", "tags")
PERCENT = "py:percent"


def finish(folder: Path) -> None:
    """Give each notebook with questions that nbgrader released into the folder its two forms.

    Other notebooks stay as nbgrader wrote them. Raises CourseError where `write_script` does.
    """
    for notebook in sorted(folder.glob("*.ipynb")):
        if holds_questions(_code(_read(notebook))):
            tidy(notebook)
            write_script(notebook)


def tidy(path: Path) -> None:
    """Rewrite a notebook with stable metadata and stable cell ids, keys in order and a newline at the end."""
    notebook = _read(path)
    notebook.update(nbformat=4, nbformat_minor=5, metadata=METADATA)
    taken: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = _id(cell, number, taken)
        cell.metadata = {name: cell.metadata[name] for name in CELL_METADATA if name in cell.metadata}
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8", newline="\n")


def _id(cell: Any, number: int, taken: set[str]) -> str:
    # Named after the question where there is one, so that a cell put in above changes few lines of the file.
    name = str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))[:60] or f"cell-{number}"
    while name in taken:
        name += "-"
    taken.add(name)
    return name


def write_script(path: Path) -> Path:
    """Write NAME.py beside NAME.ipynb, the same cells in jupytext's percent format; the path written.

    Raises CourseError if the script would not read back as the same code cells.
    """
    notebook, script = _read(path), path.with_suffix(".py")
    if script.exists():
        raise CourseError(f"{path.name} and {script.name} need the same name for the script: rename one of them.")
    notebook.metadata["jupytext"] = {
        "notebook_metadata_filter": "kernelspec,-all",
        "cell_metadata_filter": "-all",
    }
    for cell in notebook.cells:
        cell.metadata = {}
    text = jupytext.writes(notebook, fmt=PERCENT)  # type: ignore[no-untyped-call]
    read_back = jupytext.reads(text, fmt=PERCENT)  # type: ignore[no-untyped-call]
    _compare(path.name, _code(notebook), _code(read_back))
    script.write_text(text.rstrip("\n") + "\n", encoding="utf-8", newline="\n")
    return script


def _compare(name: str, cells: list[str], read_back: list[str]) -> None:
    if cells == read_back:
        return
    same = [cell == other for cell, other in zip(cells, read_back, strict=False)]
    number = same.index(False) if False in same else min(len(same), len(cells) - 1)
    first = "".join(cells[number : number + 1]).partition("\n")[0]
    raise CourseError(
        f"code cell {number + 1} of {name} ({first!r}) cannot be written as a "
        "script that reads back the same: take out lines that begin with `# %%` and other jupytext marks."
    )


def _read(path: Path) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def _code(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]
