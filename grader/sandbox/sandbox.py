"""The grader's end of a slot: start it, have it fork children, end them, and start another after trouble.

Only this side keeps limits, by killing. What a child sends is data of a known shape or the child is done.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grader.sandbox.isolation import PACKAGE, Isolation, environment, wrap
from grader.worker.wire import Closed, TooSlow, receive, send

START_SECONDS = 120.0  # importing torch from a cold disk
REAP_SECONDS = 5.0
ALLOWANCE = 12  # times the seconds of one cell, for all cells of a submission together
# What reading an answer of a child raises that no answer of ours raises: the child is done.
BROKEN = (Closed, ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
START = """
import sys
from pathlib import Path
sys.path.insert(0, {home!r})
from grader.worker.slot import main
main(int(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]])
"""


class WorkerBroken(Exception):
    """The worker could not be started: our trouble, never a student's. The text says what it printed."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use. `seconds` counts a student's own time: a cell, or a question's calls."""

    seconds: float = 10.0
    memory: int = 2 * 2**30  # bytes beyond what the worker holds before any student code
    answer: int = 64 * 2**20  # bytes of one reply


def may_plot(sources: Iterable[str]) -> bool:
    """Whether matplotlib is named anywhere in a student's code."""
    return any("matplotlib" in source for source in sources)


class Sandbox:
    """One slot. Not for two threads at once; each job has its own."""

    def __init__(self, isolation: Isolation, limits: Limits) -> None:
        self.isolation = isolation
        self.limits = limits
        self.cpu_seconds = 0.0  # of all children so far
        self.starts = 0  # of slots, so far
        self.ended = False
        self._slot: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def start(self) -> None:
        """Start the slot if none runs. Raises WorkerBroken."""
        if self.ended:
            raise WorkerBroken("the run was stopped")
        if self._slot is None:
            self._start()
            self.starts += 1

    def end(self) -> None:
        """Close for good, from any thread: what is being graded ends without a result."""
        self.ended = True
        self.close()

    def fork(self, plots: bool = False) -> socket.socket:
        """A link to a fresh child. A slot that a child has harmed is replaced once without a word.

        `plots`: the child will import matplotlib, which its slot then does once for all that follow.
        """
        for last in (False, True):
            self.start()
            try:
                return self._fork(plots)
            except (Closed, TooSlow, OSError) as error:
                self.close()
                if last or self.ended:
                    raise WorkerBroken(f"the worker does not fork ({error})") from error
        raise AssertionError("unreachable")

    def reap(self) -> dict[str, Any]:
        """End the current child; a slot that saw trouble is thrown away with all that lives in it."""
        if self._control is None:
            return {}
        try:
            send(self._control, {"op": "reap"})
            told, _ = receive(self._control, time.monotonic() + REAP_SECONDS)
        except (Closed, TooSlow):
            self.close()
            return {}
        self.cpu_seconds += float(told.get("cpu", 0.0))
        if told.get("strays"):
            self.close()
        return told

    def close(self) -> None:
        """Kill the slot (inside bubblewrap: the whole namespace) and remove its folder."""
        control, slot, folder = self._control, self._slot, self._folder
        self._control = self._slot = self._folder = None
        if control is not None:
            control.close()
        if slot is not None:
            _kill(slot)
        if folder is not None:
            with contextlib.suppress(Exception):  # a tree may be deeper than rmtree can go
                shutil.rmtree(folder, ignore_errors=True)

    def _fork(self, plots: bool) -> socket.socket:
        if self._control is None:
            raise Closed("the run was stopped")
        ours, theirs = socket.socketpair()
        with theirs:
            cpu = int(self.limits.seconds * 40) + 60  # a backstop; wall time is what counts
            send(self._control, {"op": "fork", "memory": self.limits.memory, "cpu_seconds": cpu, "plots": plots})
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
            receive(self._control, time.monotonic() + (START_SECONDS if plots else REAP_SECONDS))
        receive(ours, time.monotonic() + REAP_SECONDS)  # it serves: what goes wrong from here on is the student's
        return ours

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        if self.isolation == "process":
            self._folder = Path(tempfile.mkdtemp(prefix="grader-slot-"))
        code = START.format(home=str(PACKAGE.parent))
        command = [sys.executable, "-s", "-P", "-c", code, str(theirs.fileno())]
        with tempfile.TemporaryFile() as said, theirs:
            self._slot = subprocess.Popen(
                wrap(command, self._folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                pass_fds=[theirs.fileno()],
                env=environment(self.isolation, self._folder),
                start_new_session=True,
            )
            theirs.close()
            self._control = ours
            try:
                receive(ours, time.monotonic() + START_SECONDS)
            except (Closed, TooSlow) as error:
                said.seek(0)
                lines = said.read()[-2_000:].decode(errors="replace").strip().splitlines()
                self.close()
                raise WorkerBroken(f"the worker did not start: {lines[-1] if lines else error}") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    process.wait()
