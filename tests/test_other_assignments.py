"""Assignments that are no lessons of ours score as they do with nbgrader as it comes, cell by cell.

Each course is released once, copied, and graded twice by real commands: with nbgrader's own preprocessors and with
ours. What a cell should score is also written down by hand, so that both being wrong does not pass.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import nbgrader
import pytest
from nbgrader.api import Gradebook

from tests.variants import variants
from tests.warm import warm

NBGRADER = Path(nbgrader.__file__).parent
SAMPLE = NBGRADER / "docs/source/user_guide"
HOSTILE = [NBGRADER / "tests/apps/files", NBGRADER / "tests/preprocessors/files"]
OURS = "from grader.autograding.config import configure\nconfigure(c, source='source', release='release')\n"
HERE = Path(__file__).parent


@dataclass(frozen=True)
class CellGrade:
    """What the gradebook holds of one cell. `auto` is None where a person has to grade."""

    auto: float | None
    maximum: float
    by_hand: bool


@dataclass(frozen=True)
class Graded:
    """What one run of autograde left: grades and comments by (student, notebook, cell)."""

    grades: dict[tuple[str, str, str], CellGrade]
    comments: dict[tuple[str, str, str], str | None]
    autograded: set[str]
    exit_code: int
    said: str  # on both outputs of the terminal

    def scores(self, student: str) -> dict[str, float | None]:
        """The automatic scores of a student by cell."""
        return {cell: grade.auto for (who, _, cell), grade in self.grades.items() if who == student}


def run_nbgrader(course: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `nbgrader ...` in a course, with the environment of a terminal: ipykernel treats pytest in a special way."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    command = warm("nbgrader", *arguments)
    return subprocess.run(command, cwd=course, capture_output=True, text=True, env=environment, timeout=400)


def release(course: Path, assignment: str, timeout: int = 30) -> None:
    """Release an assignment of a course with nbgrader as it comes; cells get `timeout` seconds when graded."""
    (course / "nbgrader_config.py").write_text(f"c = get_config()\nc.Execute.timeout = {timeout}\n")
    ran = run_nbgrader(course, "generate_assignment", assignment)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def grade(course: Path, assignment: str, settings: str) -> Graded:
    """Grade a copy of a released course, with these settings besides its own."""
    copy = course.with_name(f"{course.name}-{'ours' if settings else 'stock'}")
    shutil.copytree(course, copy)
    with (copy / "nbgrader_config.py").open("a") as file:
        file.write(settings)
    ran = run_nbgrader(copy, "autograde", assignment)
    said = ran.stdout + ran.stderr
    # nbgrader only logs that a configuration is broken, and grades with its defaults
    assert "Exception while loading config" not in said, said
    autograded = {path.parts[-3] for path in copy.glob(f"autograded/*/{assignment}/*.ipynb")}
    with Gradebook(f"sqlite:///{copy / 'gradebook.db'}") as gradebook:
        notebooks = [
            (submission.student_id, notebook)
            for submission in gradebook.assignment_submissions(assignment)
            for notebook in submission.notebooks
        ]
        grades = {
            (student, notebook.name, one.name): CellGrade(one.auto_score, one.max_score, one.needs_manual_grade)
            for student, notebook in notebooks
            for one in notebook.grades
        }
        comments = {
            (student, notebook.name, one.name): one.auto_comment
            for student, notebook in notebooks
            for one in notebook.comments
        }
    return Graded(grades, comments, autograded, ran.returncode, said)


def differences(stock: Graded, ours: Graded) -> dict[object, tuple[object, object]]:
    """Where two runs differ, by cell, comment or fact about the run."""
    pairs: dict[object, tuple[object, object]] = {
        "exit code": (stock.exit_code, ours.exit_code),
        "autograded": (stock.autograded, ours.autograded),
    }
    for key in stock.grades.keys() | ours.grades.keys():
        pairs[key] = stock.grades.get(key), ours.grades.get(key)
    for key in stock.comments.keys() | ours.comments.keys():
        pairs["comment", *key] = stock.comments.get(key), ours.comments.get(key)
    return {what: pair for what, pair in pairs.items() if pair[0] != pair[1]}


def grade_both_ways(course: Path, assignment: str) -> tuple[Graded, Graded]:
    """Grade with nbgrader as it comes and with ours, at the same time."""
    with ThreadPoolExecutor(2) as pool:
        stock, ours = (pool.submit(grade, course, assignment, settings) for settings in ("", OURS))
        return stock.result(), ours.result()


@pytest.fixture(scope="session")
def courses() -> ModuleType:
    """The module that writes the courses in tests/courses."""
    spec = importlib.util.spec_from_file_location("make_courses", HERE / "courses/make_courses.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def released(courses: ModuleType, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a course with one assignment of tests/courses, released and with its submissions."""

    def make(assignment: str) -> Path:
        course = tmp_path / assignment
        courses.write_source(assignment, course)
        release(course, assignment, timeout=4 if assignment == "basics" else 30)
        courses.write_submissions(assignment, course)
        return course

    return make


