"""Build the class of the golden tests: the released exercise with each student's own text put in.

    python tests/submissions/make_class.py

Run it when the exercise has changed. What a student wrote stands in written/STUDENT.FORM.txt, in parts that
begin with a marker line:

    # %% body QUESTION      the lines in place of the function's stub
    # %% cell QUESTION      the whole answer cell
    # %% answers            NAME = VALUE lines, each in place of `NAME = None`
    # %% first              the first code cell, which holds the imports
    # %% before QUESTION    a cell of their own above the answer cell
    # %% after QUESTION     a cell of their own below the check cell
    # %% from scratch       the only cell: the student kept nothing of the exercise (or, without text, has none)

expected.json beside each submission is written by hand: what a fair grader says, worked out without running one.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASSIGNMENT = "l10_attention"
EXERCISE = HERE.parents[1] / "exercises" / ASSIGNMENT
STUB = "    raise NotImplementedError  # write your code here, in place of this line"
SUFFIXES = {"notebook": ".ipynb", "script": ".py"}
MARKER = re.compile(r"^# %% (.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One cell of either form. `id` is the notebook's: QUESTION_answer and QUESTION are those of a question."""

    id: str
    source: str
    code: bool = True


def make_class(folder: Path) -> None:
    """Write every student's submission below `folder`; what else stands there is left alone."""
    for written in sorted((HERE / "written").glob("*.txt")):
        student, form = written.name.removesuffix(".txt").rsplit(".", 1)
        cells = filled_in(released(), written.read_text(encoding="utf-8"))
        path = folder / student / f"attention{SUFFIXES[form]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook(cells) if form == "notebook" else script(cells), encoding="utf-8", newline="\n")


def released() -> list[Cell]:
    """The cells of the released notebook."""
    document = json.loads((EXERCISE / "attention.ipynb").read_text(encoding="utf-8"))
    return [Cell(cell["id"], "".join(cell["source"]), cell["cell_type"] == "code") for cell in document["cells"]]


def filled_in(cells: list[Cell], written: str) -> list[Cell]:
    """The cells after a student has worked on them. Raises LookupError for a part that has no place."""
    parts = MARKER.split(written)[1:]
    for marker, text in zip(parts[::2], parts[1::2], strict=True):
        what, _, question = marker.partition(" ")
        if marker == "from scratch":
            return [Cell("own", text.rstrip("\n"))] if text else []
        if marker == "first":
            question = next(cell.id for cell in cells if cell.code)
        cells = list(_part(cells, what, question, text.rstrip("\n")))
    return cells


def _part(cells: list[Cell], what: str, question: str, text: str) -> Iterator[Cell]:
    """The cells with one part put in."""
    if what == "answers":
        yield from _answered(cells, text)
        return
    place = {"after": question, "first": question}.get(what, f"{question}_answer")
    if place not in [cell.id for cell in cells]:
        raise LookupError(f"no cell `{place}` for a part `{what} {question}`")
    own = Cell(f"{what}-{question}", text)
    for cell in cells:
        if cell.id != place:
            yield cell
        elif what in ("cell", "first"):
            yield Cell(place, text)
        elif what == "body":
            yield Cell(place, _replaced(cell.source, STUB, text))
        else:
            yield from (own, cell) if what == "before" else (cell, own)


def _answered(cells: list[Cell], text: str) -> Iterator[Cell]:
    """The cells with `NAME = VALUE` lines put in the places of `NAME = None`; a comment behind it stays."""
    answers = dict(line.split(" = ", 1) for line in text.splitlines())
    for cell in cells:
        source = cell.source
        for name in [name for name in answers if re.search(rf"^{name} = None", source, re.MULTILINE)]:
            source = _replaced(source, f"{name} = None", f"{name} = {answers.pop(name)}")
        yield Cell(cell.id, source, cell.code)
    if answers:
        raise LookupError(f"no `NAME = None` for {', '.join(answers)}")


def _replaced(source: str, old: str, new: str) -> str:
    if source.count(old) != 1:
        raise LookupError(f"{old!r} does not stand once in:\n{source}")
    return source.replace(old, new)


def notebook(cells: list[Cell]) -> str:
    """The released notebook with these cells; those that it knows keep their metadata."""
    document = json.loads((EXERCISE / "attention.ipynb").read_text(encoding="utf-8"))
    known = {cell["id"]: cell for cell in document["cells"]}
    blank: dict[str, object] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    document["cells"] = [
        {**known.get(cell.id, blank), "id": cell.id, "source": cell.source.splitlines(keepends=True)} for cell in cells
    ]
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def script(cells: list[Cell]) -> str:
    """The released script with these cells; text cells and its header are taken over as they are."""
    if [cell.id for cell in cells] == ["own"]:
        return cells[0].source + "\n"
    header, *texts = (EXERCISE / "attention.py").read_text(encoding="utf-8").split("# %%")
    original = {cell.id: (cell.source, f"# %%{text}") for cell, text in zip(released(), texts, strict=True)}
    pieces = [
        original[cell.id][1] if original.get(cell.id, ("",))[0] == cell.source else f"# %%\n{cell.source}\n\n"
        for cell in cells
    ]
    return header + "".join(pieces).rstrip("\n") + "\n"


if __name__ == "__main__":
    make_class(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / ASSIGNMENT)
