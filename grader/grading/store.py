"""Stored results: one file a student, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from grader.files import remove_partial, whole_file
from grader.results import Result, result_from_json

FOLDER = Path("graded")
LIMIT = "seconds_per_question"


def result_path(folder: Path, assignment: str, student: str) -> Path:
    """`graded/ASSIGNMENT/STUDENT.json`."""
    return folder / assignment / f"{student}.json"


def write_result(folder: Path, result: Result, seconds: float) -> None:
    """Write a result so that a reader, or a run that is killed, never sees half of it.

    Beside the contract's fields the file holds the time limit, in `seconds` per question.
    """
    text = json.dumps({**result.to_json(), LIMIT: seconds}, ensure_ascii=False, indent=1) + "\n"
    path = result_path(folder, result.assignment, result.student)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(text)


def read_result(folder: Path, assignment: str, student: str) -> tuple[Result, float] | None:
    """The stored result and its time limit, or None where there is none that can be read.

    What a run that was killed left of writing it is removed: nobody else may come to write it again.
    """
    path = result_path(folder, assignment, student)
    remove_partial(path)
    try:
        text = path.read_text(encoding="utf-8")
        plain = dict(json.loads(text))
        seconds = float(plain.pop(LIMIT))
        return result_from_json(plain), seconds
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