@pytest.fixture
def sample_course(tmp_path: Path) -> Path:
    """nbgrader's own sample course, released, with the two submissions that it brings."""
    course = tmp_path / "sample"
    shutil.copytree(SAMPLE / "source/ps1", course / "source/ps1")
    shutil.copy(SAMPLE / "source/header.ipynb", course / "source")
    shutil.copytree(SAMPLE / "submitted", course / "submitted")
    release(course, "ps1")
    return course


def test_the_sample_course_of_nbgrader_scores_as_with_nbgrader_itself(sample_course: Path) -> None:
    stock, ours = grade_both_ways(sample_course, "ps1")
    assert differences(stock, ours) == {}
    tests = ("correct_squares", "squares_invalid_input", "correct_sum_of_squares", "sum_of_squares_uses_squares")
    assert [ours.scores("bitdiddle")[test] for test in tests] == [0, 1, 0, 0.5]
    assert [ours.scores("hacker")[test] for test in tests] == [1, 1, 0.5, 0.5]
    untouched = ("bitdiddle", "problem1", "sum_of_squares_application")
    assert ours.grades[untouched] == CellGrade(0, 2, by_hand=False)
    assert ours.comments[untouched] == "No response."


BY_HAND_SCORES: dict[str, dict[str, dict[str, float | None]]] = {
    "basics": {
        "ann": {"mean_test": 2, "count_words_share": 3, "count_words_type": 1, "fibonacci_test": 2, "clip_test": 1.5}
        | {"why": None, "own_function": None, "table": None},
        # a hidden test, half of the texts, a warning in the test cell; the cell with LIMIT is put back
        "ben": {"mean_test": 0, "count_words_share": 1.5, "count_words_type": 1, "fibonacci_test": 0, "clip_test": 1.5}
        | {"why": None, "own_function": 0, "table": None},
        "carl": {"mean_test": 0, "count_words_share": 0, "count_words_type": 0, "fibonacci_test": 0, "clip_test": 0}
        | {"why": 0, "own_function": None, "table": None},
        "dora": {"mean_test": 0, "count_words_share": 0, "count_words_type": 0, "fibonacci_test": 0, "clip_test": 0}
        | {"why": 0, "own_function": 0, "table": None},
    },
    "waves": {
        "ann": {"wave_values": 2, "wave_share": 1, "plot_line": 2, "plot_label": 1, "ratio_test": 1},
        # six of eleven values; two lines; numpy warns of the division in the test cell
        "ben": {"wave_values": 2, "wave_share": 6 / 11, "plot_line": 0, "plot_label": 1, "ratio_test": 0},
    },
    "heights": {
        "ann": {"heights_test": 2, "helper_is_ours": 1, "save_tallest_test": 2, "drawn": 1, "files": 1},
        # his own helper.py and heights.csv are put back; his file is not where the test looks
        "ben": {"heights_test": 2, "helper_is_ours": 1, "save_tallest_test": 0, "drawn": 1, "files": 0},
    },
}


@pytest.mark.parametrize("assignment", variants(BY_HAND_SCORES, short=("heights",)))
def test_an_assignment_of_another_kind_scores_as_with_nbgrader_itself(
    assignment: str, released: Callable[[str], Path]
) -> None:
    stock, ours = grade_both_ways(released(assignment), assignment)
    expected = BY_HAND_SCORES[assignment]
    for run in (stock, ours):
        assert run.exit_code == 0, run.said
        assert {student: run.scores(student) for student in expected} == {
            student: pytest.approx(scores) for student, scores in expected.items()
        }
    assert differences(stock, ours) == {}


