"""The process that grades a class for nbgrader: results are picked up whatever becomes of it, and nothing stays."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from grader.autograding.class_run import ClassRun
from grader.autograding.order import Order
from grader.autograding.source import SourceCell

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "l10_attention"
CLASS = ROOT / "tests/submissions" / ASSIGNMENT
STUDENTS = ("ada-all-right", "carla-unscaled", "sam-half-finished")
CHECK = SourceCell("attention", "code", 'check("attention")', "0" * 32, True, True, False, False, 20.0)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "solutions/keys", tmp_path / "solutions/keys")
    shutil.copytree(ROOT / "solutions" / ASSIGNMENT, tmp_path / "solutions" / ASSIGNMENT)
    for student in STUDENTS:
        shutil.copytree(CLASS / student, tmp_path / "submitted" / student / ASSIGNMENT)
    return tmp_path


def folders(course: Path) -> list[str]:
    return [str(course / "submitted" / student / ASSIGNMENT) for student in STUDENTS]


@pytest.fixture
def run(course: Path) -> Iterator[ClassRun]:
    order = Order(
        course=str(course),
        assignment=ASSIGNMENT,
        notebooks={"attention": (CHECK,)},
        source_folder=str(course / "solutions" / ASSIGNMENT),
        submissions=len(STUDENTS),
        jobs=1,  # so that the first result is there before the others
        keys=str(course / "solutions/keys"),
        lesson="attention",
    )
    run = ClassRun(order, folders(course))
    yield run
    run.close()


def children() -> list[psutil.Process]:
    found = psutil.Process().children()
    return [process for process in found if "grader.autograding.class_process" in _command(process)]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has ended, or nobody has waited for it yet
        return ""


def score(run: ClassRun, folder: str) -> float:
    graded = run.pick_up(folder)
    assert graded.problem == ""
    assert graded.result is not None
    assert len(graded.pages["attention"].cells) > 1
    return float(graded.result["score"])


def test_results_come_in_any_order_and_after_the_last_no_process_is_left(run: ClassRun, course: Path) -> None:
    ada, carla, sam = folders(course)
    assert [score(run, folder) for folder in (sam, ada, ada, carla)] == [52, 100, 100, 71]
    assert children() == []


@pytest.mark.long
def test_a_process_that_was_killed_is_started_again(run: ClassRun, course: Path) -> None:
    ada, carla, _ = folders(course)
    assert score(run, ada) == 100
    first = children()[0]
    below = first.children(recursive=True)
    first.send_signal(signal.SIGKILL)
    assert score(run, carla) == 71
    assert [process.pid for process in children()] != [first.pid]
    assert _gone(below)


def test_a_student_who_cannot_be_graded_is_a_sentence(run: ClassRun, course: Path) -> None:
    (course / "solutions/keys" / f"{ASSIGNMENT}.py").write_text("raise ValueError('no key')")
    problem = run.pick_up(folders(course)[0]).problem
    assert "does not load: ValueError: no key" in problem


def test_nothing_outlives_whoever_started_the_class(course: Path) -> None:
    """As when nbgrader is killed."""
    code = (
        "import sys, os, signal\n"
        "from tests.test_class_run import *\n"
        f"course = Path({str(course)!r})\n"
        "order = Order(course=str(course), assignment=ASSIGNMENT, notebooks={'attention': (CHECK,)},\n"
        "    source_folder=str(course / 'solutions' / ASSIGNMENT), submissions=3, jobs=2,\n"
        "    keys=str(course / 'solutions/keys'), lesson='attention')\n"
        "run = ClassRun(order, folders(course))\n"
        "run.pick_up(folders(course)[0])\n"
        "print(*[p.pid for p in psutil.Process().children(recursive=True)], flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    started = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    pids = [int(pid) for pid in started.stdout.split()]
    assert pids, started.stderr
    assert _gone([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)])


def _gone(processes: list[psutil.Process]) -> bool:
    """Whether all have ended within half a minute; what nobody waited for may still stand in the table."""
    deadline = time.monotonic() + 30
    while any(_runs(process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_is_printed_in_the_process_does_not_reach_the_results(course: Path, run: ClassRun) -> None:
    key = course / "solutions/keys" / f"{ASSIGNMENT}.py"
    key.write_text(key.read_text(encoding="utf-8") + "\nprint('a line of the key')\n", encoding="utf-8")
    assert score(run, folders(course)[0]) == 100
