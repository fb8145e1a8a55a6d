"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

NAME = 50  # characters of the file's name that its partial file bears: a file system allows 255 bytes
WRITERS = 4  # of one file at once, killed all together, whose partial files are still found
OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its place at `path` in one step when the block ends without an exception.

    Until then it has a name of its own in the same folder, and a lock that ends with this process: the next one to
    write `path` takes over what a process that was killed has left. Half characters are written as escapes.
    Raises OSError.
    """
    handle, partial = _own(path)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        try:
            yield file
            file.flush()
            os.chmod(partial, 0o644)
            if sys.platform == "win32":  # which renames and removes no open file
                file.close()
            os.replace(partial, path)  # under the lock: nobody may take it over now
        except BaseException:
            if sys.platform == "win32":
                file.close()
            partial.unlink(missing_ok=True)
            raise


def remove_partial(path: Path) -> None:
    """Remove what processes that were killed have left of writing `path`; what is being written stays."""
    for number in range(WRITERS):
        partial = _partial(path, number)
        with contextlib.suppress(OSError):
            handle = _locked(partial, OPEN)
            if handle is not None:
                partial.unlink()
                os.close(handle)


def _own(path: Path) -> tuple[int, Path]:
    """A partial file of `path` that nobody else writes, open, empty and locked, and its name."""
    try:
        for number in itertools.count():
            partial = _partial(path, number)
            handle = _locked(partial, OPEN | os.O_CREAT)
            if handle is not None:
                os.ftruncate(handle, 0)
                return handle, partial
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        _partial(path, 0).unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".partial")  # another one each time
    return handle, Path(name)


def _partial(path: Path, number: int) -> Path:
    return path.with_name(f".{path.name[:NAME]}.{number}.partial")


def _locked(partial: Path, flags: int) -> int | None:
    """The file, opened and locked; None where somebody else has the lock, or has just put the file in its place.

    Raises OSError, with one of NO_LOCKS where the system or the file system has none.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, "no locks that end with the process")
    handle = os.open(partial, flags, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), os.lstat(partial)):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(handle)
        raise
    os.close(handle)
    return None
