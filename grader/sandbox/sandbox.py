"""The grader's end of a slot: start it, have it fork children, end them, and start another after trouble.

Only this side keeps limits, by killing. What a child sends is data of a known shape or the child is done.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grader.sandbox.isolation import PACKAGE, Isolation, environment, wrap
from grader.worker.traces import remove
from grader.worker.wire import Closed, TooSlow, receive, send

START_SECONDS = 120.0  # importing torch from a cold disk
REAP_SECONDS = 5.0
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
    memory: int = 2 * 2**30  # bytes of one process, beyond what the worker holds before any student code
    memory_together: int = 5 * 2**29  # bytes of all its processes, and of its files in memory
    processes: int = 64
    threads: int = 256  # of all its processes
    cpu: float = 1.5  # seconds of processor time of all its processes, for each second that may pass
    answer: int = 64 * 2**20  # bytes of one reply


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

    def fork(self, seconds: float, plots: bool = False) -> socket.socket:
        """A link to a fresh child. A slot that a child has harmed is replaced once without a word.

        `seconds` are what its code may take until `allow` gives more. `plots`: the child will import matplotlib,
        which its slot then does once for all that follow.
        """
        for last in (False, True):
            self.start()
            try:
                return self._fork(seconds, plots)
            except (Closed, TooSlow, OSError) as error:
                self.close()
                if last or self.ended:
                    raise WorkerBroken(f"the worker does not fork ({error})") from error
        raise AssertionError("unreachable")

    def allow(self, seconds: float) -> None:
        """Processor time anew, for what the current child does next in at most so many seconds."""
        if self._control is not None:
            with contextlib.suppress(Closed, TooSlow):  # a slot that is gone is found out by whoever needs it
                send(self._control, {"op": "allow", "cpu": seconds * self.limits.cpu})

    def reap(self) -> dict[str, Any]:
        """End the current child; a slot that saw trouble is thrown away with all that lives in it.

        What is told holds, as `over`, the limit for which the slot ended the child itself ("" if it did not).
        """
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
            remove(folder)

    def _fork(self, seconds: float, plots: bool) -> socket.socket:
        if self._control is None:
            raise Closed("the run was stopped")
        ours, theirs = socket.socketpair()
        with theirs:
            limits = {
                name: getattr(self.limits, name) for name in ("memory", "memory_together", "processes", "threads")
            }
            backstop = int(self.limits.seconds * 40) + 60  # seconds of processor time of one process
            cpu = seconds * self.limits.cpu
            send(self._control, {"op": "fork", "cpu": cpu, "cpu_seconds": backstop, "plots": plots, **limits})
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
