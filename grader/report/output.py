"""Where results are written: standard output, or a file that appears when it is complete."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from grader.errors import CourseError
from grader.files import whole_file


@contextlib.contextmanager
def output(path: Path | None) -> Iterator[IO[str]]:
    """A text stream. Raises CourseError, before anything is written, for a path that cannot be a file.

    An exception inside leaves what stood at the path as it was.
    """
    if path is None:
        yield sys.stdout
        return
    path, is_device = _meant(path)
    if is_device:
        try:
            with path.open("w", encoding="utf-8", errors="backslashreplace") as device:
                yield device
        except OSError as error:
            raise _unwritable(path, error) from error
        return
    with contextlib.ExitStack() as opened:
        try:
            file = opened.enter_context(whole_file(path))
        except OSError as error:
            raise _unwritable(path, error) from error
        yield file


def _meant(path: Path) -> tuple[Path, bool]:
    """What a link points to, and whether it is a device or a pipe, which stays where it is."""
    try:
        meant = path.resolve()
        if not path.name or meant.is_dir():
            raise CourseError(f"--output {path} is a folder; name a file in it.")
        with contextlib.suppress(FileNotFoundError):
            meant.lstat()
        return meant, meant.exists() and not meant.is_file()
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> CourseError:
    return CourseError(f"--output {str(path)[:100]} cannot be written: {error.strerror}.")
