"""The demo class is graded through the real command line, and each student gets what a fair grader would say.

A submission stands in submissions/l10_attention/STUDENT, and beside it expected.json: `score`; `statuses` of the
questions that are not passed; `mistakes` that are named, by question; what the feedback `says`, by question;
`messages` about the whole submission, each as a part of its text. What is not named there must not be there,
except for `says`, which names only what matters.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.key import load_key
from grader.releasing.forms import write_script
from tests.warm import warm

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ASSIGNMENT = "l10_attention"
CLASS = HERE / "submissions" / ASSIGNMENT
STUDENTS = sorted(folder.name for folder in CLASS.iterdir() if folder.is_dir())
SHORT = ("--timeout", "2")  # seconds; what hangs in this class hangs for ever

RESULT = [
    "schema",
    "assignment",
    "student",
    "source",
    "score",
    "max_score",
    "status",
    "questions",
    "messages",
    "isolation",
    "grader",
    "key",
    "submission",
]
QUESTION = ["id", "title", "status", "score", "max_score", "checks", "mistakes", "hint", "feedback", "seconds"]
CHECK = ["name", "status", "points", "max_points", "message"]
MISTAKE = ["step", "name", "message"]
STATUSES = {"passed", "partial", "failed", "crashed", "timed_out", "not_attempted", "grader_error"}

Graded = dict[str, Any]


@dataclass(frozen=True)
class Course:
    """A folder in which an instructor runs `grader grade`: it holds solutions/ and, later, graded/."""

    folder: Path

    def grade(self, *arguments: str | Path, is_warm: bool = True) -> subprocess.CompletedProcess[str]:
        words = ["grade", ASSIGNMENT, *map(str, arguments)]
        command = warm("grader", *words) if is_warm else [sys.executable, "-m", "grader", *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", timeout=300)

    def results(self, *arguments: str | Path) -> list[Graded]:
        """The results in the order printed, after a run that must end well."""
        done = self.grade(*arguments, "--format", "json")
        assert done.returncode == 0, done.stderr
        listed: list[Graded] = json.loads(done.stdout, parse_constant=pytest.fail)
        return listed


def new_course(folder: Path) -> Course:
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    return Course(folder)


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return new_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def printed(course: Course) -> str:
    """What grading the whole class printed, as JSON."""
    done = course.grade(CLASS, "--format", "json", *SHORT, is_warm=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def graded(printed: str) -> dict[str, Graded]:
    return {result["student"]: result for result in json.loads(printed, parse_constant=pytest.fail)}


@pytest.fixture(scope="session")
def untouched_and_solved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graded]:
    """A hundred students who handed in the exercise as it was, and the solution in both forms."""
    course = new_course(tmp_path_factory.mktemp("hundred"))
    students = course.folder / "students"
    exercise, solution = ROOT / "exercises" / ASSIGNMENT, ROOT / "solutions" / ASSIGNMENT
    for number in range(100):
        copied(exercise / ("attention.ipynb" if number % 2 else "attention.py"), students / f"untouched-{number:02}")
    script = write_script(copied(solution / "attention.ipynb", course.folder / "written"))
    copied(script, students / "solution-script")
    copied(solution / "attention.ipynb", students / "solution-notebook")
    return {result["student"]: result for result in course.results(students)}


def copied(file: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(file, folder))


# --- each student ---


@pytest.mark.parametrize("student", STUDENTS)
def test_a_student_gets_what_a_fair_grader_says(student: str, graded: dict[str, Graded]) -> None:
    expected = json.loads((CLASS / student / "expected.json").read_text(encoding="utf-8"))
    differences = dict(unlike(graded[student], expected))
    assert [f"{what}: {text}" for what, text in differences.items()] == []


def unlike(result: Graded, expected: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is not as expected, and how: `score`, `messages`, and questions by their ids."""
    if result["score"] != expected["score"]:
        yield "score", f"{result['score']}, expected {expected['score']}"
    if unexpected_messages(result["messages"], expected["messages"]):
        yield "messages", f"{result['messages']}, expected {expected['messages']}"
    for question in result["questions"]:
        name, text = question["id"], question["feedback"]
        found = (question["status"], [mistake["name"] for mistake in question["mistakes"]])
        wanted = (expected["statuses"].get(name, "passed"), expected["mistakes"].get(name, []))
        unsaid = [part for part in expected["says"].get(name, []) if part not in text]
        if found != wanted or unsaid:
            yield name, f"{found}, expected {wanted}; {unsaid} should stand in: {text}"


