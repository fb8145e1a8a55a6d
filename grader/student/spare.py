"""Runs the checks in other processes, one for each time, of which the next is always ready."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import CourseError
from grader.student import rerun
from grader.student.tally import Lesson, lesson_of

# The student's folder may hold a random.py or a queue.py, so no folder is searched that is not searched anyway.
START = "import sys; sys.path.append(sys.argv[1]); from grader.student.rerun import main; main()"
PACKAGES = Path(rerun.__file__).resolve().parents[2]
GRACE = 120.0  # seconds for a process to start


@dataclass
class Answer:
    """What the checks said, or in `problem` why they said nothing."""

    lessons: list[Lesson] = field(default_factory=list)
    problem: str = ""


class Checks:
    """The checks of a folder, again and again."""

    def __init__(self) -> None:
        self._next = _Process()
        self._now: _Process | None = None

    def begin(self, files: Sequence[Path]) -> None:
        """Run these test files."""
        self.drop()
        self._now, self._next = self._next, self._next  # never without one that `close` finds
        self._now.begin(files)
        self._next = _Process()

    def answer(self, seconds: float) -> Answer | None:
        """What the checks said, if they say it within this time."""
        answer = self._now.answer(seconds) if self._now is not None else None
        if answer is not None:
            self.drop()
        return answer

    def drop(self) -> None:
        """End what runs."""
        if self._now is not None:
            self._now.end()
            self._now = None

    def close(self) -> None:
        """End everything."""
        self.drop()
        self._next.end()


class _Process:
    def __init__(self) -> None:
        # a session of its own: Ctrl-C reaches only us, and what it has started ends with it
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(PACKAGES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def begin(self, files: Sequence[Path]) -> None:
        """Raises CourseError where the process has not come to stand."""
        with contextlib.suppress(queue.Empty, OSError):
            if self._lines.get(timeout=GRACE) == rerun.READY and self._process.stdin is not None:
                self._process.stdin.write(json.dumps([str(path.absolute()) for path in files]).encode() + b"\n")
                self._process.stdin.flush()
                return
        raise CourseError("The checks could not be started: try `grader check` without --watch.")

    def answer(self, seconds: float) -> Answer | None:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line:
            return Answer(problem=_ended(self._process.wait()))
        plain = json.loads(line)
        return Answer([lesson_of(lesson) for lesson in plain["lessons"]], plain["problem"])

    def end(self) -> None:
        """End the process and all that it has started."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def _ended(code: int) -> str:
    """Why nothing was said."""
    if code >= 0:
        return f"Your code has ended Python (exit code {code}), so no question could be checked."
    name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
    return f"Python was ended by {name} while your code ran, so no question could be checked."
