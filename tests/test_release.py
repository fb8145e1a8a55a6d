"""`grader release`: what students get is complete, runs, is the same each time, and is replaced whole."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.utils import compute_checksum

from grader.errors import CourseError
from grader.releasing.clear import STUB
from grader.releasing.release import release

HERE = Path(__file__).parents[1]
FORK = multiprocessing.get_context("fork") if hasattr(os, "fork") else None
needs_fork = pytest.mark.skipif(FORK is None, reason="this system cannot fork")

CODE = '''def mix(rows):
    """Mix the rows."""
    ### BEGIN SOLUTION
    return rows.mean(dim=0)
    ### END SOLUTION
'''
NUMBER = """AVERAGE = None  # two numbers
### BEGIN SOLUTION
AVERAGE = [1.25, 2.25]
### END SOLUTION
"""


def question(source: str, grade_id: str, **more: Any) -> Any:
    about = {"grade": True, "grade_id": grade_id, "locked": False, "points": 5, "schema_version": 3}
    return new_code_cell(source, metadata={"nbgrader": {**about, "solution": True, "task": False, **more}})


def checked(id: str) -> Any:
    """A question cell; without one, a notebook is none of ours, and is released as nbgrader does it."""
    return question(f'check("{id}")', id, solution=False, locked=True)


KEY = """from grader.key import AnswerKey