# what a test cell of 2 points earns, by what it shows: with nbgrader as it comes, with ours
STOCK_FAILS_OPEN: dict[str, tuple[float, float]] = {
    "nan": (2, 0),
    "minus_one": (2, 0),
    "minus_infinity": (2, 0),
    "tensor_zero": (2, 0),
    "tensor_half": (2, 0.5),
    "numpy_half": (2, 0.5),
    "numpy_single": (2, 0.5),
    "numpy_whole": (2, 1),
    "false": (2, 0),
}
SAME_WITH_OURS: dict[str, float] = {
    "true": 2,
    "none": 2,
    "nothing": 2,
    "zero_as_text": 2,
    "list": 2,
    "dict": 2,
    "half": 0.5,
    "whole": 1,
    "printed": 2,
    "silenced": 2,
    "displayed": 2,
    "last_of_two": 1,
    "exit_code_zero": 0,
    "logged": 0,
    "bash_complains": 0,
    "shell_complains": 2,
    "captured": 2,
    "range": 2,
}
# the three tests of the other notebook, by student: what nbgrader as it comes puts into the gradebook, and ours.
# None stands where it gave up: the student has no autograded folder, and some points, of a run that failed.
Scores = list[float | None]
STOCK_GIVES_UP: dict[str, tuple[Scores, Scores]] = {
    "abe": ([1.5, None, None], [1.5, 0, 2]),  # 3.0 of 2 points
    "ian": ([1.5, None, None], [1.5, 0, 2]),  # inf
    "eve": ([None, None, None], [1.5, 0, 2]),  # os._exit(0)
    "xia": ([None, None, None], [1.5, 0, 2]),  # exit()
}

# Written to the descriptor: a thread of the kernel reads it, at times after the cell has ended, and nbgrader then gives
# full marks.
READ_LATE = {"child_complains": 0, "descriptor_two": 0}


@pytest.mark.long
def test_where_nbgrader_itself_gives_full_marks_or_none_at_all_ours_gives_what_was_earned(
    released: Callable[[str], Path],
) -> None:
    stock, ours = grade_both_ways(released("outputs"), "outputs")
    same = {cell: (score, score) for cell, score in SAME_WITH_OURS.items()}
    shown = [one for one in stock.grades if one[:2] == ("ann", "values")]
    assert {cell: ours.grades["ann", "values", cell].auto for cell in READ_LATE} == READ_LATE
    assert {
        cell: (stock.grades[who, book, cell].auto, ours.grades[who, book, cell].auto)
        for who, book, cell in shown
        if cell not in READ_LATE
    } == {
        **STOCK_FAILS_OPEN,
        **same,
    }
    ends = ("first_test", "second_test", "third_test")
    assert {
        who: tuple([run.scores(who)[cell] for cell in ends] for run in (stock, ours)) for who in STOCK_GIVES_UP
    } == STOCK_GIVES_UP
    assert [run.scores("ann")[cell] for run in (stock, ours) for cell in ends] == [1.5, 0.5, 2] * 2
    assert stock.exit_code == 1
    assert stock.autograded == {"ann"}
    assert ours.exit_code == 0, ours.said
    assert ours.autograded == {"ann", *STOCK_GIVES_UP}
    assert "Traceback" not in ours.said


# Notebooks that nbgrader's own tests use against nbgrader, each as the submission of one student of a class.
HONEST = ("aaron-honest", "zoe-honest")  # the first and the last of the class
NOSE = (
    "from unittest import TestCase\n\nassert_equal, assert_raises = TestCase().assertEqual, TestCase().assertRaises\n"
)
# scores of the tests of submitted-unchanged.ipynb: `foo` only prints, `bar` wants a == 1
FOO_BAR: dict[str, list[float]] = {
    "submitted-unchanged": [1, 0],
    "submitted-changed": [1, 1],
    "submitted-cheat-attempt": [1, 0],
    "submitted-cheat-attempt-alternative": [1, 0],
    "submitted-grade-cell-changed": [1, 0],
    "submitted-grade-cell-type-changed": [1, 0],
    "submitted-answer-cell-type-changed": [1, 0],
    "submitted-locked-cell-changed": [1, 0],
}


def hostile(pattern: str) -> dict[str, Path]:
    """nbgrader's test notebooks whose name begins with this, by the student that hands each in."""
    found = [path for folder in HOSTILE for path in sorted(folder.glob(f"{pattern}*.ipynb"))]
    return {f"{path.parts[-3]}-{path.stem}": path for path in found}


def hand_in(course: Path, assignment: str, students: dict[str, Path]) -> None:
    """Put every student's notebook into submitted/, as p1.ipynb."""
    for student, path in students.items():
        folder = course / "submitted" / student / assignment
        folder.mkdir(parents=True)
        shutil.copy(path, folder / "p1.ipynb")


