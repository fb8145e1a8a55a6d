"""A sandbox: a slot to fork children from, and another slot after trouble.

Only this side keeps limits, by killing. What a child sends is data of a known shape or the child is done.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from types import TracebackType
from typing import Any, Self

from grader.sandbox.forking import ForkingSlot
from grader.sandbox.isolation import Isolation
from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.single import SingleSlot
from grader.worker.wire import Closed, TooSlow


class Sandbox:
    """One slot at a time. Not for two threads at once; each job has its own."""

    def __init__(self, isolation: Isolation, limits: Limits) -> None:
        self.isolation = isolation
        self.limits = limits
        self.cpu_seconds = 0.0  # of all children that were reaped so far
        self.starts = 0  # of slots, so far
        self.ended = False
        self._slot: ForkingSlot | SingleSlot | None = None
        self._released = False
        self._closing = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def start(self) -> None:
        """Start the slot if none runs. Raises WorkerBroken."""
        self.settle()
        if self.ended:
            raise WorkerBroken("the run was stopped")
        if self._slot is not None:
            return
        try:
            slot = ForkingSlot(self.isolation) if hasattr(os, "fork") else SingleSlot(self.isolation)
        except OSError as error:
            raise WorkerBroken(f"the worker did not start: {error}") from error
        self._slot = slot
        try:
            if self.ended:  # meanwhile, by another thread, which found nothing to close
                raise Closed("the run was stopped")
            slot.ready()
        except (Closed, TooSlow) as error:
            said = "" if self.ended else slot.launched.last_line()
            self.close()
            raise WorkerBroken(f"the worker did not start: {said or error}") from error
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
                if self._slot is None:
                    raise Closed("the run was stopped")
                return self._slot.fork(self.limits, seconds, plots)
            except (Closed, TooSlow, OSError) as error:
                self.close()
                if last or self.ended:
                    raise WorkerBroken(f"the worker does not fork ({error})") from error
        raise AssertionError("unreachable")

    def allow(self, seconds: float, alone: bool = False) -> bool:
        """Processor time anew, for what the current child does next in at most so many seconds; whether it is there.

        `alone`: what it left running is ended, since that would use the time up.
        """
        if self._slot is None:
            return False
        try:
            return self._slot.allow(seconds * self.limits.cpu, alone)
        except (Closed, TooSlow):
            return False

    def allow_ahead(self, seconds: float) -> None:
        """Ask for the same, `alone`, without waiting: the next `allow` does."""
        if self._slot is not None:
            with contextlib.suppress(Closed, TooSlow):  # whoever waits for it finds out
                self._slot.ask_for(seconds * self.limits.cpu, alone=True)

    def release(self) -> None:
        """Have the current child ended; whoever needs the slot next waits for that."""
        self._released = True
        if self._slot is not None:
            try:
                self._slot.release()
            except (Closed, TooSlow):
                self.close()

    def settle(self) -> None:
        """Wait until a child that was released has ended."""
        if self._released:
            self.reap()

    def reap(self) -> dict[str, Any]:
        """End the current child; a slot that saw trouble is thrown away with all that lives in it.

        What is told holds, as `over`, the limit for which the slot ended the child itself ("" if it did not), and
        `gone` where the slot is not there any more.
        """
        self._released = False
        if self._slot is None:
            return {"gone": True}
        try:
            told = self._slot.reap()
        except (Closed, TooSlow) as error:
            self.close()
            return {"gone": isinstance(error, Closed)}
        self.cpu_seconds += float(told.get("cpu", 0.0))
        if told.get("strays"):
            self.close()
        return told

    def close(self) -> None:
        """Kill the slot, and all that lives in it."""
        with self._closing:
            slot, self._slot = self._slot, None
        if slot is not None:
            slot.end()
