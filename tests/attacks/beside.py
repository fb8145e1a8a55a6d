"""What stands beside an attack: the honest submission before and after it, and all processes below the test's own."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator

import psutil
import pytest

SET_CHILD_SUBREAPER = 36
# What is graded some hundred times beside the attacks: right, partly right, wrong and missing answers, quickly.
NEIGHBOUR = """# neighbour {}
def project(x, table):
    return x @ table.mT

# %%
def reading_weights(scores):
    return scores.softmax(dim=-1)

# %%
FIXED_MIX, Q0_WEIGHTS, SCORES_SHAPE, OUTPUT_SHAPE = [3.6, 1.6], [0.333] * 3, (4, 7), None
"""
NEIGHBOUR_SCORE = 15


@pytest.fixture(scope="module")
def orphans_come_to_us() -> Iterator[None]:
    """Else a process whose parents were all killed would be out of sight."""
    libc = ctypes.CDLL(None)
    if sys.platform == "linux":
        libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    if sys.platform == "linux":
        libc.prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    processes()  # waits for those that came and ended: other tests look at the children of this process, too


def processes() -> Counter[str]:
    """All that run below this process, by name, in bubblewrap or not."""
    found: Counter[str] = Counter()
    for process in psutil.Process().children(recursive=True):
        try:
            if process.status() != psutil.STATUS_ZOMBIE:
                found[process.name()] += 1
            elif process.ppid() == os.getpid():  # it came to us when its slot was killed
                os.waitpid(process.pid, os.WNOHANG)
        except (psutil.NoSuchProcess, ChildProcessError):
            continue
    return found


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it comes true within twenty seconds: a namespace takes a moment to end, and longer on a busy machine."""
    until = time.monotonic() + 20
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()