def write_assignment(course: Path, assignment: str, notebooks: dict[str, Path]) -> None:
    """Make and release an assignment of some notebooks by name."""
    folder = course / "source" / assignment
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HOSTILE[0] / "jupyter.png", folder)
    for name, path in notebooks.items():
        shutil.copy(path, folder / f"{name}.ipynb")
    release(course, assignment, timeout=4)


def assert_everyone_is_graded_or_told(run: Graded, students: Iterable[str]) -> None:
    """Every student has an autograded notebook, or a sentence says why not; nobody gets a traceback to read."""
    assert "Traceback" not in run.said, run.said
    notes = [line for line in run.said.splitlines() if re.search(r"WARNING|ERROR|CRITICAL", line)]
    said = [line for line in notes if "There was an error processing" not in line and "Removing failed" not in line]
    silent = {one for one in students if one not in run.autograded and not any(one in line for line in said)}
    assert silent == set(), f"neither graded nor told:\n{run.said}"


@pytest.mark.long
def test_no_notebook_of_nbgraders_own_tests_keeps_a_class_from_its_grades(tmp_path: Path) -> None:
    course = tmp_path / "unchanged"
    write_assignment(course, "unchanged", {"p1": HOSTILE[0] / "submitted-unchanged.ipynb"})
    students = hostile("") | dict.fromkeys(HONEST, HOSTILE[0] / "submitted-changed.ipynb")
    hand_in(course, "unchanged", students)
    run = grade(course, "unchanged", OURS)
    assert_everyone_is_graded_or_told(run, students)
    expected = {who: FOO_BAR[path.stem] for who, path in students.items() if path.stem in FOO_BAR}
    assert {who: [run.scores(who)[cell] for cell in ("foo", "bar")] for who in expected} == expected


@pytest.mark.long
def test_no_old_or_unmarked_notebook_keeps_a_class_from_its_grades(tmp_path: Path) -> None:
    course = tmp_path / "squares"
    nose = course / "source/squares/nose"  # what the tests import, which few still have
    nose.mkdir(parents=True)
    (nose / "__init__.py").touch()
    (nose / "tools.py").write_text(NOSE)
    write_assignment(course, "squares", {"p1": HOSTILE[0] / "test.ipynb"})
    students = hostile("test") | dict.fromkeys(HONEST, HOSTILE[0] / "test.ipynb")
    hand_in(course, "squares", students)
    run = grade(course, "squares", OURS)
    assert_everyone_is_graded_or_told(run, students)
    for who in (*HONEST, "apps-test-with-output"):
        assert sum(score or 0 for score in run.scores(who).values()) == 3, who


@pytest.mark.long
def test_generated_tests_limits_files_and_environment_are_those_of_nbgrader_itself(tmp_path: Path) -> None:
    files = HOSTILE[0]
    course = tmp_path / "own"
    (course / "source/own").mkdir(parents=True)
    shutil.copy(files / "autotests.yml", course)
    shutil.copy(files / "data.txt", course / "source/own")
    alone = ("open_relative_file", "timeout", "validating-environment-variable")
    generated = ("autotest-hidden", "autotest-multi")
    write_assignment(course, "own", {name: files / f"{name}.ipynb" for name in (*alone, *generated)})
    ann, ben = (course / f"submitted/{who}/own" for who in ("ann", "ben"))
    shutil.copytree(course / "release/own", ann)
    (ann / "data.txt").write_text("a text of her own, which is put back")
    shutil.copy(files / "autotest-hidden-changed-right.ipynb", ann / "autotest-hidden.ipynb")
    shutil.copy(files / "autotest-multi-changed.ipynb", ann / "autotest-multi.ipynb")
    ben.mkdir(parents=True)
    shutil.copy(files / "autotest-hidden-changed-wrong.ipynb", ben / "autotest-hidden.ipynb")
    stock, ours = grade_both_ways(course, "own")
    assert differences(stock, ours) == {}
    # in one of four cells of tests, some values are not those of the solution
    multi = {
        cell: grade.auto for (who, book, cell), grade in ours.grades.items() if (who, book) == ("ann", "autotest-multi")
    }
    assert sum(score or 0 for score in multi.values()) == 3
    assert multi["cell-693350420ec62f1b"] == 0
    assert [ours.scores(who)["test_hidden"] for who in ("ann", "ben")] == [1, 0]
    assert ours.scores("ann")["open_file"] == 10
    assert ours.scores("ben")["open_file"] == 0  # not handed in, and would pass as it was released
    assert ours.scores("ann")["correct_squares"] == 0  # it sleeps for 5 s, 4 are given
    assert ours.scores("ann")["cell-bfbdf1784663b6b6"] == 0  # fails where NBGRADER_EXECUTION is set
