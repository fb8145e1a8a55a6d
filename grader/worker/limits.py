"""Limits that the operating system keeps for a child; the grader's own deadlines stand above them."""

from __future__ import annotations

import ctypes
import signal
import sys
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

OPEN_FILES = 256
FILE_BYTES = 256 * 2**20
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def limit_child(memory: int, cpu_seconds: int) -> None:
    """Bound this process for good: `memory` bytes beyond what it holds already, CPU time, files, no cores.

    It also ends with its slot (Linux): whoever kills the slot shall not run on without it.
    """
    if resource is None:
        return
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_DUMPABLE, 1)  # so that the slot can see how much of its memory is its own
    _lower(resource.RLIMIT_AS, _address_space() + memory)
    _lower(resource.RLIMIT_CPU, cpu_seconds)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_FSIZE, FILE_BYTES)
    _lower(resource.RLIMIT_CORE, 1)  # 0 does not keep a program from being started that collects cores (core(5))
    if sys.platform == "linux":
        _lower(resource.RLIMIT_MSGQUEUE, 0)  # POSIX message queues outlive processes, and stand in no table


def guard_slot() -> None:
    """Make orphans ours to reap, and keep children from reading or tracing the slot (Linux only)."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process (Linux; elsewhere nothing is done)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _lower(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(what, (value, value))
    except (ValueError, OSError):
        pass  # macOS refuses some; the parent's deadlines remain


def _address_space() -> int:
    """Bytes of address space in use; torch maps gigabytes that it never touches."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 64 * 2**30
