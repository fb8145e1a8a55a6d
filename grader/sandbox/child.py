"""One child of a slot as the grader holds it: what is said to it, what it answers in time, and how it is lost."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox
from grader.worker.wire import Closed, TooLarge, TooSlow, receive, write

ALLOWANCE = 12  # times the seconds of one cell, for all cells of a submission together
# What reading an answer of a child raises that no answer of ours raises: the child is done.
BROKEN = (Closed, ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
How: TypeAlias = Literal["timed_out", "died"]


class SlotGone(Exception):
    """The slot ended with the child in it, in bubblewrap, where no child can reach it: nobody's fault here."""


@dataclass(frozen=True)
class Lost:
    """How a child was lost: it ran too long, or it ended or had to be ended. `text` follows the name of what it ran."""

    how: How
    text: str


@dataclass(frozen=True)
class Child:
    """A child of the slot of `sandbox`, until `end`."""

    sandbox: Sandbox
    link: socket.socket

    @classmethod
    def forked(cls, sandbox: Sandbox, sources: Iterable[str], seconds: float) -> Self:
        """A fresh child for code that may take so many seconds in all. Raises WorkerBroken."""
        plots = any("matplotlib" in source for source in sources)
        return cls(sandbox, sandbox.fork(seconds, plots))

    def allow(self, seconds: float, alone: bool = False) -> bool:
        """Processor time anew, for what may take so many seconds; `alone`: without what was left running.

        False when the child is gone: what it left busy had used up what it was allowed before.
        """
        return self.sandbox.allow(seconds, alone)

    def allow_ahead(self, seconds: float) -> None:
        """Ask for the same, `alone`, without waiting: the next `allow` does."""
        self.sandbox.allow_ahead(seconds)

    def say(self, frame: bytes, deadline: float) -> None:
        """Send a frame. Raises TooSlow when it is not taken by the deadline (of time.monotonic), and Closed."""
        self.link.settimeout(max(deadline - time.monotonic(), 0.1))
        write(self.link, frame)

    def hear(self, deadline: float, cap: int | None = None) -> tuple[dict[str, Any], bytes]:
        """The next frame, of at most `cap` bytes (default: those of an answer). Raises TooSlow and Closed."""
        return receive(self.link, deadline, cap or self.sandbox.limits.answer)

    def end(self) -> None:
        """Have the child ended with all that it started; nobody waits for that."""
        self.link.close()
        self.sandbox.release()

    def lose(self, error: BaseException, seconds: float, late: str, blamed: bool) -> Lost:
        """End the child after TooSlow or one of BROKEN; how it is told. `late` is what TooSlow means, `seconds` what
        it had from the last `allow`. Raises SlotGone, unless the child is to be `blamed` for that, too.
        """
        self.link.close()
        ended = self.sandbox.reap()
        hurt = ended.get("gone") and self.sandbox.isolation == "bubblewrap" and not isinstance(error, TooSlow)
        if hurt and not blamed:
            raise SlotGone from error
        over = str(ended.get("over", ""))
        if over:
            told = _exceeded(self.sandbox.limits, over, seconds)
            return Lost("timed_out" if over == "cpu" else "died", told)
        if isinstance(error, TooSlow):
            return Lost("timed_out", late)
        if isinstance(error, TooLarge):
            return Lost("died", f"gave back more than {self.sandbox.limits.answer // 2**20} MB")
        return Lost("died", "ended the whole program (os._exit, or a crash of Python itself)")


def _exceeded(limits: Limits, over: str, seconds: float) -> str:
    if over == "cpu":
        return f"used more than {seconds * limits.cpu:g} s of processor time and was stopped"
    if over == "memory":
        size = f"{limits.memory_together / 2**30:g} GB"
        return f"used more than {size} of memory with all its processes and files and was stopped"
    return f"started more than {limits.processes} processes or {limits.threads} threads and was stopped"
