"""nbgrader's commands with the course's configuration, on each kind of gradebook: SQLite and a real PostgreSQL."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from tests.servers import ASSIGNMENT, CLASS, copy_course, nbgrader, postgresql, postgresql_trouble
from tests.variants import variants

RIGHT, LATE = "ada-all-right", "carla-unscaled"
ONE_POINT = """
from nbgrader.plugins import BasePlugin


class OnePoint(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 1.0
"""


@pytest.fixture(params=variants(["sqlite", "postgresql"], short=["sqlite"]))
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'gradebook.db'}"
        return
    if trouble := postgresql_trouble():
        pytest.skip(trouble)
    pytest.importorskip("psycopg2", reason="PostgreSQL's driver is not installed: pip install psycopg2-binary")
    with postgresql() as url:
        yield url


def test_what_an_instructor_enters_outlives_a_regrade(database: str, tmp_path: Path) -> None:
    course = copy_course(tmp_path / "course", [RIGHT, LATE])
    option = f"--db={database}"
    nbgrader(course, "generate_assignment", ASSIGNMENT, "--force", option)
    nbgrader(course, "autograde", ASSIGNMENT, option)
    assert scores(database) == {RIGHT: expected(RIGHT), LATE: expected(LATE)}

    enter_a_score_a_comment_and_a_due_date(database)
    hand_in_late(course, LATE)
    graded = scores(database)
    nbgrader(course, "autograde", ASSIGNMENT, "--force", option)
    assert entered(database) == (2.5, "Come and see me.")
    assert scores(database) == graded

    nbgrader(course, "generate_feedback", ASSIGNMENT, option)
    assert "Come and see me." in (course / "feedback" / LATE / ASSIGNMENT / "attention.html").read_text()
    nbgrader(course, "export", option)
    assert exported(course / "grades.csv") == {
        RIGHT: {"raw_score": graded[RIGHT], "late_submission_penalty": 0, "score": graded[RIGHT], "max_score": 100},
        LATE: {"raw_score": graded[LATE], "late_submission_penalty": 1, "score": graded[LATE] - 1, "max_score": 100},
    }


def enter_a_score_a_comment_and_a_due_date(database: str) -> None:
    with opened(database) as gradebook:
        gradebook.find_grade("attention", "attention", ASSIGNMENT, LATE).manual_score = 2.5
        gradebook.find_comment("attention_answer", "attention", ASSIGNMENT, LATE).manual_comment = "Come and see me."
        gradebook.find_assignment(ASSIGNMENT).duedate = datetime(2030, 1, 1, 12)
        gradebook.db.commit()


def hand_in_late(course: Path, student: str) -> None:
    """The work of a student arrived a minute late, which costs a point in this course."""
    when = datetime(2030, 1, 1, 12, 1, tzinfo=UTC)
    (course / "submitted" / student / ASSIGNMENT / "timestamp.txt").write_text(when.isoformat(sep=" "))
    (course / "late.py").write_text(ONE_POINT)
    with (course / "nbgrader_config.py").open("a") as config:
        config.write('\nget_config().AssignLatePenalties.plugin_class = "late.OnePoint"\n')


def scores(database: str) -> dict[str, float]:
    """The scores of the assignment by student, in points, without what being late costs."""
    with opened(database) as gradebook:
        return {one.student_id: one.score for one in gradebook.assignment_submissions(ASSIGNMENT)}


def entered(database: str) -> tuple[float, str]:
    """The score and the comment that the instructor gave."""
    with opened(database) as gradebook:
        grade = gradebook.find_grade("attention", "attention", ASSIGNMENT, LATE)
        comment = gradebook.find_comment("attention_answer", "attention", ASSIGNMENT, LATE)
        return grade.manual_score, comment.manual_comment


def opened(database: str) -> Any:
    """The gradebook, which the end of a with block closes; nbgrader's types say columns where values are."""
    return Gradebook(database)


def expected(student: str) -> float:
    return float(json.loads((CLASS / student / "expected.json").read_text())["score"])


def exported(file: Path) -> dict[str, dict[str, float]]:
    """The points in grades.csv by student and column."""
    columns = ("raw_score", "late_submission_penalty", "score", "max_score")
    with file.open(newline="") as lines:
        return {row["student_id"]: {name: float(row[name]) for name in columns} for row in csv.DictReader(lines)}
