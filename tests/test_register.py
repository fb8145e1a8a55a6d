"""An assignment is in the gradebook as generate_assignment writes it, and exercises/ is left alone."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from traitlets.config import Config

from grader.errors import CourseError
from grader.questions import question_of
from grader.releasing.register import register
from tests.warm import warm

ROOT = Path(__file__).resolve().parent.parent
LESSON = "l10_attention"
FORMS = """
from pathlib import Path
from grader.releasing.clear import settings
from grader.releasing.forms import finish
c = get_config()
c.merge(settings())
c.GenerateAssignment.post_convert_hook = lambda **told: finish(Path("exercises") / told["assignment"])
"""
FOLDERS = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
"""


def generate(course: Path, assignment: str, config: str) -> Path:
    """The gradebook that bare `nbgrader generate_assignment` writes."""
    (course / "nbgrader_config.py").write_text(config)
    command = warm("nbgrader", "generate_assignment", assignment)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": programs}
    done = subprocess.run(command, cwd=course, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return course / "gradebook.db"


def told(gradebook: Path) -> dict[str, list[str]]:
    """All that stands in a gradebook, without the ids that are drawn for each row."""
    with closing(sqlite3.connect(gradebook)) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {}
        for table in tables:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            kept = [name for name in columns if name != "id" and not name.endswith("_id")]
            found[table] = sorted(map(repr, database.execute(f"SELECT {', '.join(kept)} FROM {table}"))) if kept else []
        return found


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def marked(source: str, grade_id: str, **more: Any) -> Any:
    marks = {"grade": False, "grade_id": grade_id, "locked": False, "schema_version": 3, "solution": False}
    make = more.pop("make", new_code_cell)
    return make(source, metadata={"nbgrader": marks | {"task": False} | more})


def write(course: Path, cells: list[Any], name: str = "first.ipynb") -> None:
    folder = course / "solutions" / "other"
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), folder / name)


