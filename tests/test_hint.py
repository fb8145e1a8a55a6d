"""`grader hint`: a question back, for the question asked about or the next one that is open."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.errors import CourseError
from grader.key import AnswerKey
from grader.student.hint import hint_command
from tests.warm import warm

ROOT = Path(__file__).parents[1]
RELEASED = ROOT / "exercises" / "l10_attention"
CHECKS = '''
import pytest
from grader.public import Question

print("a test file may print")
QUESTIONS = {
    "double": Question(points=5, names=("double",), hint="How often does x count?"),
    "halves": Question(points=1, names=("FIRST_HALF", "LAST_HALF"), title="Two halves", hint="Which is longer?"),
    "silent": Question(points=2, names=("SILENT",)),
}

@pytest.mark.question("double")
def test_double(student):
    """the result is twice the number"""
    assert student.double(3) == 6, "double(3) is not 6."

@pytest.mark.question("halves")
@pytest.mark.parametrize("name", ["FIRST_HALF", "LAST_HALF"])
def test_halves(student, name):
    """the answer is a number"""
    assert isinstance(getattr(student, name), int)

@pytest.mark.question("silent")
def test_silent(student):
    """the answer is a number"""
    assert isinstance(student.SILENT, int)
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "test_lesson.py").write_text(CHECKS)
    (tmp_path / "lesson.py").write_text("def double(x):\n    return 2 * x\nFIRST_HALF = 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hint(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[list[str], int]:
    code = hint_command(words)
    return capsys.readouterr().out.splitlines(), code


@pytest.mark.parametrize("asked", ["halves", "Halves", "LAST_HALF", "first_half"])
def test_a_question_is_found_by_its_id_and_by_what_is_written_for_it(
    folder: Path, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    lines = ["Two halves: FIRST_HALF, LAST_HALF, 1 point", "Ask yourself: Which is longer?"]
    assert hint(capsys, asked) == (lines, 0)


def test_the_folder_may_be_named_behind_the_question(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    lines = ["double(), 5 points", "Ask yourself: How often does x count?"]
    assert hint(capsys, "double()", str(folder)) == (lines, 0)
    assert hint(capsys, "double", str(folder / "lesson.py")) == (lines, 0)


def test_without_a_question_it_is_the_next_that_is_open(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hint(capsys)[0][0] == "Two halves: FIRST_HALF, LAST_HALF, 1 point"
    (folder / "lesson.py").write_text("def double(x):\n    return x\n")
    assert hint(capsys, str(folder))[0][0] == "double(), 5 points"


def test_nothing_is_asked_when_all_is_done(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lesson.py").write_text("def double(x):\n    return 2 * x\nFIRST_HALF = LAST_HALF = SILENT = 1\n")
    assert hint(capsys) == (["3 of 3 questions done. Save lesson.py and hand it in."], 0)


def test_a_question_without_a_hint_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, code = hint(capsys, "silent")
    assert lines[1] == "This question has no hint; its text in the exercise says what is asked for."
    assert code == 1


def test_a_file_that_cannot_be_read_comes_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lesson.py").unlink()
    (folder / "lesson.ipynb").write_text('{"cells": [')
    lines, code = hint(capsys)
    assert lines[0].startswith("lesson.ipynb ends in the middle")
    assert code == 1


def test_an_unknown_question_names_those_that_are_close_or_all(folder: Path) -> None:
    with pytest.raises(CourseError, match=r'no question "doubel" here: did you mean double\?'):
        hint_command(["doubel"])
    with pytest.raises(CourseError, match=r"did you mean halves\?"):
        hint_command(["LASTHALF"])
    with pytest.raises(CourseError, match="the questions are double, halves, silent"):
        hint_command(["xyz"])


def test_what_cannot_be_understood_is_a_sentence(folder: Path) -> None:
    with pytest.raises(CourseError, match="One question at a time"):
        hint_command(["double", "halves", "."])
    with pytest.raises(CourseError, match="does not exist"):
        hint_command(["double", "nowhere/at/all"])
    (folder / "test_lesson.py").write_text(f"import pytest\npytest.skip()\n{CHECKS}")
    with pytest.raises(CourseError, match=r"test_lesson\.py cannot be used: was it changed\?"):
        hint_command(["double"])


def test_in_the_courses_root_the_whole_command_is_said(folder: Path) -> None:
    place = folder / "exercises" / "lesson"
    place.mkdir(parents=True)
    shutil.move(folder / "test_lesson.py", place)
    (place / "lesson.ipynb").write_text("{}")
    with pytest.raises(CourseError, match="try `grader hint double exercises/lesson`"):
        hint_command(["double"])


def test_an_unknown_question_ends_the_command_with_2_and_no_traceback(folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = warm("grader", "hint", "doubel")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'There is no question "doubel" here: did you mean double?\n'


def test_each_question_of_the_lesson_has_a_hint_that_asks_and_is_none_of_the_answer_keys(
    key: AnswerKey, capsys: pytest.CaptureFixture[str]
) -> None:
    private = (ROOT / "solutions/keys/l10_attention.py").read_text()
    for question in key.questions:
        lines, code = hint(capsys, question.id, str(RELEASED))
        said = lines[1].removeprefix("Ask yourself: ")
        assert code == 0
        assert said.endswith("?"), said
        assert said not in private
        assert not re.search(r"softmax|sqrt|√|@|\bdim\b|\"[A-D]\"", said), "it would tell how"
