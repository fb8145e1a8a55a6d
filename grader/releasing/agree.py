"""Whether an answer key and the notebook that asks its questions say the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from grader.errors import CourseError
from grader.key import AnswerKey, load_key
from grader.questions import holds_questions, question_of
from grader.reading.lesson import question_notebook


def agree(source: Path) -> None:
    """Compare the lesson in `solutions/ASSIGNMENT` with its answer key, if it has one.

    Raises CourseError where questions or points differ, for a key that does not load, and for a lesson whose questions
    would not be known as ours.
    """
    keys = source.parent / "keys"
    if not (keys / f"{source.name}.py").is_file():
        return
    key = load_key(keys, source.name)
    path = source / f"{question_notebook(source)}.ipynb"
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    troubles = list(_troubles(key, notebook))
    if troubles:
        where = f"solutions/{source.name}/{path.name}"
        raise CourseError(f"{where} and its answer key differ; mend one of them:\n  " + "\n  ".join(troubles))


def _troubles(key: AnswerKey, notebook: Any) -> Iterator[str]:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not holds_questions(cell.source for cell in code):
        yield 'no cell says check("QUESTION"), or the notebook has a `check` of its own.'
        return
    graded = [cell for cell in code if cell.metadata.get("nbgrader", {}).get("grade")]
    asked = {question_of(cell.source): float(cell.metadata.nbgrader.get("points", 0)) for cell in graded}
    for question in key.questions:
        if question.id not in asked:
            yield f"no graded cell asks `{question.id}`, which the key does."
        elif asked[question.id] != question.points:
            points = f"{asked[question.id]:g} points in the notebook, {question.points:g} in the key"
            yield f"`{question.id}` is worth {points}."
    known = {question.id for question in key.questions}
    yield from (
        f"the key does not know `{id}`, which a cell asks." for id in asked if id is not None and id not in known
    )
