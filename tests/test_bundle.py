"""`grader release --bundle`: a student unpacks it in an empty folder, installs it, and works; no answer is in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader.errors import CourseError
from grader.releasing import bundle
from grader.releasing.bundle import release_bundle
from grader.releasing.project import as_toml, student_project
from tests.warm import warm

ROOT = Path(__file__).resolve().parent.parent
LESSON = "l10_attention"
KEY = """from grader.key import AnswerKey

key = AnswerKey("l1", title="Mixing")
question = key.values("mix", points=5, title="mixing")
key.choice(question, "MIX", points=5, says="is a letter", letters="ab", right="a")
SAID = "The rows were mixed along the wrong axis."
"""
RUN = """
import nbclient, nbformat, sys
notebook = nbformat.read(sys.argv[1], as_version=4)
here = {"metadata": {"path": sys.argv[2]}}
nbclient.NotebookClient(notebook, allow_errors=True, timeout=120, resources=here).execute()
nbformat.write(notebook, sys.argv[1])
"""


def grader(course: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = warm("grader", *arguments)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=course, capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of the lesson, made in a copy of the course."""
    course = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "solutions", course / "solutions")
    done = grader(course, "release", LESSON, "--bundle", "lesson.zip")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == [f"exercises/{LESSON}/walkthrough.html", "lesson.zip"]
    return course / "lesson.zip"


@pytest.fixture(scope="module")
def student(zipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, unpacked and installed in an environment of its own; what it needs is borrowed from this one."""
    folder = tmp_path_factory.mktemp("student")
    with zipfile.ZipFile(zipped) as packed:
        packed.extractall(folder)
    venv.create(folder / ".venv", with_pip=False, symlinks=True)
    (site,) = (folder / ".venv").glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", str(folder / ".venv/bin/python"), "install", "-q"]
    offline = ["--no-deps", "--no-build-isolation", "--ignore-installed", "--no-index", "."]
    done = subprocess.run([*pip, *offline], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def run(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program of the student's environment, started in the folder as a student does."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    program = str(folder / ".venv" / "bin" / program)
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, env=environment)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def cell(notebook: Any, grade_id: str) -> Any:
    return next(one for one in notebook.cells if one.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def test_the_grader_in_use_is_the_one_in_the_bundle(student: Path) -> None:
    done = run(student, "python", "-c", "import os; os.chdir('/'); import grader; print(grader.__file__)")
    assert Path(done.stdout.strip()).is_relative_to(student / ".venv")


def test_a_student_is_told_where_to_begin(student: Path) -> None:
    done = run(student, "grader", "check", LESSON)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "0 of 16 questions done. Next: mix_rows() in attention.ipynb."
    assert done.stderr == ""
    # -P: as the program `pytest` does, look for grader where it is installed, not in the current folder
    tests = run(student, "python", "-P", "-m", "pytest", LESSON)
    assert tests.returncode == 0, tests.stdout  # nothing is attempted, so nothing fails
    assert "0 of 16 questions done. Next: mix_rows() in attention.ipynb." in tests.stdout
    assert "INTERNALERROR" not in tests.stdout + tests.stderr


@pytest.mark.long
def test_a_student_fills_a_cell_and_is_told_that_it_is_right(student: Path, root: Path) -> None:
    source = nbformat.read(root / "solutions" / LESSON / "attention.ipynb", as_version=4)
    path = student / LESSON / "attention.ipynb"
    untouched = path.read_bytes()
    notebook = nbformat.read(path, as_version=4)
    cell(notebook, "mix_rows_answer").source = cell(source, "mix_rows_answer").source
    nbformat.write(notebook, path)
    done = run(student, "python", "-P", "-c", RUN, f"{LESSON}/attention.ipynb", LESSON)
    assert done.returncode == 0, done.stderr
    ran = nbformat.read(path, as_version=4)
    said = {id: json.dumps(cell(ran, id).outputs) for id in ("mix_rows", "attention")}
    assert "passed" in said["mix_rows"]
    assert "not attempted" in said["attention"]
    assert "Traceback" not in "".join(said.values())
    checked = run(student, "grader", "check", LESSON)
    path.write_bytes(untouched)  # the folder is other tests' too
    assert checked.stdout.splitlines()[-1].startswith("1 of 16 questions done. Next: ")


def test_no_answer_is_in_the_bundle(zipped: Path, root: Path) -> None:
    with zipfile.ZipFile(zipped) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    top = {name.partition("/")[0] for name in files}
    assert top == {"README.md", "pyproject.toml", "grader", LESSON}
    assert not [name for name in files if "solutions" in name or "keys" in name or "__pycache__" in name]
    everything = b"\n".join(files.values())
    key = (root / "solutions" / "keys" / f"{LESSON}.py").read_bytes()
    told = [line.strip() for line in key.splitlines() if line.strip().startswith((b"return ", b'"')) and len(line) > 60]
    assert told
    assert [line for line in told if line in everything] == []
    exercise = content(root / "exercises" / LESSON)
    packed_exercise = {name.removeprefix(f"{LESSON}/"): file for name, file in files.items() if name.startswith(LESSON)}
    assert packed_exercise == {name: file for name, file in exercise.items() if "__pycache__" not in name}


def test_the_bytes_are_the_same_each_time_and_say_no_time(zipped: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    again = tmp_path / "again.zip"
    release_bundle(tmp_path, LESSON, again)
    assert again.read_bytes() == zipped.read_bytes()
    with zipfile.ZipFile(again) as packed:
        assert packed.testzip() is None
        assert packed.namelist() == sorted(packed.namelist())
        assert {about.date_time for about in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.zip", "exercises", "solutions"]


def test_students_install_what_the_grader_and_notebooks_need_and_no_more(zipped: Path, root: Path) -> None:
    with zipfile.ZipFile(zipped) as packed:
        told = tomllib.loads(packed.read("pyproject.toml").decode())
    whole = tomllib.loads((root / "pyproject.toml").read_text())
    names = {one.partition(">")[0].partition("=")[0] for one in told["project"]["dependencies"]}
    own = {one.partition(">")[0] for one in whole["project"]["dependencies"]}
    assert names == own | {"jupyterlab", "matplotlib"}
    assert [one for one in told["project"]["dependencies"] if one in (root / "constraints.txt").read_text()] == [
        next(line for line in (root / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))
    ]
    assert told["project"]["scripts"] == whole["project"]["scripts"]
    assert told["tool"]["setuptools"] == whole["tool"]["setuptools"]
    assert "optional-dependencies" not in told["project"]


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"a": "x", "b": {"c d": [], "e": {"f": ["1", 'q"\\ü\n']}}, "g": {}},
        {"flag": True, "tool": {"setuptools": {"package-data": {"*": ["*.html"]}}}},
    ],
)
def test_a_table_reads_back_as_it_was(table: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(table)) == table


def test_where_grader_has_no_pyproject_the_command_says_so(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"holds none: work in a clone"):
        student_project(tmp_path)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with one small assignment."""
    folder = tmp_path / "course" / "solutions" / "l1"
    folder.mkdir(parents=True)
    marks = {"grade": True, "grade_id": "mix", "locked": True, "points": 5, "schema_version": 3, "solution": False}
    question = new_code_cell('check("mix")', metadata={"nbgrader": marks | {"task": False}})
    nbformat.write(new_notebook(cells=[question]), folder / "lesson.ipynb")
    (folder.parent / "keys").mkdir()
    (folder.parent / "keys" / "l1.py").write_text(KEY)
    return tmp_path / "course"


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("", "is a folder; name a zip file in it"),
        ("solutions", "is a folder; name a zip file in it"),
        ("none/x.zip", "there is no folder .*none; make it first"),
        ("solutions/x.zip", "would stand among the files that it is made from"),
        ("exercises/l1/x.zip", "there is no folder .*l1; make it first"),
        ("../notes.txt", r"notes\.txt exists and is no zip, so it stays as it is"),
        ("x" * 300, "cannot be written: File name too long"),
        ("/proc/x.zip", "cannot be written: "),
        ("/dev/null", "exists and is no zip"),
    ],
)
def test_a_place_where_no_zip_can_stand_is_a_sentence(course: Path, place: str, says: str) -> None:
    (course.parent / "notes.txt").write_text("mine")
    with pytest.raises(CourseError, match=f"^--bundle .*{says}"):
        release_bundle(course, "l1", course / place)
    assert (course.parent / "notes.txt").read_text() == "mine"
    assert not (course / "exercises").exists()


