"""Which notebook of an assignment's folder is the lesson: the one that asks questions of the answer key."""

from __future__ import annotations

import json
from pathlib import Path

from grader.errors import CourseError
from grader.questions import holds_questions
from grader.reading.cells import notebook_cells
from grader.reading.submission import Unreadable


def question_notebook(folder: Path) -> str:
    """The name, without its ending, of the only notebook or of the only one that asks questions. Raises CourseError."""
    notebooks = sorted(path for path in folder.glob("*.ipynb") if not path.name.startswith("."))
    if not notebooks:
        raise CourseError(f"{folder} holds no notebook, so submissions of it cannot be told.")
    asking = notebooks if len(notebooks) == 1 else [path for path in notebooks if _asks(path)]
    if len(asking) != 1:
        names = ", ".join(path.name for path in asking or notebooks)
        raise CourseError(f"{folder} must hold one notebook that asks the answer key's questions, not {names}.")
    return asking[0].stem


def _asks(path: Path) -> bool:
    try:
        cells, _ = notebook_cells(path.name, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, Unreadable):
        return False
    return holds_questions(cell.source for cell in cells)
