"""What a child and all that it started use together, looked at by the slot while it waits (Linux).

The operating system's limits count one process each; sixteen processes would have sixteen times as much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LOOK = 0.025  # seconds between two looks
EXACT, SELDOM = 0.5, 3.0  # seconds between two close looks at memory
STEADY = 0.1  # seconds in which no process was started
FILE = 1024  # bytes that the kernel holds for a file in memory, however short
ENDED = 16  # times as many processes as may run may have ended, their parent not having asked for them
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Watch:
    """The most that may be used: bytes of `memory` (files in `folders` among them), `processes`, `threads` of all
    of them, seconds of processor time since `allow` was last called.

    `shared` are the bytes that a fresh child shares with the slot; `first` waits for orphans, if there is such a one.
    What lives for less than LOOK and is waited for by nobody is not seen.
    """

    memory: int
    processes: int
    threads: int
    cpu: float
    shared: int
    folders: Sequence[Path]
    first: int = 0
    _allowed_at: float = 0.0  # of the total, in seconds
    _last: float = 0.0
    _lost: float = 0.0  # of processes that ended, and that nobody waited for
    _exact_from: float = field(default_factory=time.monotonic)
    _count: int = 0
    _counted_at: float = 0.0

    def allow(self, cpu: float, living: Collection[int]) -> None:
        """From now on, `cpu` more seconds of processor time."""
        self.cpu, self._allowed_at = cpu, self._total(living)

    def over(self, living: Collection[int]) -> str:
        """The name of a limit that the processes `living` exceed together; "" for none."""
        if len(living) > self.processes * ENDED:
            return "processes"
        statuses = {pid: status for pid in living if (status := _status(pid))}
        if sum("RssAnon" in status for status in statuses.values()) > self.processes:
            return "processes"
        if sum(status.get("Threads", 0) for status in statuses.values()) > self.threads:
            return "processes"
        if self._holds_too_much(statuses):
            return "memory"
        return "cpu" if self._total(living) - self._allowed_at > self.cpu else ""

    def _total(self, living: Collection[int]) -> float:
        """Seconds of processor time so far, which never shrink."""
        now = sum(_cpu(pid) for pid in (*living, self.first) if pid)
        self._lost += max(0.0, self._last - now)
        self._last = now
        return now + self._lost

    def _holds_too_much(self, statuses: Mapping[int, Mapping[str, int]]) -> bool:
        """Whether they hold more memory than they may; what they share, with each other or the slot, counts once.

        What is shared takes long to be told, and longest while processes fork.
        """
        files = sum(_filled(folder) for folder in self.folders)
        held = {pid: 1024 * (one.get("RssAnon", 0) + one.get("RssShmem", 0)) for pid, one in statuses.items()}
        most = files + sum(held.values()) - self.shared
        least = files + sum(max(0, size - self.shared) for size in held.values())
        if least > self.memory:
            return True
        if not self._may_look_closely(len(held)):
            return False
        if len(held) > 1 and _shared_mappings(held) > self.memory:
            return True
        if most <= self.memory:
            return False
        proportional = sum(_proportional(pid, size) for pid, size in held.items())
        return files + proportional - self.shared * len(held) // (len(held) + 1) > self.memory

    def _may_look_closely(self, count: int) -> bool:
        """Now and then, while the number of processes stays as it is; rarely else, since whoever multiplies is soon too
        many, unless looking closely takes the time for that.
        """
        now = time.monotonic()
        if count != self._count:
            self._count, self._counted_at = count, now
        if now < self._exact_from or (now < self._counted_at + STEADY and now < self._exact_from + SELDOM):
            return False
        self._exact_from = now + EXACT
        return True


def resident() -> int:
    """Bytes of memory that this process holds and a child of it would share."""
    return 1024 * _status(os.getpid()).get("RssAnon", 0)


def _status(pid: int) -> dict[str, int]:
    """The numbers in /proc/PID/status that count here; nothing for a process that is gone.

    A process whose first thread has ended still holds its memory, of which its other threads tell.
    """
    found = _fields(Path(f"/proc/{pid}/status"))
    if found and "RssAnon" not in found and found.get("Threads", 0) > 1:
        others = (_fields(task / "status") for task in _listed(Path(f"/proc/{pid}/task")))
        found |= next((other for other in others if "RssAnon" in other), {})
    return found


def _fields(path: Path) -> dict[str, int]:
    wanted = ("Threads", "RssAnon", "RssShmem")
    try:
        fields = (line.partition(":") for line in path.read_text(errors="replace").splitlines())
        return {name: int(value.split()[0]) for name, _, value in fields if name in wanted}
    except (OSError, ValueError, IndexError):
        return {}


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _shared_mappings(pids: Collection[int]) -> int:
    """Bytes of the memory that processes map together, once each; it stays when they let go of its pages."""
    sizes: dict[str, int] = {}
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if "/dev/zero (deleted)" in line:
                ends, _, _, _, inode, *_ = line.split()
                first, last = (int(end, 16) for end in ends.split("-"))
                sizes[inode] = max(sizes.get(inode, 0), last - first)
    return sum(sizes.values())


def _proportional(pid: int, otherwise: int) -> int:
    """Bytes of memory of a process, each page divided by how many share it; `otherwise` where that is not told."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        found = [int(line.split()[1]) for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:"))]
        return 1024 * sum(found) if found else otherwise
    except (OSError, ValueError, IndexError):
        return otherwise


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
