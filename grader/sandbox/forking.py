"""The grader's end of a slot that forks its children: the protocol of grader/worker/slot.py."""

from __future__ import annotations

import socket
import time
from typing import Any

from grader.sandbox.isolation import Isolation
from grader.sandbox.launch import Launched
from grader.sandbox.limits import Limits
from grader.worker.wire import Closed, TooSlow, receive, roomy, send

START_SECONDS = 120.0  # importing torch from a cold disk
REAP_SECONDS = 5.0


class ForkingSlot:
    """A slot, launched when this is made. It can be used once `ready`, and until `end`, which any thread may call."""

    def __init__(self, isolation: Isolation) -> None:
        self._asked = False  # for processor time, and not told yet
        self._reaping = False  # a child, and its end was not told yet
        self._control, theirs = socket.socketpair()
        with theirs:
            try:
                self.launched = Launched(isolation, "slot", str(theirs.fileno()), [theirs.fileno()])
            except BaseException:
                self._control.close()
                raise

    def ready(self) -> None:
        """Wait until it has imported what it needs. Raises Closed or TooSlow."""
        receive(self._control, time.monotonic() + START_SECONDS)

    def fork(self, limits: Limits, seconds: float, plots: bool) -> socket.socket:
        """A link to a fresh child, which serves. Raises Closed, TooSlow or OSError."""
        ours, theirs = roomy(*socket.socketpair())
        message = {"op": "fork", "cpu": seconds * limits.cpu, "cpu_seconds": limits.backstop, "plots": plots}
        kept = {name: getattr(limits, name) for name in ("memory", "memory_together", "processes", "threads")}
        with theirs:
            send(self._control, message | kept)
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
            receive(self._control, time.monotonic() + (START_SECONDS if plots else REAP_SECONDS))
        try:
            receive(ours, time.monotonic() + REAP_SECONDS)  # it serves: what goes wrong from here on is the student's
        except (Closed, TooSlow):
            ours.close()
            raise
        return ours

    def ask_for(self, cpu: float, alone: bool) -> None:
        """Ask for so many seconds of processor time anew; `alone`: for the child only, what else it started is ended.

        `allow` waits for the answer. Raises Closed or TooSlow.
        """
        if not self._asked:
            send(self._control, {"op": "allow", "cpu": cpu, "alone": alone})
            self._asked = True

    def allow(self, cpu: float, alone: bool) -> bool:
        """The same, and wait; False when the child had been ended for what it used before. Raises Closed or TooSlow."""
        self.ask_for(cpu, alone)
        return not self._told()["over"]

    def _told(self) -> dict[str, Any]:
        self._asked = False
        told, _ = receive(self._control, time.monotonic() + REAP_SECONDS)
        return told

    def release(self) -> None:
        """Have the current child ended; `reap` waits for that. Raises Closed or TooSlow."""
        if not self._reaping:
            send(self._control, {"op": "reap"})
            self._reaping = True

    def reap(self) -> dict[str, Any]:
        """End the current child; how it ended. Raises Closed or TooSlow."""
        self.release()
        self._reaping = False
        if self._asked:
            self._told()
        return self._told()

    def end(self) -> None:
        """Kill the slot and all that lives in it."""
        self.launched.end()
        self._control.close()
