"""Where our step is missing from the configuration, stock nbgrader gives 0 for every question and says why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from grader.questions import question_of
from grader.releasing.clear import settings
from grader.releasing.register import register

LESSON = "l10_attention"
OVERRIDE = "import grader.notebook, builtins\nbuiltins.RuntimeError = grader.notebook.check = check = print\n"


def graded(notebook: Any) -> dict[str, Any]:
    marks = ((cell.metadata.get("nbgrader", {}), cell) for cell in notebook.cells)
    return {mark["grade_id"]: cell for mark, cell in marks if mark.get("grade")}


def submit(course: Path, student: str, answers: dict[str, str], first: str = "") -> None:
    """Hand in the released notebook with these answers, by grade id, and code in the first code cell."""
    folder = course / "submitted" / student / LESSON
    shutil.copytree(course / "exercises" / LESSON, folder)
    notebook = nbformat.read(folder / "attention.ipynb", as_version=4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    next(cell for cell in notebook.cells if cell.cell_type == "code").source += f"\n{first}"
    nbformat.write(notebook, folder / "attention.ipynb")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """The lesson, generated with our settings and autograded without them, by nbgrader's own kernel."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(root / "solutions", folder / "solutions")
    # nbgrader starts `alembic` for a new gradebook, and it need not be on PATH
    register(folder, LESSON, f"sqlite:///{folder}/gradebook.db")
    config = settings()
    config.CourseDirectory.root = str(folder)
    api = NbGraderAPI(coursedir=CourseDirectory(config=config), config=config)
    assert api.generate_assignment(LESSON)["success"]
    source = nbformat.read(folder / "solutions" / LESSON / "attention.ipynb", as_version=4)
    marked = [(cell.metadata.get("nbgrader", {}), cell.source) for cell in source.cells]
    answers = {mark["grade_id"]: text for mark, text in marked if mark.get("solution")}
    submit(folder, "right", answers)
    submit(folder, "override", answers, OVERRIDE)
    submit(folder, "untouched", {})
    del config.GenerateAssignment
    stock = NbGraderAPI(coursedir=CourseDirectory(config=config), config=config)
    for student in ("right", "override", "untouched"):
        done = stock.autograde(LESSON, student)
        assert done["success"], done.get("log")
    return folder


@pytest.mark.parametrize("student", ["right", "override", "untouched"])
def test_each_question_counts_0_in_an_ordinary_kernel(course: Path, student: str) -> None:
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        submission = gradebook.find_submission(LESSON, student)
        grades = {grade.cell.name: grade.auto_score for notebook in submission.notebooks for grade in notebook.grades}
        assert submission.max_score == 100
        assert submission.score == 0
    assert len(grades) == 16
    assert set(grades.values()) == {0}


@pytest.mark.parametrize("student", ["right", "untouched"])
def test_each_question_says_which_setting_is_missing(course: Path, student: str) -> None:
    notebook = nbformat.read(course / "autograded" / student / LESSON / "attention.ipynb", as_version=4)
    for cell in graded(notebook).values():
        said = json.dumps(cell.outputs)
        assert "was not graded and counts 0" in said
        assert "c.Autograde.autograde_preprocessors" in said
        assert "nbgrader autograde ASSIGNMENT --force" in said


def test_students_see_only_the_check(course: Path) -> None:
    notebook = nbformat.read(course / "exercises" / LESSON / "attention.ipynb", as_version=4)
    sources = {id: cell.source for id, cell in graded(notebook).items()}
    assert sources == {id: f'check("{id}")' for id in sources}
    source = nbformat.read(course / "solutions" / LESSON / "attention.ipynb", as_version=4)
    assert {id: question_of(cell.source) for id, cell in graded(source).items()} == {id: id for id in sources}