def test_a_zip_does_not_stand_in_the_exercise_that_it_holds(course: Path) -> None:
    (course / "exercises" / "l1").mkdir(parents=True)
    with pytest.raises(CourseError, match="would stand among the files that it is made from"):
        release_bundle(course, "l1", course / "exercises" / "l1" / "x.zip")


def test_an_older_zip_is_replaced_also_behind_a_link(course: Path) -> None:
    release_bundle(course, "l1", course / "x.zip")
    first = (course / "x.zip").read_bytes()
    (course / "solutions" / "l1" / "README.md").write_text("# Mixing rows\n")
    (course / "link.zip").symlink_to("x.zip")
    release_bundle(course, "l1", course / "link.zip")
    assert (course / "link.zip").is_symlink()
    assert (course / "x.zip").read_bytes() != first
    with zipfile.ZipFile(course / "x.zip") as packed:
        assert packed.read("README.md").startswith(b"# Mixing rows\n")


def test_a_release_that_fails_leaves_no_zip_or_the_old_one(course: Path) -> None:
    (course / "solutions" / "l1" / "README.md").write_text("The rows were mixed along the wrong axis.\n")
    with pytest.raises(CourseError, match="a sentence of the answer key"):
        release_bundle(course, "l1", course / "x.zip")
    assert not (course / "x.zip").exists()
    (course / "solutions" / "l1" / "README.md").write_text("# Mixing rows\n")
    release_bundle(course, "l1", course / "x.zip")
    before = (course / "x.zip").read_bytes()
    with pytest.raises(CourseError, match="does not exist; choose one of: l1"):
        release_bundle(course, "l2", course / "x.zip")
    assert (course / "x.zip").read_bytes() == before
    assert sorted(path.name for path in course.iterdir()) == ["exercises", "solutions", "x.zip"]


def test_a_grader_that_knows_an_answer_is_not_packed(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "elsewhere" / "grader"
    package.mkdir(parents=True)
    (package / "hints.py").write_text(f"# copied\n{KEY}")
    (package.parent / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    monkeypatch.setattr(bundle, "PACKAGE", package)
    with pytest.raises(CourseError, match=r"grader/hints\.py line 7: a sentence of the answer key: The rows were"):
        release_bundle(course, "l1", course / "x.zip")
    assert not (course / "x.zip").exists()
    assert not (course / "exercises").exists()


def test_the_command_ends_with_2_and_a_sentence(course: Path) -> None:
    done = grader(course, "release", "l1", "--bundle", "none/x.zip")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("--bundle none/x.zip: there is no folder ")