def usual() -> list[Any]:
    code = "def mix(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n\n"
    test = "assert mix(1) == 1\n### BEGIN HIDDEN TESTS\nassert mix(2) == 2\n### END HIDDEN TESTS"
    return [
        marked(code, "mix", solution=True),
        marked("### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n", "x", solution=True),
        marked(test, "test_mix", grade=True, locked=True, points=3),
        marked("Why?", "why", grade=True, solution=True, points=2, make=new_markdown_cell),
        marked("Draw.", "draw", task=True, locked=True, points=4, make=new_markdown_cell),
        marked("import math", "read_only", locked=True),
    ]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with an assignment that has nothing of ours in it, and files that no exercise of ours may hold."""
    write(tmp_path, usual())
    write(tmp_path, [marked("1", "only", grade=True, locked=True, points=1)], "second.ipynb")
    (tmp_path / "solutions" / "other" / "data").mkdir()
    (tmp_path / "solutions" / "other" / "data" / "rows.csv").write_text("1,2\n")
    return tmp_path


def test_the_lesson_stands_in_the_gradebook_as_generate_assignment_writes_it(tmp_path: Path, root: Path) -> None:
    shutil.copytree(root / "solutions", tmp_path / "solutions")
    register(tmp_path, LESSON, url(tmp_path / "mine.db"))
    assert not (tmp_path / "exercises").exists()
    theirs = generate(tmp_path, LESSON, FORMS)
    assert told(tmp_path / "mine.db") == told(theirs)
    exercise = tmp_path / "exercises" / LESSON
    assert {path.name: path.read_bytes() for path in exercise.iterdir()} == {
        path.name: path.read_bytes() for path in (root / "exercises" / LESSON).iterdir() if path.is_file()
    }
    with Gradebook(url(theirs)) as gradebook:
        cells = gradebook.find_notebook("attention", LESSON).source_cells
        graded = {cell.name: cell.source for cell in cells if question_of(cell.source)}
    assert len(graded) == 16
    assert {id: question_of(source) for id, source in graded.items()} == {id: id for id in graded}
    assert all(source.startswith("### BEGIN HIDDEN TESTS\nraise RuntimeError(") for source in graded.values())


@pytest.mark.long
def test_another_assignment_is_registered_as_nbgrader_does_it(course: Path) -> None:
    mine = course / "mine.db"
    register(course, "other", url(mine))
    theirs = generate(course, "other", FOLDERS)
    assert told(mine) == told(theirs)
    assert len(told(mine)["source_cell"]) == 7


def test_it_needs_no_program_on_the_path_and_changes_nothing_here(
    course: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PATH")
    here = os.getcwd()
    register(course, "other", url(course / "mine.db"))
    assert (os.getcwd(), os.environ.get("PATH")) == (here, None)
    assert capfd.readouterr() == ("", "")
    assert sorted(path.name for path in course.iterdir()) == ["mine.db", "solutions"]


def test_the_courses_own_settings_count(course: Path) -> None:
    (course / "solutions").rename(course / "source")
    nbformat.write(new_notebook(cells=[marked("x = 2", "header", locked=True)]), course / "header.ipynb")
    config = Config()
    config.CourseDirectory.source_directory = "source"
    config.IncludeHeaderFooter.header = "header.ipynb"
    config.ClearSolutions.code_stub = {"python": "..."}
    hooked: list[Any] = []
    config.GenerateAssignment.post_convert_hook = lambda **told: hooked.append(told)
    before = repr(config)
    register(course, "other", url(course / "mine.db"), config)
    cells = "\n".join(told(course / "mine.db")["source_cell"])
    assert "'x = 2'" in cells
    assert r"def mix(x):\n    ...\n" in cells
    assert hooked == []
    assert repr(config) == before


def test_registering_again_follows_the_source(course: Path) -> None:
    mine = url(course / "mine.db")
    register(course, "other", mine)
    (course / "solutions" / "other" / "second.ipynb").unlink()
    write(course, [*usual(), marked("assert 1", "more", grade=True, locked=True, points=5)])
    register(course, "other", mine)
    with Gradebook(mine) as gradebook:
        assert [notebook.name for notebook in gradebook.find_assignment("other").notebooks] == ["first"]
        assert gradebook.find_assignment("other").max_score == 14


def test_with_submissions_the_same_cells_may_change_and_others_not_come_or_go(course: Path) -> None:
    mine = url(course / "mine.db")
    register(course, "other", mine)
    with Gradebook(mine) as gradebook:
        gradebook.add_student("ada")
        gradebook.add_submission("other", "ada")
    changed = usual()
    changed[2].source = "assert mix(3) == 3"
    write(course, changed)
    register(course, "other", mine)
    assert any("mix(3)" in cell for cell in told(course / "mine.db")["source_cell"])
    for break_it in (lambda: write(course, changed[1:]), lambda: write(course, [], "third.ipynb")):
        break_it()
        with pytest.raises(CourseError, match=r"`nbgrader db assignment remove other --force`; then run the command"):
            register(course, "other", mine)
        write(course, changed)


@pytest.mark.parametrize(
    ("assignment", "db", "says"),
    [
        ("missing", "mine.db", "missing could not be written into the gradebook: .*No such file"),
        ("other+", "mine.db", r"other\+ could not be written into the gradebook: .*should not contain"),
        ("other", "none/mine.db", "other could not be written into the gradebook: .*unable to open database file"),
    ],
)
def test_what_is_in_the_way_is_a_sentence(course: Path, assignment: str, db: str, says: str) -> None:
    with pytest.raises(CourseError, match=says):
        register(course, assignment, url(course / db))


def test_a_broken_notebook_is_named(course: Path) -> None:
    (course / "solutions" / "other" / "second.ipynb").write_text("{")
    with pytest.raises(
        CourseError, match=r"could not be written into the gradebook\. nbgrader stopped at second\.ipynb"
    ):
        register(course, "other", url(course / "mine.db"))
