"""`grader check --watch`, run as students run it: another process, and files that are saved while it runs."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from grader.student.saved import marks, next_save, settled

ROOT = Path(__file__).parents[1]
CHECKS = '''
import pytest
from grader.public import Question

QUESTIONS = {
    "double": Question(points=5, names=("double",), hint="How often does x count?"),
    "answer": Question(points=1, names=("ANSWER",)),
}

@pytest.mark.question("double")
def test_double(student):
    """the result is twice the number"""
    assert student.double(3) == 6, "double(3) is not 6."

@pytest.mark.question("answer")
def test_answer(student):
    """the answer is a number"""
    assert isinstance(student.ANSWER, int)
'''
RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
NEXT_IS_DOUBLE = "0 of 2 questions done. Next: double() in lesson.py."
NEXT_IS_ANSWER = "1 of 2 questions done. Next: ANSWER in lesson.py."
DONE = "2 of 2 questions done. Save lesson.py and hand it in."
PATIENCE = 90.0


class Watching:
    """The command, what it has printed, and how to wait for more."""

    def __init__(self, folder: Path, output: int = subprocess.PIPE) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "TERM": "xterm"}
        command = [sys.executable, "-m", "grader", "check", "--watch", "."]
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.PIPE, text=True
        )
        self.lines: list[str] = []
        self._seen = 0
        if self.process.stdout is not None:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines += []
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def until(self, text: str) -> list[str]:
        """The new lines up to the one that says what is watched, when one of them has this text."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            new = self.lines[self._seen :]
            ends = [number for number, line in enumerate(new) if line.startswith("Watching ")]
            if ends:
                shown = new[: ends[0] + 1]
                self._seen += len(shown)
                if any(text in line for line in shown):
                    return shown
            time.sleep(0.05)
        raise AssertionError(f"{text!r} did not come; there is:\n" + "\n".join(self.lines))

    def stop(self) -> tuple[str, int]:
        """What it says on Ctrl-C, and its exit code; nothing of it may be left."""
        family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=PATIENCE)
        assert psutil.wait_procs(family, timeout=5)[1] == []
        return said, self.process.returncode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_lesson.py").write_text(CHECKS)
    (tmp_path / "lesson.py").write_text(WRONG)
    return tmp_path


@pytest.fixture
def watching(folder: Path) -> Iterator[Watching]:
    watching = Watching(folder)
    yield watching
    if watching.process.poll() is None:
        watching.stop()


def test_each_save_shows_the_one_thing_that_comes_next(folder: Path, watching: Watching) -> None:
    assert watching.until(NEXT_IS_DOUBLE) == [
        "lesson.py  ✗·  0 of 2",
        "",
        "double(), 5 points: failed",
        "    double(3) is not 6.",
        "    lesson.py, line 1",
        "    Should hold: the result is twice the number.",
        "    Stuck? `grader hint double` asks you something.",
        "",
        NEXT_IS_DOUBLE,
        "Watching lesson.py and test_lesson.py: save, and this is checked again. Ctrl-C ends it.",
    ]
    (folder / "lesson.py").write_text(RIGHT)
    assert watching.until(NEXT_IS_ANSWER)[:4] == [
        "lesson.py  ●·  1 of 2",
        "",
        "ANSWER, 1 point: not attempted",
        "    ANSWER is not written yet.",
    ]
    (folder / ".lesson.py.swp").write_text(f"{RIGHT}ANSWER = 3\n")
    os.replace(folder / ".lesson.py.swp", folder / "lesson.py")  # as many editors save
    assert watching.until(DONE)[0] == "lesson.py  ●○  2 of 2"
    (folder / "test_lesson.py").write_text(CHECKS.replace("== 6", "== 7"))
    watching.until(NEXT_IS_ANSWER.replace("ANSWER", "double()"))
    assert watching.stop() == ("Stopped watching.\n", 130)


def test_the_question_that_was_worked_on_is_shown_wherever_it_stands(folder: Path, watching: Watching) -> None:
    watching.until(NEXT_IS_DOUBLE)
    answer_next = NEXT_IS_DOUBLE.replace("double()", "ANSWER")
    (folder / "lesson.py").write_text(f"{WRONG}ANSWER = 'three'\n")
    assert watching.until(answer_next)[2] == "ANSWER, 1 point: failed"
    (folder / "lesson.py").write_text(f"\n{WRONG}ANSWER = 'four'\n")  # still wrong, and as before
    watching.until(answer_next)
    (folder / "lesson.py").write_text(f"{WRONG}ANSWER = 3\n")
    watching.until("1 of 2 questions done. Next: double() in lesson.py.")


