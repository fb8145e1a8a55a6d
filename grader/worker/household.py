"""The processes that a slot's children started: found, watched and ended, all of them."""

from __future__ import annotations

import os
from pathlib import Path

from grader.worker.namespace import everyone
from grader.worker.removal import end_group
from grader.worker.traces import text_of


class Household:
    """What lives because of the slot's children.

    In a namespace of its own (`first` is its first process) that is everyone whom the slot sees, but for those who
    were there before. Elsewhere it is the slot's descendants: a process that loses its parent comes to the slot, which
    is their subreaper; without /proc (macOS) nobody is found.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self._before = everyone() if first else frozenset()

    def living(self) -> list[int]:
        """The processes, zombies among them."""
        return sorted(everyone() - self._before) if self.first else _descendants(os.getpid())

    def kill(self) -> None:
        """Have all of them end, however fast they multiply; nobody is waited for.

        A namespace of its own ends with them: no child can be had there afterwards.
        """
        for pid in [self.first] if self.first else self.living():
            end_group(pid)

    def end(self) -> int:
        """End all of them, and say how many there were. The slot's own child must be waited for before."""
        if not self.first:
            return _end_orphans()
        living = len(self.living())
        if living:
            self.kill()
        return living


def _end_orphans() -> int:
    """Wait for each: orphans come to the slot."""
    count = 0
    for _ in range(1_000):
        orphans = _children(os.getpid())
        if not orphans:
            break
        for pid in orphans:
            end_group(pid)
        for pid in orphans:
            try:
                os.waitpid(pid, 0)
                count += 1
            except ChildProcessError:
                pass
    return count


def _descendants(pid: int) -> list[int]:
    found = _children(pid)
    for child in found:  # which grows while it is read
        found += _children(child)
    return found


def _children(pid: int) -> list[int]:
    """The children of a process, whichever of its threads started them; none where /proc does not tell (macOS)."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
    return [int(child) for task in tasks for child in text_of(task / "children").split()]
