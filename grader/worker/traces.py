"""What a submission may leave behind in its slot, and how it is found: nothing of it may reach the next one."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Hashable, Sequence
from pathlib import Path

from grader.worker.removal import remove

OWN_NAMESPACE = "bubblewrap"  # elsewhere these tables hold what other programs leave, too


def state(folders: Sequence[Path]) -> Hashable:
    """All that a child can change of its slot without leaving a process: its limits and priority, modes and
    attributes of the folders, kernel objects that outlive processes. Two states that differ are a trace.
    """
    return (_scheduling(), tuple(_attributes(folder) for folder in folders), _kernel_objects())


_LINUX = sys.platform == "linux"
_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


def _scheduling() -> Hashable:
    limits = tuple(resource.getrlimit(limit) for limit in _LIMITS)
    if not _LINUX:
        return limits
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    own = tuple(text_of(Path("/proc/self", name)) for name in ("oom_score_adj", "coredump_filter", "autogroup"))
    return (limits, nice, tuple(sorted(os.sched_getaffinity(0))), os.sched_getscheduler(0), own)


def text_of(path: Path) -> str:
    """What a file of /proc says; nothing where it cannot be read, its process having ended perhaps."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _attributes(folder: Path) -> Hashable:
    found = folder.stat()
    named = tuple(os.listxattr(folder)) if _LINUX else ()
    return (found.st_mode, found.st_uid, found.st_gid, named)


def _kernel_objects() -> Hashable:
    """System V memory, queues and semaphores, and keys; those of a namespace of its own go with the slot."""
    if os.environ.get("GRADER_ISOLATION") != OWN_NAMESPACE:
        return ()
    tables = [Path("/proc/sysvipc", name) for name in ("shm", "msg", "sem")] + [Path("/proc/keys")]
    lines = [table.read_text().splitlines() for table in tables if table.exists()]
    return tuple(tuple(sorted(line.split()[0] for line in text if line.strip())) for text in lines)


def mounts(folders: Sequence[Path]) -> frozenset[Path]:
    """The places in the folders where something is mounted: if a course lies below /tmp, what is shown of it."""
    table = Path("/proc/self/mountinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    places = (Path(line.split()[4].encode().decode("unicode_escape")) for line in lines)
    return frozenset(place for place in places if any(folder in place.parents for folder in folders))


def empty(folders: Sequence[Path], kept: frozenset[Path]) -> int:
    """Delete all in the folders but the mounts that are `kept`; how many entries could not be deleted."""
    left = 0
    for entry in [entry for folder in folders for entry in folder.iterdir() if entry not in kept]:
        if any(entry in place.parents for place in kept):
            left += empty([entry], kept)
        else:
            remove(entry)
            left += entry.exists() or entry.is_symlink()
    return left
