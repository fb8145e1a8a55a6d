"""nbgrader's own commands on the golden class, from a clone without a gradebook: scores, feedback pages, exit codes."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from grader.markdown import unmarked
from tests.variants import variants
from tests.warm import warm

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "l10_attention"
CLASS = ROOT / "tests/submissions" / ASSIGNMENT
SOME = [
    "ada-all-right",
    "ben-all-right-script",
    "carla-unscaled",
    "lea-syntax-error",
    "nina-endless-cell",
    "omar-os-exit",
    "petra-empty",
    "quentin-untouched",
    "rosa-wrong-numbers",
    "sam-half-finished",
    "tara-both-forms",
    "uma-magics",
]
STUDENTS = sorted(folder.name for folder in CLASS.iterdir() if folder.is_dir())


@dataclass(frozen=True)
class Graded:
    """A course after autograde, generate_feedback and export, and what `grader grade` says of the same class."""

    folder: Path
    said: dict[str, subprocess.CompletedProcess[str]]
    results: dict[str, Any]
    grades: dict[str, dict[str, float | None]]

    def page(self, student: str) -> str:
        return (self.folder / "feedback" / student / ASSIGNMENT / "attention.html").read_text(encoding="utf-8")


def command(folder: Path, *arguments: str, is_warm: bool = True) -> subprocess.CompletedProcess[str]:
    """A program of this environment as it is run when the environment is not activated."""
    program = [str(Path(sys.executable).parent / arguments[0]), *arguments[1:]]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "VIRTUAL_ENV"))}
    plain["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    start = warm(*program) if is_warm else program
    return subprocess.run(start, cwd=folder, env=plain, capture_output=True, text=True, timeout=300)


def new_course(folder: Path) -> Path:
    for name in ("solutions", "exercises"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("course_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return graded_class(new_course(tmp_path_factory.mktemp("course")), SOME)


@pytest.fixture(scope="module")
def graded_others(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return graded_class(new_course(tmp_path_factory.mktemp("course")), [one for one in STUDENTS if one not in SOME])


@pytest.fixture
def graded_with(request: pytest.FixtureRequest) -> Callable[[str], Graded]:
    """The class that a student is in."""

    def find(student: str) -> Graded:
        found: Graded = request.getfixturevalue("graded" if student in SOME else "graded_others")
        return found

    return find


def graded_class(folder: Path, students: Sequence[str]) -> Graded:
    for student in students:
        without_label = shutil.ignore_patterns("expected.json")
        shutil.copytree(CLASS / student, folder / "submitted" / student / ASSIGNMENT, ignore=without_label)
    said = {
        name: command(folder, "nbgrader", name, *([] if name == "export" else [ASSIGNMENT]), is_warm=False)
        for name in ("autograde", "generate_feedback", "export")
    }
    shutil.rmtree(folder / "graded")  # what nbgrader's run stored must not be what `grader grade` prints
    alone = command(folder, "grader", "grade", ASSIGNMENT, "--format", "json")
    results = {result["student"]: result for result in json.loads(alone.stdout)}
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        grades = {
            submission.student.id: {grade.name: grade.auto_score for grade in submission.notebooks[0].grades}
            for submission in gradebook.assignment_submissions(ASSIGNMENT)
        }
    return Graded(folder, said, results, grades)


def test_every_command_ends_well(graded: Graded) -> None:
    for name, ran in graded.said.items():
        assert ran.returncode == 0, (name, ran.stderr[-3000:])
        assert "Traceback" not in ran.stderr, (name, ran.stderr[-3000:])
        assert "SAWarning" not in ran.stderr


@pytest.mark.parametrize("student", variants(STUDENTS, short=SOME))
def test_the_gradebook_holds_what_grader_grade_says_question_by_question(
    student: str, graded_with: Callable[[str], Graded]
) -> None:
    graded = graded_with(student)
    expected = {question["id"]: question["score"] for question in graded.results[student]["questions"]}
    assert graded.grades[student] == expected
    assert len(expected) == 16
    label = json.loads((CLASS / student / "expected.json").read_text(encoding="utf-8"))
    assert sum(score or 0 for score in graded.grades[student].values()) == label["score"]


@pytest.mark.parametrize("student", variants(STUDENTS, short=SOME))
def test_the_feedback_page_shows_what_the_student_reads_and_nothing_hidden(
    student: str, graded_with: Callable[[str], Graded]
) -> None:
    graded = graded_with(student)
    page = as_text(graded.page(student))
    for question in graded.results[student]["questions"]:
        for line in question["feedback"].split("\n"):
            said = re.sub(r"`|^- ", "", unmarked(line)).strip()
            assert " ".join(said.split()) in page, (question["id"], said)
    for message in graded.results[student]["messages"]:
        assert " ".join(message.replace("`", "").split()) in page
    assert "HIDDEN TESTS" not in page
    assert "was not graded" not in page


def as_text(page: str) -> str:
    """What a page says, without its marks."""
    import html

    text = html.unescape(re.sub(r"<[^>]*>", "", page))
    return " ".join(text.replace("`", "").split())


def test_the_export_has_every_student_with_the_score(graded: Graded) -> None:
    with (graded.folder / "grades.csv").open(newline="") as file:
        exported = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert exported == {student: result["score"] for student, result in graded.results.items()}


def test_no_question_waits_for_a_grade_by_hand(graded: Graded) -> None:
    with Gradebook(f"sqlite:///{graded.folder / 'gradebook.db'}") as gradebook:
        assert not any(submission.needs_manual_grade for submission in gradebook.assignment_submissions(ASSIGNMENT))


def test_a_second_run_grades_nobody_again(graded: Graded) -> None:
    again = command(graded.folder, "nbgrader", "autograde", ASSIGNMENT)
    assert again.returncode == 0
    assert again.stderr.count("Skipping existing assignment") == len(SOME)
    assert "Autograding" not in again.stderr


def test_the_outputs_of_a_students_own_cells_are_on_the_page(graded: Graded) -> None:
    notebook = json.loads((graded.folder / "autograded/ada-all-right" / ASSIGNMENT / "attention.ipynb").read_text())
    streams = [output for output in outputs_of(notebook) if output["output_type"] == "stream"]
    assert any("tensor([" in "".join(output["text"]) for output in streams)


def outputs_of(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in notebook["cells"]:
        yield from cell.get("outputs", ())


@pytest.mark.long
def test_a_class_whose_gradebook_is_older_than_the_key_is_told_what_to_do(graded: Graded, tmp_path: Path) -> None:
    folder = new_course(tmp_path)
    shutil.copy(graded.folder / "gradebook.db", folder)
    shutil.copytree(CLASS / "ada-all-right", folder / "submitted/ada-all-right" / ASSIGNMENT)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.find_grade_cell("attention", "attention", ASSIGNMENT).max_score = 3
        gradebook.db.commit()
    again = command(folder, "nbgrader", "autograde", ASSIGNMENT, "--force")
    assert again.returncode == 1
    assert "`grader release l10_attention`" in again.stderr
    assert "3 points" in again.stderr
    assert "Traceback" not in again.stderr
    assert command(folder, "grader", "release", ASSIGNMENT).returncode == 0
    mended = command(folder, "nbgrader", "autograde", ASSIGNMENT, "--force")
    assert mended.returncode == 0, mended.stderr
    assert "Grading 1 submission of l10_attention" in mended.stderr
