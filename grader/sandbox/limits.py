"""What one submission may use."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def backstop(self) -> int:
        """Seconds of processor time after which the system itself ends a process, whatever else fails."""
        return int(self.seconds * 40) + 60
