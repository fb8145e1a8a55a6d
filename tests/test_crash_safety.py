"""A run of `grader grade` that is killed at any moment leaves nothing that the next one could mistake for a result."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from nbgrader.api import Gradebook

from grader.files import remove_partial, whole_file
from grader.grading.store import LIMIT, read_result, result_path
from grader.results import result_from_json
from grader.sandbox.isolation import bubblewrap_trouble
from tests.benchmarks.classes import ASSIGNMENT, course, without_seconds
from tests.benchmarks.kills import (
    GRADER,
    LOG,
    cold,
    kill,
    lives,
    started_by,
    stopped_where,
    survivors,
    wait_until,
    warm,
)
from tests.test_autograde import CLASS, new_course

STUDENTS = 200
# When a run is killed: before any worker, while one starts, while results come, and if it can be caught there while it
# writes one.
MOMENTS = {
    "strict": ("loading", "starting", *["grading"] * 3, "writing", "loading", "starting", *["grading"] * 3, "writing"),
    "process": ("loading", "starting", *["grading"] * 3, "writing", *["grading"] * 2),
}
Start = Callable[[Path, Sequence[str]], psutil.Process]
Plain = dict[str, Any]


@dataclass
class Course:
    """A course whose runs are killed. `seen`: all that they had started."""

    folder: Path
    students: int
    isolation: str
    start: Start
    draw: random.Random
    seen: set[psutil.Process] = field(default_factory=set)

    def options(self, jobs: int) -> list[str]:
        return ["grade", ASSIGNMENT, "class", "--isolation", self.isolation, "--jobs", str(jobs), "--quiet"]

    @property
    def graded(self) -> Path:
        return self.folder / "graded" / ASSIGNMENT

    def names(self, start: str = "s") -> set[str]:
        """The files in which results are, or (start ".") are being written."""
        with contextlib.suppress(FileNotFoundError):
            return {name for name in os.listdir(self.graded) if name.startswith(start)}
        return set()

    def results(self) -> dict[str, Plain]:
        """What is stored under students' names; half a file fails the test."""
        read = {name: (self.graded / name).read_text(encoding="utf-8") for name in self.names()}
        return {name: without_seconds(text) for name, text in read.items()}

    def kill_while(self, moment: str) -> None:
        """Start a run and kill it once it is there."""
        before, jobs = len(self.names()), 2 if moment == "writing" else 1
        if moment == "loading":
            run = cold(self.folder, [GRADER, *self.options(jobs)])
            time.sleep(self.draw.uniform(0, 0.5))
        else:
            run = self.start(self.folder, self.options(jobs))
        if moment == "starting":
            assert wait_until(lambda: bool(started_by(run)), 60, 0.02), self.said()
            time.sleep(self.draw.uniform(0, 0.2))
        elif moment != "loading":
            self.wait_for(before + self.draw.randint(1, self.students // 12))
            time.sleep(self.draw.uniform(0, 0.03))
        if moment == "writing":
            enough = before + 8
            stopped_where(run, lambda: bool(self.names(".")), lambda: len(self.names()) < enough, 0.001)
        assert lives(run), self.said()
        self.seen |= kill(run)
        assert (len(self.names()) > before) == (moment in ("grading", "writing")), moment

    def wait_for(self, results: int) -> None:
        assert wait_until(lambda: len(self.names()) >= results, 60, 0.005), self.said()

    def finish(self, beside_a_killed_one: bool) -> None:
        """Grade to the end; meanwhile another run goes through the same students, and is killed."""
        doomed = self.start(self.folder, self.options(1)) if beside_a_killed_one else None
        run = cold(self.folder, [GRADER, *self.options(2 if beside_a_killed_one else 1)])
        if doomed is not None:
            self.wait_for(len(self.names()) + self.draw.randint(3, 9))
            self.seen |= kill(doomed)
        assert run.wait(300) == 0, self.said()

    def said(self) -> str:
        return (self.folder / LOG).read_text(errors="replace")[-2000:]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with warm() as start:
        yield start


def undisturbed(folder: Path, students: int, start: Start) -> dict[str, Plain]:
    """What a run gives that nobody kills, by the name of the file; in bubblewrap, where that is to be had."""
    isolation = "process" if bubblewrap_trouble() else "strict"
    whole = Course(folder, students, isolation, start, random.Random(0))
    course(folder, students)
    whole.finish(beside_a_killed_one=False)
    for name in whole.names():
        plain = json.loads((whole.graded / name).read_text(encoding="utf-8"))
        assert plain.pop(LIMIT) > 0
        result_from_json(plain)
    results = whole.results()
    assert len(results) == students
    assert len({result["score"] for result in results.values()}) >= 5
    return results


@pytest.mark.long
@pytest.mark.parametrize(("isolation", "students"), [("strict", STUDENTS), ("process", 80)])
def test_killed_runs_leave_whole_results_and_the_next_run_gives_what_an_undisturbed_one_gives(
    isolation: str, students: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, start: Start
) -> None:
    if isolation == "strict" and (trouble := bubblewrap_trouble()):
        pytest.skip(f"no bubblewrap: {trouble}")
    killed = Course(tmp_path, students, isolation, start, random.Random(isolation))
    course(killed.folder, students)
    used = "bubblewrap" if isolation == "strict" else "process"
    alone = undisturbed(tmp_path_factory.mktemp("undisturbed"), students, start)
    expected = {name: {**result, "isolation": used} for name, result in alone.items()}
    for moment in MOMENTS[isolation]:
        killed.kill_while(moment)
        results = killed.results()
        assert results == {name: expected[name] for name in results}
    assert len(killed.results()) < students, "nothing was left to do for the last run"
    killed.finish(beside_a_killed_one=True)
    assert killed.results() == expected
    assert killed.names(".") == set(), "half a file stays behind"
    assert survivors(tmp_path, killed.seen) == []
    assert sorted((tmp_path / "tmp").iterdir()) == []


# --- one file -----------------------------------------------------------------------------------------------


WRITER = """
import sys, time
from pathlib import Path
from grader.files import whole_file
with whole_file(Path(sys.argv[1])) as file:
    file.write('{"half": "a file' + " " * 10_000)
    file.flush()
    print("it writes", flush=True)
    time.sleep(600)
"""


@contextlib.contextmanager
def writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of writing a file; it is killed at the end, if it was not before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "it writes\n"
        yield running
        running.kill()


def test_what_killed_writers_leave_is_taken_over_by_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "alice.json"
    for _ in range(2):
        with writer(path):
            pass
        [left] = tmp_path.iterdir()
        assert left.name.startswith(".")
        assert left.stat().st_size > 10_000
    with whole_file(path) as file:
        file.write("new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("alice.json", "new")]


def test_what_a_killed_writer_leaves_is_no_result_and_goes_when_one_is_looked_for(tmp_path: Path) -> None:
    with writer(result_path(tmp_path, ASSIGNMENT, "alice")):
        pass
    assert len(list((tmp_path / ASSIGNMENT).iterdir())) == 1
    assert read_result(tmp_path, ASSIGNMENT, "alice") is None
    assert list((tmp_path / ASSIGNMENT).iterdir()) == []


def test_a_file_that_is_being_written_stays_its_writers(tmp_path: Path) -> None:
    path = tmp_path / "alice.json"
    with writer(path) as living:
        with writer(path):
            assert len(list(tmp_path.iterdir())) == 2
        remove_partial(path)
        assert len(list(tmp_path.iterdir())) == 1
        with whole_file(path) as file:
            file.write("mine")
        assert living.poll() is None
        assert len(list(tmp_path.iterdir())) == 2
    assert path.read_text() == "mine"
    remove_partial(path)
    assert list(tmp_path.iterdir()) == [path]


# --- nbgrader's own command ---------------------------------------------------------------------------------


@pytest.mark.long
def test_a_killed_nbgrader_run_leaves_a_course_that_the_next_one_grades_as_if_nothing_had_been(tmp_path: Path) -> None:
    folder, draw, expected = new_course(tmp_path), random.Random("nbgrader"), {}
    for number, student in enumerate(["ada-all-right", "carla-unscaled", "elif-dot-t", "sam-half-finished"] * 3):
        shutil.copytree(CLASS / student, folder / "submitted" / f"s{number:02}" / ASSIGNMENT)
        expected[f"s{number:02}"] = json.loads((CLASS / student / "expected.json").read_text())["score"]
    autograde = [Path(sys.executable).parent / "nbgrader", "autograde", ASSIGNMENT]
    seen: set[psutil.Process] = set()
    for there in (lambda: cells_in(folder) > 0, lambda: graded_in(folder) > 1, lambda: graded_in(folder) > 6):
        run = cold(folder, autograde)
        assert wait_until(there, 120), (folder / LOG).read_text()[-2000:]
        time.sleep(draw.uniform(0, 0.05))
        assert lives(run)
        seen |= kill(run)
    assert cold(folder, autograde).wait(300) == 0, (folder / LOG).read_text()[-2000:]
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        submissions = gradebook.assignment_submissions(ASSIGNMENT)
        assert {one.student.id: one.score for one in submissions} == expected
        assert {one.max_score for one in submissions} == {100}
        assert {len(one.notebooks[0].grades) for one in submissions} == {16}
    assert graded_in(folder) == len(expected)
    assert survivors(folder, seen) == []
    assert sorted((folder / "tmp").iterdir()) == []


def graded_in(folder: Path) -> int:
    """Students whose notebook nbgrader has at least begun to write."""
    return len(list((folder / "autograded").glob(f"*/{ASSIGNMENT}/attention.ipynb")))


def cells_in(folder: Path) -> int:
    """Cells of which the gradebook knows."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(folder / "gradebook.db")) as gradebook:
        return int(gradebook.execute("select count(*) from base_cell").fetchone()[0])
    return 0