def test_files_that_are_half_written_missing_or_broken_are_told_and_watched_on(
    folder: Path, watching: Watching
) -> None:
    watching.until(NEXT_IS_DOUBLE)
    (folder / "lesson.py").unlink()
    watching.until("lesson.ipynb")
    (folder / "lesson.ipynb").write_text('{"cells": [{"cell_type": "code", "sour')
    assert watching.until("lesson.ipynb ends in the middle")[0] == "lesson.ipynb  ··  0 of 2"
    cell = {"cell_type": "code", "source": f"{RIGHT}ANSWER = 3", "metadata": {}, "outputs": []}
    (folder / "lesson.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4, "metadata": {}}))
    watching.until("2 of 2 questions done. Save lesson.ipynb and hand it in.")
    (folder / "test_lesson.py").rename(folder / "away")
    watching.until("This folder holds no public checks (test_*.py) any more: put the file back.")
    (folder / "away").rename(folder / "test_lesson.py")
    watching.until("2 of 2 questions done.")
    (folder / "test_lesson.py").write_text("QUESTIONS = {")
    watching.until("test_lesson.py cannot be used: was it changed?")
    assert watching.stop() == ("Stopped watching.\n", 130)


def test_a_save_ends_a_function_that_never_ends_and_so_does_ctrl_c(folder: Path, watching: Watching) -> None:
    watching.until(NEXT_IS_DOUBLE)
    endless = "def double(x):\n    while True:\n        pass\n"
    (folder / "lesson.py").write_text(endless)
    time.sleep(3)
    (folder / "lesson.py").write_text(RIGHT)
    saved = time.monotonic()
    watching.until(NEXT_IS_ANSWER)
    assert time.monotonic() - saved < 60
    assert not any("still running" in line for line in watching.lines)
    (folder / "lesson.py").write_text(endless)
    watching.until("double() was still running after 10 s and was stopped.")
    (folder / "lesson.py").write_text(f"import subprocess\nsubprocess.Popen(['sleep', '1000'])\n{endless}")
    time.sleep(3)
    assert watching.stop() == ("Stopped watching.\n", 130)


def test_code_that_ends_python_is_told(folder: Path, watching: Watching) -> None:
    watching.until(NEXT_IS_DOUBLE)
    (folder / "lesson.py").write_text("import os\nos._exit(7)\n")
    watching.until("Your code has ended Python (exit code 7), so no question could be checked.")
    (folder / "lesson.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    watching.until("Python was ended by SIGSEGV while your code ran, so no question could be checked.")
    (folder / "lesson.py").write_text(RIGHT)
    watching.until(NEXT_IS_ANSWER)


def test_files_that_the_students_code_writes_itself_are_no_save(folder: Path, watching: Watching) -> None:
    watching.until(NEXT_IS_DOUBLE)
    (folder / "lesson.py").write_text(f"open('helper.py', 'w').write('A = 1')\n{RIGHT}")
    watching.until(NEXT_IS_ANSWER)
    time.sleep(8)
    # once more, for the file is new, unless it was there before the files were looked at
    assert sum(NEXT_IS_ANSWER in line for line in watching.lines) in (1, 2)


def test_nothing_is_left_when_the_command_is_killed(folder: Path, watching: Watching) -> None:
    watching.until(NEXT_IS_DOUBLE)
    (folder / "lesson.py").write_text("def double(x):\n    while True:\n        pass\n")
    time.sleep(2)
    family = psutil.Process(watching.process.pid).children(recursive=True)
    assert family
    watching.process.kill()
    watching.process.communicate()
    assert psutil.wait_procs(family, timeout=8)[1] == []


def test_the_screen_is_cleared_on_a_terminal_and_nowhere_else(folder: Path) -> None:
    ours, theirs = pty.openpty()
    watching = Watching(folder, output=theirs)
    os.close(theirs)
    shown = b""
    while b"Ctrl-C ends it." not in shown:
        shown += os.read(ours, 4096)
    assert watching.stop() == ("Stopped watching.\n", 130)
    os.close(ours)
    assert b"\x1b[2J" in shown.partition(b"lesson.py  ")[0]


def test_a_folder_without_checks_ends_at_once_with_2(tmp_path: Path) -> None:
    watching = Watching(tmp_path)
    _, said = watching.process.communicate(timeout=PATIENCE)
    assert said == "This folder holds no public checks (test_*.py): give the folder of an exercise.\n"
    assert watching.process.returncode == 2


def test_a_save_is_seen_by_time_size_or_another_file_in_the_place(tmp_path: Path) -> None:
    file, other = tmp_path / "lesson.py", tmp_path / "other.txt"
    file.write_text("A = 1")
    before = settled(tmp_path)
    other.write_text("A = 2")
    about = file.stat()
    os.utime(other, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert marks(tmp_path) == before  # no file of the lesson's
    os.replace(other, file)
    assert next_save(tmp_path, before) != before


def test_a_folder_that_goes_away_holds_nothing(tmp_path: Path) -> None:
    assert marks(tmp_path / "gone") == {}
