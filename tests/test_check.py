"""`grader check`: what it prints, and its exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grader.errors import CourseError
from grader.student.terminal import check_folder

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "solutions" / "l10_attention"
RELEASED = ROOT / "exercises" / "l10_attention"
CASES = ROOT / "tests" / "cases" / "attention"

CHECKS = '''
import pytest
from grader.student.tally import Question

QUESTIONS = {"double": Question(points=5, names=("double",)), "answer": Question(points=1, names=("ANSWER",))}

@pytest.mark.question("double")
def test_double_is_twice_the_number(student):
    """the result is twice the number"""
    assert student.double(3) == 6, "double(3) is not 6."

@pytest.mark.question("answer")
def test_answer_is_a_number(student):
    """the answer is a number"""
    assert isinstance(student.ANSWER, int), "ANSWER is no number."
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_lesson.py").write_text(CHECKS)
    return tmp_path


def test_everything_done_is_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lesson.py").write_text("def double(x):\n    return 2 * x\nANSWER = 3\n")
    assert check_folder(folder) == 0
    assert capsys.readouterr().out.splitlines() == [
        "lesson.py",
        "passed         double()  5 points",
        "answered       ANSWER     1 point",
        '"answered": its form is right; whether the answer is, grading will say.',
        "",
        "2 of 2 questions done. Save lesson.py and hand it in.",
    ]


def test_a_failure_or_something_left_is_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lesson.py").write_text("def double(x):\n    return x\nANSWER = None\n")
    assert check_folder(folder / "lesson.py") == 1
    assert capsys.readouterr().out.splitlines() == [
        "lesson.py",
        "failed         double()  5 points  0 of 1 checks hold",
        "    double(3) is not 6.",
        "    lesson.py, line 1",
        "not attempted  ANSWER     1 point",
        "",
        "0 of 2 questions done. Next: double() in lesson.py.",
    ]
    (folder / "lesson.py").write_text("def double(x):\n    return 2 * x\nANSWER = None\n")
    assert check_folder(folder) == 1


def test_a_file_that_cannot_be_read_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lesson.ipynb").write_text("")
    assert check_folder(folder) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("lesson.ipynb is empty")
    assert lines[1:] == ["0 of 2 questions done. Next: double() in lesson.ipynb."]


def test_troubles_in_other_cells_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        {"cell_type": "code", "source": text} for text in ("1 / 0", "def double(x):\n    return 2 * x\nANSWER = 1")
    ]
    (folder / "lesson.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (folder / "lesson.py").write_text("ANSWER = 2\n")
    assert check_folder(folder) == 0
    text = capsys.readouterr().out
    assert "lesson.ipynb, cell 1, line 1: ZeroDivisionError: division by zero." in text
    assert "lesson.ipynb counts" in text


def test_two_folders_with_the_same_file_names_are_kept_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "test_lesson.py").write_text(CHECKS.replace('"answer"', '"reply"'))
    for place, text in ((folder, "ANSWER = 1\n"), (other, "ANSWER = None\n")):
        (place / "lesson.py").write_text(text)
        check_folder(place)
    assert [line for line in capsys.readouterr().out.splitlines() if "done" in line] == [
        "1 of 2 questions done. Next: double() in lesson.py.",
        "0 of 2 questions done. Next: double() in lesson.py.",
    ]


def test_settings_of_pytest_do_not_reach_the_checks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (folder / "conftest.py").write_text("raise RuntimeError\n")
    (folder / "lesson.py").write_text("def double(x):\n    return 2 * x\nANSWER = 3\n")
    assert check_folder(folder) == 0


def test_a_path_that_is_not_there_or_holds_no_checks_says_what_to_do(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(CourseError, match="does not exist: give the folder of an exercise"):
        check_folder(tmp_path / "nowhere")
    (tmp_path / "exercises" / "lesson").mkdir(parents=True)
    shutil.move(tmp_path / "test_lesson.py", tmp_path / "exercises" / "lesson")
    (tmp_path / "exercises" / "lesson" / "lesson.ipynb").write_text("{}")
    with pytest.raises(CourseError, match=r"holds no public checks .*: try `grader check .*exercises/lesson`"):
        check_folder(tmp_path)


def test_the_lessons_solution_passes_its_public_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("attention.ipynb", "test_attention.py"):
        shutil.copy(SOURCE / name, tmp_path)
    assert check_folder(tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "16 of 16 questions done. Save attention.ipynb and hand it in."


@pytest.mark.skipif(not RELEASED.is_dir(), reason="needs the released exercise")
@pytest.mark.parametrize("form", ["attention.ipynb", "attention.py"])
def test_every_question_of_the_released_exercise_is_not_attempted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    shutil.copy(RELEASED / form, tmp_path)
    shutil.copy(SOURCE / "test_attention.py", tmp_path)
    assert check_folder(tmp_path) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("not attempted") for line in lines) == 16
    assert lines[-1] == f"0 of 16 questions done. Next: mix_rows() in {form}."


@pytest.mark.skipif(not CASES.is_dir(), reason="needs the labelled cases")
def test_no_right_attention_fails_its_public_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(SOURCE / "test_attention.py", tmp_path)
    labels = [json.loads(line) for line in (CASES / "labels.jsonl").read_text().splitlines()]
    for label in labels:
        if label["label"] == "correct":
            shutil.copy(CASES / f"{label['id']}.py", tmp_path / "attention.py")
            check_folder(tmp_path)
            assert "passed         attention()" in capsys.readouterr().out, label["id"]
