"""A class over several jobs: order, stored results, and what is graded again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.files import whole_file
from grader.grading.grade import Grading
from grader.grading.jobs import Graded, Plan, grade_class
from grader.grading.store import result_path
from grader.key import AnswerKey
from grader.reading.discover import discover
from grader.results import Result, result_from_json
from grader.sandbox.isolation import Isolation, bubblewrap_trouble
from grader.sandbox.limits import Limits

RIGHT = "def project(x, table):\n    return x @ table.T\n"
WRONG = "def project(x, table):\n    return x @ table\n"
ISOLATION: Isolation = "process" if bubblewrap_trouble() else "bubblewrap"
ASSIGNMENT = "l10_attention"


@dataclass
class Course:
    """A class in a folder: write submissions, grade them, look at what was stored."""

    folder: Path
    grading: Grading

    def hand_in(self, student: str, source: str) -> Path:
        path = self.folder / "class" / student / "attention.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return path

    def grade(self, jobs: int = 1, **plan: Any) -> list[Graded]:
        chosen = Plan(jobs, ISOLATION, Limits(self.grading.seconds), self.folder / "graded", **plan)
        with discover(ASSIGNMENT, [self.folder / "class"]) as found:
            return list(grade_class(self.grading, found.entries, chosen))

    def stored(self, student: str) -> Path:
        return result_path(self.folder / "graded", ASSIGNMENT, student)


@pytest.fixture
def course(tmp_path: Path, key: AnswerKey) -> Course:
    return Course(tmp_path, Grading(key, key.seconds))


def score(graded: Sequence[Graded], student: str) -> float:
    return next(one.result.score for one in graded if one.result.student == student)


def again(graded: Sequence[Graded]) -> list[str]:
    """The students who were graded now, and not taken from the store."""
    return [one.result.student for one in graded if not one.stored]


def plain(result: Result) -> dict[str, Any]:
    """A result without its times, which no two runs share."""
    without = result.to_json()
    for question in without["questions"]:
        question.pop("seconds")
    return without


# --- order and stored files -------------------------------------------------------------------------------


def test_results_come_in_the_order_of_ids_and_do_not_depend_on_the_jobs(course: Course) -> None:
    for number in range(12):
        course.hand_in(f"s{number:02}", f"# {number}\n" + (RIGHT if number % 2 else WRONG))
    course.hand_in("s03", "import time\ntime.sleep(0.5)\n" + RIGHT)
    one, many = course.grade(jobs=1), course.grade(jobs=4, fresh=True)
    assert [graded.result.student for graded in one] == [f"s{number:02}" for number in range(12)]
    assert [plain(graded.result) for graded in one] == [plain(graded.result) for graded in many]
    assert {score(one, "s02"), score(one, "s03")} == {0, 5}


def test_every_result_is_stored_as_it_was_given_out(course: Course) -> None:
    course.hand_in("alice", RIGHT)
    course.hand_in("bob", WRONG)
    for graded in course.grade(jobs=2):
        stored = json.loads(course.stored(graded.result.student).read_text(encoding="utf-8"))
        plain = json.loads(json.dumps(graded.result.to_json()))
        assert {name: stored[name] for name in plain} == plain
        assert result_from_json(plain) == graded.result
    assert sorted(file.name for file in course.stored("alice").parent.iterdir()) == ["alice.json", "bob.json"]


def test_an_empty_class_is_graded_at_once(course: Course) -> None:
    assert list(grade_class(course.grading, (), Plan(4, ISOLATION, Limits(), course.folder))) == []


def test_what_cannot_be_read_gets_zero_and_a_sentence_and_stops_nobody(course: Course) -> None:
    course.hand_in("alice", RIGHT)
    broken = course.hand_in("bob", "").with_suffix(".ipynb")
    broken.with_suffix(".py").unlink()
    broken.write_text("{ not a notebook", encoding="utf-8")
    course.hand_in("carol", RIGHT)
    graded = course.grade(jobs=2)
    assert [one.result.score for one in graded] == [5, 0, 5]
    assert [bool(one.problem) for one in graded] == [False, True, False]
    bob = graded[1].result
    assert bob.status == "graded"
    assert len(bob.messages) == 1
    assert graded[1].problem.endswith(bob.messages[0])
    assert {question.status for question in bob.questions} == {"not_attempted"}
    assert [question.max_score for question in bob.questions] == [q.max_score for q in graded[0].result.questions]


def test_one_bad_student_costs_the_others_nothing(course: Course) -> None:
    course.grading = Grading(course.grading.key, 0.7)
    course.hand_in("a_exits", "import os\nos._exit(0)\n" + RIGHT)
    course.hand_in("b_hangs", "while True: pass\n")
    course.hand_in(
        "c_strays", "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\n" + RIGHT
    )
    course.hand_in("d_kills", "import os\nos.kill(os.getppid(), 9)\n")
    course.hand_in("e_fine", RIGHT)
    graded = course.grade(jobs=1)
    assert [one.result.score for one in graded] == [0, 0, 5, 0, 5]
    assert {one.result.status for one in graded} == {"graded"}
    assert [one.problem for one in graded] == [""] * 5
    plain_text = json.dumps([one.result.to_json() for one in graded])
    assert "grader_error" not in plain_text


# --- what is graded again ----------------------------------------------------------------------------------


def written(path: Path) -> tuple[int, int]:
    """Which file it is and when it was written; when it was last read is another matter."""
    return path.stat().st_ino, path.stat().st_mtime_ns


def test_what_did_not_change_is_not_graded_again(course: Course) -> None:
    alice, bob = course.hand_in("alice", RIGHT), course.hand_in("bob", WRONG)
    first = course.grade()
    assert again(first) == ["alice", "bob"]
    before = written(course.stored("alice"))
    alice.touch()
    bob.write_text(RIGHT)
    second = course.grade()
    assert again(second) == ["bob"]
    assert score(second, "bob") == 5
    assert second[0].result == first[0].result
    assert written(course.stored("alice")) == before
    assert again(course.grade()) == []
    assert again(course.grade(fresh=True)) == ["alice", "bob"]


def stored(**fields: Any) -> Callable[[Path, dict[str, Any]], str]:
    """Stored fields of another value."""
    return lambda work, result: json.dumps(result | fields)


def question(**fields: Any) -> Callable[[Path, dict[str, Any]], str]:
    """Fields of the first stored question of another value."""

    def change(work: Path, result: dict[str, Any]) -> str:
        first, *others = result["questions"]
        return json.dumps(result | {"questions": [first | fields, *others]})

    return change


def text(written: str | bytes) -> Callable[[Path, dict[str, Any]], str | bytes]:
    return lambda work, result: written


def renamed(work: Path, result: dict[str, Any]) -> str:
    work.rename(work.with_name("renamed.py"))
    return json.dumps(result)


# Each gets the student's file and the stored result, and says what is stored in its place.
CHANGES: dict[str, Callable[[Path, dict[str, Any]], str | bytes]] = {
    "another file": renamed,
    "another key": stored(key="another"),
    "another version of the grader": stored(grader="0.0.1"),
    "a grader error": stored(status="grader_error"),
    "truncated": lambda work, result: json.dumps(result)[:-40],
    "empty": text(""),
    "no JSON": text("hello"),
    "not UTF-8": text(b'{"student": "\xff"}'),
    "zeros": text(bytes(4096)),
    "null": text("null"),
    "a number": text("5"),
    "a text": text('"alice"'),
    "a list": text("[1, 2]"),
    "a list of pairs": text('[["schema", 1]]'),
    "deep": text("[" * 100_000),
    "another schema": stored(schema=2),
    "a score in words": stored(score="lots"),
    "a score that is no number": stored(score=float("nan")),
    "a score above the maximum": stored(score=1000),
    "no score": stored(score=None),
    "questions that are a number": stored(questions=5),
    "questions that are texts": stored(questions=["a", "b"]),
    "no questions": stored(questions=[]),
    "messages that are a number": stored(messages=5),
    "messages that are numbers": stored(messages=[5]),
    "a field more": stored(more=1),
    "a field less": lambda work, result: json.dumps({name: result[name] for name in result if name != "source"}),
    "a question's score in words": question(score="lots"),
    "a question without a title": question(title=None),
    "an unknown status": question(status="brilliant"),
    "checks that are a text": question(checks="ab"),
    "checks that are none": question(checks=None),
    "mistakes that are numbers": question(mistakes=[1]),
}


def test_a_stored_result_that_is_old_or_broken_is_graded_again(course: Course) -> None:
    students = {f"s{number:02}": name for number, name in enumerate(CHANGES)}
    work = {student: course.hand_in(student, RIGHT) for student in students}
    course.grade()
    for student, name in students.items():
        made = CHANGES[name](work[student], json.loads(course.stored(student).read_text(encoding="utf-8")))
        course.stored(student).write_bytes(made if isinstance(made, bytes) else made.encode())
    graded = course.grade()
    assert {students[one.result.student] for one in graded if one.stored} == set()
    assert {one.result.score for one in graded} == {5}


def test_a_result_that_ran_out_of_a_shorter_time_is_graded_again(course: Course) -> None:
    course.hand_in("alice", "import time\ndef project(x, table):\n    time.sleep(0.25)\n    return x @ table.T\n")
    normal = course.grading
    course.grading = Grading(course.grading.key, 0.3)
    assert [one.result.score for one in course.grade()] == [0]
    course.grading = normal
    [graded] = course.grade()
    assert (graded.stored, graded.result.score) == (False, 5)


def test_a_folder_in_place_of_a_stored_result_is_told(course: Course) -> None:
    course.hand_in("alice", RIGHT)
    course.stored("alice").mkdir(parents=True)
    with pytest.raises(OSError, match=r"alice"):
        course.grade()


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    """A write that fails leaves the old text whole, and no scraps."""
    path = tmp_path / "folder" / "alice.json"
    path.parent.mkdir()

    def write(path: Path, text: Any) -> None:
        with whole_file(path) as file:
            file.write(text)

    write(path, "old")
    with pytest.raises(TypeError):
        write(path, object())
    assert path.read_text() == "old"
    write(path, "new and half a character \udcff")
    assert "new" in path.read_text(encoding="utf-8")
    assert [file.name for file in path.parent.iterdir()] == ["alice.json"]


def test_stopping_early_stores_nothing_that_is_not_true(course: Course) -> None:
    """Somebody who presses Ctrl-C stops the workers in the middle of a submission."""
    for number in range(6):
        course.hand_in(f"s{number}", f"import time\ntime.sleep(0.6)  # {number}\n" + RIGHT)
    plan = Plan(2, ISOLATION, Limits(5.0), course.folder / "graded")
    with discover(ASSIGNMENT, [course.folder / "class"]) as found:
        running = grade_class(course.grading, found.entries, plan)
        next(running)
        running.close()
    for file in course.stored("s0").parent.glob("*.json"):
        assert json.loads(file.read_text())["score"] == 5, file.name
    assert {one.result.score for one in course.grade(jobs=2)} == {5}