def unexpected_messages(messages: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether a message holds none of the parts, or a part stands in no message."""
    needless = [message for message in messages if not any(part in message for part in parts)]
    missing = [part for part in parts if not any(part in message for message in messages)]
    return bool(needless or missing)


def test_expected_results_name_questions_and_statuses_that_exist() -> None:
    ids = {question.id for question in load_key(ROOT / "solutions" / "keys", ASSIGNMENT).questions}
    for student in STUDENTS:
        expected = json.loads((CLASS / student / "expected.json").read_text(encoding="utf-8"))
        assert list(expected) == ["score", "statuses", "mistakes", "says", "messages"]
        assert {*expected["statuses"], *expected["mistakes"], *expected["says"]} <= ids
        assert set(expected["statuses"].values()) <= STATUSES - {"passed", "grader_error"}


# --- the class ---


def test_every_student_is_printed_once_in_the_order_of_their_ids(graded: dict[str, Graded]) -> None:
    assert list(graded) == STUDENTS


def test_results_have_the_fields_of_the_contract_in_its_order(graded: dict[str, Graded]) -> None:
    for result in graded.values():
        assert list(result) == RESULT
        for question in result["questions"]:
            assert list(question) in (QUESTION, [*QUESTION, "example"])
            assert all(list(check) == CHECK for check in question["checks"])
            assert all(list(mistake) == MISTAKE for mistake in question["mistakes"])


def test_scores_add_up_and_never_exceed_what_a_question_is_worth(graded: dict[str, Graded]) -> None:
    for result in graded.values():
        questions = result["questions"]
        assert result["max_score"] == 100 == sum(question["max_score"] for question in questions)
        assert math.isclose(result["score"], sum(question["score"] for question in questions), abs_tol=0.01)
        for question in questions:
            assert 0 <= question["score"] <= question["max_score"]
            assert all(check["points"] in (0, check["max_points"]) for check in question["checks"])


def test_statuses_are_those_of_the_contract_and_nothing_is_the_graders_fault(graded: dict[str, Graded]) -> None:
    for result in graded.values():
        assert result["status"] == "graded"
        questions = result["questions"]
        assert {part["status"] for question in questions for part in (question, *question["checks"])} <= STATUSES
        assert all(question["feedback"] for question in questions)


def test_a_rerun_grades_nothing_anew_and_prints_the_same(course: Course, printed: str) -> None:
    stored = {path.name: path.stat().st_mtime_ns for path in (course.folder / "graded" / ASSIGNMENT).iterdir()}
    assert sorted(stored) == [f"{student}.json" for student in STUDENTS]
    assert course.grade(CLASS, "--format", "json", *SHORT).stdout == printed
    assert stored == {path.name: path.stat().st_mtime_ns for path in (course.folder / "graded" / ASSIGNMENT).iterdir()}


def test_the_table_names_every_student_with_their_score(course: Course, graded: dict[str, Graded]) -> None:
    done = course.grade(CLASS, *SHORT)
    assert done.returncode == 0
    assert "0 graded in" in done.stderr
    assert f"{len(STUDENTS)} unchanged" in done.stderr
    for student, result in graded.items():
        assert f"{student}  {result['score']:g} of 100" in done.stdout


@pytest.fixture(scope="session")
def graded_otherwise(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graded]:
    """The class one after the other, last student first, without bubblewrap."""
    course = new_course(tmp_path_factory.mktemp("otherwise"))
    paths = [CLASS / student for student in reversed(STUDENTS)]
    results = course.results(*paths, *SHORT, "--jobs", "1", "--isolation", "process")
    return {result["student"]: result for result in results}


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.long
def test_order_jobs_and_isolation_change_no_result(
    student: str, graded: dict[str, Graded], graded_otherwise: dict[str, Graded]
) -> None:
    assert graded_otherwise[student]["isolation"] == "process"
    assert lasting(graded_otherwise[student]) == lasting(graded[student])


def test_a_student_alone_gets_the_result_they_get_in_class(tmp_path: Path, graded: dict[str, Graded]) -> None:
    student = "carla-unscaled"  # whose mistakes and wrong numbers are compared with what is computed once for all
    (alone,) = new_course(tmp_path).results(CLASS / student, *SHORT, "--jobs", "2")
    assert lasting(alone) == lasting(graded[student])


def lasting(result: Graded) -> Graded:
    """A result without what may differ between two runs."""
    questions = [{**question, "seconds": 0} for question in result["questions"]]
    return {**result, "questions": questions, "isolation": ""}


# --- the exercise and its solution ---


def test_a_hundred_untouched_exercises_get_nothing_and_are_not_attempted(
    untouched_and_solved: dict[str, Graded],
) -> None:
    untouched = [result for student, result in untouched_and_solved.items() if student.startswith("untouched")]
    assert len(untouched) == 100
    for result in untouched:
        assert (result["score"], result["messages"]) == (0, [])
        parts = [part for question in result["questions"] for part in (question, *question["checks"])]
        assert {part["status"] for part in parts} == {"not_attempted"}


@pytest.mark.parametrize("form", ["notebook", "script"])
def test_the_solution_gets_full_marks_in_both_forms(form: str, untouched_and_solved: dict[str, Graded]) -> None:
    result = untouched_and_solved[f"solution-{form}"]
    assert result["source"] == {"notebook": "attention.ipynb", "script": "attention.py"}[form]
    assert (result["score"], result["messages"]) == (100, [])
    assert {question["status"] for question in result["questions"]} == {"passed"}


def test_the_class_is_built_from_the_exercise_as_it_is_now(tmp_path: Path) -> None:
    make = HERE / "submissions" / "make_class.py"
    subprocess.run([sys.executable, make, tmp_path], check=True)
    for built in sorted(tmp_path.glob("*/*")):
        committed = CLASS / built.relative_to(tmp_path)
        again = f"run: python {make.relative_to(ROOT)}"
        assert built.read_text(encoding="utf-8") == committed.read_text(encoding="utf-8"), again
