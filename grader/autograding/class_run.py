"""nbgrader's end of the process that grades a class: it is started for the first notebook, with the whole class.

nbgrader then goes through the students one after the other and only picks results up, while the process works
on those that follow.
"""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Sequence
from typing import IO

from grader.autograding.order import GradedFolder, Order

AHEAD = 8  # folders per job that are asked for before nbgrader comes to them, so memory stays flat
COMMAND = (sys.executable, "-s", "-m", "grader.autograding.class_process")


class ClassRun:
    """A class that is being graded: `folders` are those of the run, in the order in which nbgrader takes them."""

    def __init__(self, order: Order, folders: Sequence[str]) -> None:
        self.assignment = order.assignment
        self._order = order
        self._folders = list(folders)
        self._asked: set[str] = set()  # and not answered yet
        self._ready: dict[str, GradedFolder] = {}
        self._picked: set[str] = set()
        self._last: GradedFolder | None = None  # asked for by each pass over each notebook
        self._process: subprocess.Popen[str] | None = None

    def pick_up(self, folder: str) -> GradedFolder:
        """What grading this folder gave; it waits for it."""
        if self._last is not None and self._last.folder == folder:
            return self._last
        for last in (False, True):
            try:
                return self._picked_up(folder)
            except (OSError, ValueError):  # the process is gone: everything it was asked for is asked for again
                self.close()
                if last:
                    break
        self._picked.add(folder)
        return GradedFolder(folder, problem="the process that grades ended without an answer; run the command again.")

    def close(self) -> None:
        """End the process and what it runs."""
        if self._process is not None:
            _end(self._process)
        self._process = None
        self._asked.clear()

    def _picked_up(self, folder: str) -> GradedFolder:
        while folder not in self._ready:
            process = self._started()
            self._ask(process, [folder, *self._following(folder)])
            self._receive(process)
        self._picked.add(folder)
        graded = self._last = self._ready.pop(folder)
        if following := self._following(folder):
            self._ask(self._started(), following)
        elif self._picked.issuperset(set(self._folders) - self._ready.keys()):
            self.close()  # in formgrader, this process lives on for weeks
        return graded

    def _following(self, folder: str) -> list[str]:
        """The folders that come next and were not asked for, as many as may be open."""
        start = self._folders.index(folder) + 1 if folder in self._folders else 0
        known = self._asked | self._ready.keys() | self._picked
        room = self._order.jobs * AHEAD - len(self._asked) - len(self._ready)
        return [other for other in self._folders[start:] if other not in known][: max(room, 0)]

    def _ask(self, process: subprocess.Popen[str], folders: Sequence[str]) -> None:
        for folder in folders:
            if folder not in self._asked:
                self._asked.add(folder)
                _write(process.stdin, json.dumps(folder))

    def _receive(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise OSError("the process ended")
        graded = GradedFolder.from_json(json.loads(line))
        self._asked.discard(graded.folder)
        self._ready[graded.folder] = graded

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=self._order.course,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C is nbgrader's to handle; the end of its pipe ends this one
            )
            weakref.finalize(self, _end, self._process)
            _write(self._process.stdin, json.dumps(self._order.to_json()))
        return self._process


def _write(pipe: IO[str] | None, line: str) -> None:
    assert pipe is not None
    pipe.write(line + "\n")
    pipe.flush()


def _end(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                pass
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