key = AnswerKey("l1", title="Mixing")
question = key.values("row", points=5, title="mixing")
key.choice(question, "MIX", points=5, says="is a letter", letters="ab", right="a")
SAID = "The rows were mixed along the wrong axis."
"""


def usual() -> list[Any]:
    ran = new_code_cell("%matplotlib inline\n\nprint(1)\n\n", execution_count=3)
    ran.outputs = [new_output("stream", text="1")]
    ran.metadata = {"execution": {"iopub.status.busy": "2026-01-01"}, "tags": ["demo"]}
    return [new_markdown_cell("# Mixing"), question(CODE, "mix"), question(NUMBER, "average"), ran, checked("row")]


def write(course: Path, cells: list[Any], name: str = "l1") -> Path:
    """The source folder of an assignment with one notebook, a public test and a README."""
    folder = course / "solutions" / name
    folder.mkdir(parents=True, exist_ok=True)
    about = {"kernelspec": {"name": "my-venv", "display_name": "Mine", "language": "python"}}
    notebook = new_notebook(cells=cells, metadata={**about, "language_info": {"name": "python", "version": "3.9"}})
    nbformat.write(notebook, folder / "lesson.ipynb")
    (folder / "test_lesson.py").write_text("def test_it():\n    assert True\n")
    (folder / "README.md").write_text("# Mixing rows\n")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def read(course: Path) -> Any:
    return nbformat.read(course / "exercises" / "l1" / "lesson.ipynb", as_version=4)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    write(tmp_path / "course", usual())
    return tmp_path / "course"


def test_a_release_writes_both_forms_and_the_files_beside_them(course: Path) -> None:
    released = release(course, "l1")
    names = ["README.md", "lesson.ipynb", "lesson.py", "test_lesson.py"]
    assert released.written == [f"exercises/l1/{name}" for name in names]
    assert released.left_out == []
    assert sorted(content(released.folder)) == names


def test_other_files_stay_behind_and_are_named(course: Path) -> None:
    source = course / "solutions" / "l1"
    (source / "notes.txt").write_text("")
    (source / "data").mkdir()
    (source / "__pycache__").mkdir()
    (source / "walkthrough.html").write_text("<p>Play</p>")
    released = release(course, "l1")
    assert released.left_out == ["data/", "notes.txt"]
    assert "exercises/l1/walkthrough.html" in released.written


def test_a_function_keeps_the_stub_and_a_number_keeps_its_none(course: Path) -> None:
    release(course, "l1")
    sources = [cell.source for cell in read(course).cells]
    assert sources[1:3] == [
        f'def mix(rows):\n    """Mix the rows."""\n    {STUB}',
        "AVERAGE = None  # two numbers",
    ]


def test_the_released_script_runs_from_top_to_bottom(course: Path) -> None:
    release(course, "l1")
    namespace: dict[str, Any] = {}
    exec("check = print\n" + (course / "exercises" / "l1" / "lesson.py").read_text(), namespace)
    assert namespace["AVERAGE"] is None
    with pytest.raises(NotImplementedError):
        namespace["mix"]([])


def test_a_question_cell_shows_students_only_its_check(course: Path) -> None:
    release(course, "l1")
    cell = read(course).cells[-1]
    assert cell.source == 'check("row")'
    assert cell.metadata.nbgrader.checksum == compute_checksum(cell)


def test_a_notebook_without_questions_is_released_as_nbgrader_does_it(course: Path) -> None:
    write(course, [question(CODE, "mix")], "plain")
    released = release(course, "plain")
    assert released.written == [f"exercises/plain/{name}" for name in ("README.md", "lesson.ipynb", "test_lesson.py")]
    notebook = nbformat.read(released.folder / "lesson.ipynb", as_version=4)
    assert "    # YOUR CODE HERE\n    raise NotImplementedError()" in notebook.cells[0].source
    assert notebook.metadata.kernelspec.name == "my-venv"


def test_nbgrader_can_grade_what_was_released(course: Path) -> None:
    release(course, "l1")
    marks = read(course).cells[1].metadata.nbgrader
    assert (marks.grade_id, marks.points, marks.solution, len(marks.checksum)) == ("mix", 5, True, 32)


def test_the_bytes_are_the_same_on_each_run_and_in_each_place(course: Path, tmp_path: Path) -> None:
    first = content(release(course, "l1").folder)
    elsewhere = tmp_path / "course [2026] +?#%"
    shutil.copytree(course / "solutions", elsewhere / "solutions")
    command = "import sys, pathlib, grader.releasing.release as r; r.release(pathlib.Path(sys.argv[1]), 'l1')"
    changed = {"PYTHONHASHSEED": "7", "PYTHONPATH": str(HERE), "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", command, str(elsewhere)], env=os.environ | changed, check=True)
    assert content(release(course, "l1").folder) == first == content(elsewhere / "exercises" / "l1")
    assert all(text.endswith(b"\n") and not text.endswith(b"\n\n") for text in first.values())


def test_nothing_is_said_on_the_terminal_and_nothing_else_changes(
    course: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # nbgrader starts the program `alembic` for a new gradebook; a `.venv/bin/grader` may not find it.
    monkeypatch.setenv("PATH", "")
    here = os.getcwd()
    release(course, "l1")
    write(course, [question("### BEGIN SOLUTION\nx = 1", "x")])
    with pytest.raises(CourseError):
        release(course, "l1")
    assert os.getcwd() == here
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            [question("### BEGIN SOLUTION\nfirst = 1", "a")],
            "lesson.ipynb: No end solution statement.*first = 1",
        ),
        ([question("x", "a"), question("y", "a")], "lesson.ipynb: .*Duplicate grade id: a"),
        (
            [question("x", "a", schema_version=1)],
            r"lesson.ipynb: Outdated schema version.*nbgrader update \.",
        ),
        (
            [new_code_cell("### BEGIN SOLUTION\n### END SOLUTION")],
            "Solution region detected in a non-solution cell",
        ),
        (
            [new_code_cell("x = 1\n# %% two\ny = 2"), checked("row")],
            r"code cell 1 of lesson\.ipynb \('x = 1'\) cannot be written",
        ),
    ],
)
def test_what_stops_nbgrader_is_passed_on(course: Path, cells: list[Any], says: str) -> None:
    before = content(release(course, "l1").folder)
    write(course, cells)
    with pytest.raises(CourseError, match=f"(?s){says}"):
        release(course, "l1")
    assert content(course / "exercises" / "l1") == before


def test_a_broken_notebook_is_a_sentence(course: Path) -> None:
    (course / "solutions" / "l1" / "lesson.ipynb").write_text('{"cells": [')
    with pytest.raises(CourseError, match=r"lesson\.ipynb: Notebook does not appear to be JSON"):
        release(course, "l1")


@pytest.mark.parametrize("name", ["l2", "", ".", "..", "../solutions/l1", "l1/", "*"])
def test_an_unknown_assignment_is_told_which_exist(course: Path, name: str) -> None:
    write(course, usual(), "l0")
    with pytest.raises(CourseError, match=r"does not exist; choose one of: l0, l1\."):
        release(course, name)


def test_a_folder_without_a_notebook_is_no_assignment(course: Path) -> None:
    (course / "solutions" / "keys").mkdir()
    with pytest.raises(CourseError, match="solutions/keys holds no notebook"):
        release(course, "keys")


def test_a_folder_that_is_no_course_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="has no solutions folder: run the command in the course's folder"):
        release(tmp_path, "l1")


def test_a_leak_stops_the_release_and_names_its_place(course: Path) -> None:
    before = content(release(course, "l1").folder)
    (course / "solutions" / "l1" / "README.md").write_text("# Mixing\n\nWrite `return rows.mean(dim=0)`.\n")
    with pytest.raises(CourseError, match=r"README\.md line 3: a line of the solution: return rows\.mean"):
        release(course, "l1")
    assert content(course / "exercises" / "l1") == before


def test_sentences_of_the_answer_key_are_looked_for(course: Path) -> None:
    key = course / "solutions" / "keys" / "l1.py"
    key.parent.mkdir()
    key.write_text(KEY)
    (course / "solutions" / "l1" / "README.md").write_text("The rows were mixed along the wrong axis.\n")
    with pytest.raises(CourseError, match=r"README\.md line 1: a sentence of the answer key"):
        release(course, "l1")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("points=5", "points=7", "`row` is worth 5 points in the notebook, 7 in the key"),
        ('"row"', '"column"', "no graded cell asks `column`"),
        ('"row"', '"column"', "the key does not know `row`"),
        ("key = ", "key = 1 / 0 or ", "does not load: ZeroDivisionError"),
        ("key = ", "raise SystemExit(3)\nkey = ", "does not load: SystemExit"),
    ],
)
def test_a_key_that_does_not_fit_the_notebook_is_refused(old: str, new: str, says: str, course: Path) -> None:
    key = course / "solutions" / "keys" / "l1.py"
    key.parent.mkdir()
    key.write_text(KEY.replace(old, new))
    with pytest.raises(CourseError, match=says):
        release(course, "l1")
    assert not (course / "exercises").exists()


def test_a_question_under_another_grade_id_is_refused(course: Path) -> None:
    cells = usual()
    cells[-1].metadata["nbgrader"]["grade_id"] = "cell-1f3a"
    write(course, cells)
    with pytest.raises(CourseError, match=r"the cell that asks check.'row'. has the grade id 'cell-1f3a'"):
        release(course, "l1")


def leftovers(course: Path) -> list[str]:
    hidden = [path.name for folder in ("solutions", "exercises") for path in (course / folder).glob(".*")]
    return [name for name in hidden if not name.endswith(".lock")]


def test_a_folder_that_cannot_be_written_is_a_sentence(course: Path) -> None:
    (course / "exercises").write_text("a file, not a folder")
    with pytest.raises(CourseError, match=r"l1 was not released: .*exercises"):
        release(course, "l1")
    assert leftovers(course) == []


def test_an_exercise_cut_off_between_the_renames_comes_back(course: Path) -> None:
    before = content(release(course, "l1").folder)
    stage = course / "exercises" / ".release-l1"
    stage.mkdir()
    (course / "exercises" / "l1").rename(stage / "old")
    (course / "solutions" / "l1" / "README.md").write_text("### BEGIN SOLUTION\n")
    with pytest.raises(CourseError):
        release(course, "l1")
    assert content(course / "exercises" / "l1") == before
    assert leftovers(course) == []


def _again_and_again(course: Path, times: int) -> None:
    for _ in range(times):
        release(course, "l1")


@needs_fork
def test_a_run_killed_at_any_moment_leaves_the_exercise_whole(course: Path) -> None:
    assert FORK
    before = content(release(course, "l1").folder)
    for number in range(12):
        run = FORK.Process(target=_again_and_again, args=(course, 1000))
        run.start()
        time.sleep(0.05 + number * 0.013)
        run.kill()
        run.join()
        old = course / "exercises" / ".release-l1" / "old"
        there = course / "exercises" / "l1"
        assert content(there if there.exists() else old) == before
    assert content(release(course, "l1").folder) == before
    assert leftovers(course) == []


@needs_fork
def test_two_releases_at_once_both_succeed(course: Path) -> None:
    assert FORK
    before = content(release(course, "l1").folder)
    runs = [FORK.Process(target=_again_and_again, args=(course, 4)) for _ in range(3)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0, 0]
    assert content(course / "exercises" / "l1") == before
    assert leftovers(course) == []


def test_the_released_lesson_is_current(tmp_path: Path) -> None:
    shutil.copytree(HERE / "solutions", tmp_path / "solutions")
    fresh = content(release(tmp_path, "l10_attention").folder)
    committed = HERE / "exercises" / "l10_attention"
    stale = "exercises/l10_attention is not what solutions/ releases: run `grader release l10_attention`"
    assert committed.is_dir(), stale
    assert content(committed) == fresh, stale
