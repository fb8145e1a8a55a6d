"""A time limit on a student's code that runs in our own process, where the system has timers for it.

Advisory: it works in the main thread of POSIX systems, between two lines of Python. Grading does not rely on
it; there, another process is killed.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.02  # seconds; a student's bare `except:` may swallow the first ones
IMPORTING = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
DEBUGGERS = ("bdb", "pdb", "pydevd", "_pydevd")


class OutOfTime(BaseException):
    """Raised inside the code that ran too long; no Exception, so that `except Exception` lets it through."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the code was still running after {seconds:g} s and was stopped")
        self.seconds = seconds


@contextmanager
def time_limit(seconds: float, theirs: Callable[[FrameType], bool]) -> Iterator[Callable[[], None]]:
    """Raise OutOfTime after `seconds`, but only while a frame for which `theirs` holds is running.

    So neither pytest nor this package is ever interrupted. The yielded function starts the count anew.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return

    def ring(number: int, frame: FrameType | None) -> None:
        if _debugging():
            signal.setitimer(signal.ITIMER_REAL, 0)
        elif _stoppable(frame):
            raise OutOfTime(seconds)

    def _stoppable(frame: FrameType | None) -> bool:
        """A module whose import is broken off would be broken for good, so that is waited for."""
        outwards = list(_outwards(frame))
        return any(map(theirs, outwards)) and not any(one.f_code.co_filename in IMPORTING for one in outwards)

    def start() -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)

    handler = signal.signal(signal.SIGALRM, ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield start
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)  # somebody else's, such as pytest-timeout's
        signal.signal(signal.SIGALRM, handler)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _debugging() -> bool:
    """Whether somebody reads the code in a debugger: they must not be hurried, nor later."""
    trace = sys.gettrace()
    module = getattr(trace, "__module__", None) or type(trace).__module__
    return trace is not None and module.partition(".")[0] in DEBUGGERS
