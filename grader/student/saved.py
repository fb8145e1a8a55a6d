"""What is saved in a folder, and when that changes: looked at a few times a second."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

PAUSE = 0.3  # seconds between two looks
CALM = 0.1  # seconds without a change, after which a file counts as written
ENDINGS = (".ipynb", ".py")

Marks: TypeAlias = Mapping[str, tuple[int, int, int]]


def marks(folder: Path) -> Marks:
    """When each notebook and script was written, its size and its number: one of them changes with each save.

    An editor that saves by putting another file in the place gives another number. A folder that is not there holds
    nothing.
    """
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(ENDINGS) and not entry.name.startswith("."):
                    about = os.stat(entry.path)
                    found[entry.name] = (about.st_mtime_ns, about.st_size, about.st_ino)
    except OSError:
        pass  # in the midst of a save, a file is there and then is not
    return found


def contents(folder: Path) -> dict[str, str]:
    """What these files hold, as digests."""
    return {name: _digest(folder / name) for name in marks(folder)}


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def settled(folder: Path) -> Marks:
    """The marks, once nothing has changed for a moment; a program that never stops writing is not waited for."""
    now = marks(folder)
    for _ in range(20):
        before = now
        time.sleep(CALM)
        now = marks(folder)
        if now == before:
            break
    return now


def next_save(folder: Path, before: Marks) -> Marks:
    """Wait until something is saved, and return the marks after that."""
    while marks(folder) == before:
        time.sleep(PAUSE)
    return settled(folder)
