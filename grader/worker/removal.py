"""Be rid of a folder, whatever was done to it, and of a process and its group."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

SECONDS = 60.0


def remove(entry: Path) -> None:
    """Delete a file or a folder with all that is in it, as far as it can be deleted."""
    with contextlib.suppress(Exception):
        if not entry.is_dir() or entry.is_symlink():
            entry.unlink(missing_ok=True)
            return
        with contextlib.suppress(Exception):  # a tree may be deeper than Python can go
            _open_folders(entry)
            shutil.rmtree(entry, ignore_errors=True)
        if entry.exists():
            subprocess.run(["rm", "-rf", "--", str(entry)], stderr=subprocess.DEVNULL, timeout=SECONDS)


def _open_folders(top: Path) -> None:
    """Folders that were made unreadable keep what is in them from being deleted."""
    top.chmod(0o700)
    for path, folders, _ in os.walk(top):
        for name in folders:
            inner = Path(path, name)
            if not inner.is_symlink():
                inner.chmod(0o700)


def end_group(pid: int) -> None:
    """End a process and the group that it leads, if it leads one."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
