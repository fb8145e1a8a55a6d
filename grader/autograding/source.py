"""The cells of an assignment that nbgrader's gradebook knows: what a submission is held against."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SourceCell:
    """A cell that is graded, answered or locked, as it was released. `source` holds hidden tests too.

    `points` are those of a graded cell or a task, None for others.
    """

    id: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None

    @property
    def comes_back(self) -> bool:
        """Whether it is put back when it is missing. A student's own answer is not: a stub put back in its place
        could undo what was written elsewhere.
        """
        return self.grade or self.task or self.locked

    @property
    def metadata(self) -> dict[str, Any]:
        """What nbgrader keeps with the cell (its metadata schema 3)."""
        known = {
            "grade": self.grade,
            "grade_id": self.id,
            "locked": self.locked,
            "solution": self.solution,
            "task": self.task,
            "checksum": self.checksum,
            "cell_type": self.cell_type,
            "schema_version": 3,
        }
        return known | ({} if self.points is None else {"points": self.points})


def source_cells(notebook: Any, order: Sequence[str]) -> tuple[SourceCell, ...]:
    """The cells of a notebook in nbgrader's gradebook, in the order of the grade ids in `order`.

    A database gives them in no order of its own; ids that `order` does not know come last.
    """
    graded = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
    tasks = {cell.name: float(cell.max_score) for cell in notebook.task_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    found = [
        SourceCell(
            id=cell.name,
            cell_type=cell.cell_type,
            source=cell.source or "",
            checksum=cell.checksum or "",
            locked=bool(cell.locked),
            grade=cell.name in graded,
            solution=cell.name in solutions,
            task=cell.name in tasks,
            points=graded.get(cell.name, tasks.get(cell.name)),
        )
        for cell in notebook.source_cells
    ]
    places = {id: place for place, id in enumerate(order)}
    return tuple(sorted(found, key=lambda cell: (places.get(cell.id, len(places)), cell.id)))


def order_in(path: Path) -> list[str]:
    """The grade ids of a notebook file in the order of its cells; none if there is no such file."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [str(cell["metadata"]["nbgrader"]["grade_id"]) for cell in cells if _is_marked(cell)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _is_marked(cell: dict[str, Any]) -> bool:
    return "grade_id" in cell["metadata"].get("nbgrader", {})
