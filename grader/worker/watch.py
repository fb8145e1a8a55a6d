"""What a child and all that it started use together, looked at by the slot while it waits (Linux).

The operating system's limits count one process each; sixteen processes would have sixteen times as much.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK = 0.025  # seconds between two looks
SHARERS = 3  # processes whose memory counts without what they still share with the slot
FILE = 1024  # bytes that the kernel holds for a file in memory, however short
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Watch:
    """The most that may be used: bytes of `memory` (files in `folders` among them), `processes`, `threads` of all
    of them, seconds of processor time since `allow` was last called.

    `shared` are the bytes that a fresh child shares with the slot.
    """

    memory: int
    processes: int
    threads: int
    cpu: float
    shared: int
    folders: Sequence[Path]
    spent: float = 0.0

    def allow(self, cpu: float, living: Collection[int]) -> None:
        """From now on, `cpu` more seconds of processor time."""
        self.cpu, self.spent = cpu, sum(_cpu(pid) for pid in living)

    def over(self, living: Collection[int]) -> str:
        """The name of a limit that the processes `living` exceed together; "" for none."""
        statuses = [status for pid in living if (status := _status(pid))]
        if len(living) > self.processes or sum(status.get("Threads", 0) for status in statuses) > self.threads:
            return "processes"
        if self._memory(statuses) > self.memory:
            return "memory"
        if sum(_cpu(pid) for pid in living) - self.spent > self.cpu:
            return "cpu"
        return ""

    def _memory(self, statuses: Sequence[dict[str, int]]) -> int:
        each = [1024 * (status.get("RssAnon", 0) + status.get("RssShmem", 0)) for status in statuses]
        own = [max(0, size - (self.shared if place < SHARERS else 0)) for place, size in enumerate(each)]
        return sum(own) + sum(_filled(folder) for folder in self.folders)


def resident() -> int:
    """Bytes of memory that this process holds and a child of it would share."""
    return 1024 * _status(os.getpid()).get("RssAnon", 0)


def _status(pid: int) -> dict[str, int]:
    """The numbers in /proc/PID/status that count here; nothing for a process that is gone."""
    wanted = ("Threads", "RssAnon", "RssShmem")
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
        fields = (line.partition(":") for line in lines)
        return {name: int(value.split()[0]) for name, _, value in fields if name in wanted}
    except (OSError, ValueError, IndexError):
        return {}


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process and of what it waited for."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return sum(int(ticks) for ticks in after_name[11:15]) / TICKS
    except (OSError, ValueError, IndexError):
        return 0.0


def _filled(folder: Path) -> int:
    """Bytes in a folder of files that live in memory."""
    try:
        found = os.statvfs(folder)
        return (found.f_blocks - found.f_bfree) * found.f_frsize + (found.f_files - found.f_ffree) * FILE
    except OSError:
        return 0
