"""The sandboxes of a run: one, and each further one if the work that is left pays for its start."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from grader.sandbox.isolation import Isolation
from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.sandbox import Sandbox

# A start takes the machine some two seconds of work, most of it importing torch, in which ten students are graded.
PAYS = 1.2  # seconds of work that must lie before each sandbox for one more to be started
GUESS = 0.15  # seconds for a submission, while none is done
PATIENCE = 3.0  # seconds without any result until one more is started all the same
LOOK = 0.25  # seconds


class Sandboxes:
    """At most `most` sandboxes, each lent to one submission at a time. `left`: submissions still to be graded."""

    def __init__(self, isolation: Isolation, limits: Limits, most: int, left: int) -> None:
        self.limits = limits
        self.left = left
        self._isolation = isolation
        self._most = most
        self._made: list[Sandbox] = []
        self._free: list[Sandbox] = []
        self._changed = threading.Condition()
        self._ended = False
        self._done = 0
        self._busy = 0.0  # seconds, of all that is done
        self._since = time.monotonic()
        self._starting: dict[Sandbox, Future[None]] = {}

    def start(self, pool: ThreadPoolExecutor) -> None:
        """Start those that pay at once, while whoever grades gets ready, in threads that live as long as the run:
        bubblewrap ends with the thread that started it.
        """
        with self._changed:
            while self._pays():
                self._free.append(self._make())
            self._starting = {sandbox: pool.submit(_started, sandbox) for sandbox in self._free}

    @contextmanager
    def lent(self) -> Iterator[Sandbox]:
        """A sandbox for one submission; it waits until one is free or another one pays."""
        sandbox = self._take()
        started, was_running = time.monotonic(), sandbox.starts > 0
        try:
            yield sandbox
        finally:
            with self._changed:
                self.left -= 1
                if was_running:  # a start would count as work
                    self._done += 1
                    self._busy += time.monotonic() - started
                self._free.append(sandbox)
                self._changed.notify_all()

    def end(self) -> None:
        """End all of them for good, from any thread: what is being graded ends without a result."""
        with self._changed:
            self._ended = True
            made = list(self._made)
        for sandbox in made:
            sandbox.end()

    def _take(self) -> Sandbox:
        with self._changed:
            while not self._free and not self._pays():
                self._changed.wait(LOOK)
            sandbox = self._free.pop() if self._free else self._make()
        if sandbox in self._starting:
            self._starting[sandbox].result()
        sandbox.limits = self.limits
        return sandbox

    def _pays(self) -> bool:
        if not self._made:
            return True
        if len(self._made) >= self._most:
            return False
        each = self._busy / self._done if self._done else GUESS
        impatient = not self._done and time.monotonic() - self._since > PATIENCE
        return impatient or self.left * each / len(self._made) > PAYS

    def _make(self) -> Sandbox:
        self._since = time.monotonic()
        sandbox = Sandbox(self._isolation, self.limits)
        self._made.append(sandbox)
        if self._ended:
            sandbox.end()
        return sandbox


def _started(sandbox: Sandbox) -> None:
    with contextlib.suppress(WorkerBroken, OSError):  # who takes it tries again, and says why it does not start
        sandbox.start()
