"""Standard output and standard error of a child: as Python sees them, and as C code and programs do."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.worker.outputs import Outlet

PIECE = 64 * 2**10  # bytes read at once
KEPT = 2**20  # bytes that may stay in the file between cells


class Descriptor:
    """What is written straight to file descriptor `number` goes to a file that has no name, and is read from there.

    Unlike a pipe it needs no thread that reads it. How large it grows is limited as for any file of a child.
    """

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self._file = _unnamed_file()
        self._read = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        os.dup2(self._file, number)

    def new(self, most: int) -> str:
        """The text that came since the last time; what exceeds `most` bytes by far is skipped."""
        size = os.fstat(self._file).st_size
        if size == self._read:
            return ""
        start = self._read if size > self._read else 0  # a program may have truncated it
        data = b""
        while start + len(data) < size and len(data) <= most:
            piece = os.pread(self._file, PIECE, start + len(data))
            if not piece:
                break
            data += piece
        self._read = size
        return self._decoder.decode(data[: size - start])

    def trim(self) -> None:
        """Empty the file when it is large, between two cells."""
        if self._read > KEPT:
            os.ftruncate(self._file, 0)
            self._read = 0


def _unnamed_file() -> int:
    """In the child's folder for temporary files, whose size is limited: memory by another name would not be."""
    handle, name = tempfile.mkstemp()
    file = os.open(name, os.O_RDWR | os.O_APPEND)
    os.close(handle)
    with contextlib.suppress(OSError):  # Windows keeps the name of an open file
        os.unlink(name)
    return file


class Stream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of a cell, as a kernel has them: no terminal, and no `buffer`."""

    encoding = "UTF-8"

    def __init__(self, name: str, number: int, outlet: Outlet) -> None:
        self.name = name
        self._number = number
        self._outlet = outlet

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        self._outlet.text(self.name, text)
        return len(text)

    def flush(self) -> None:
        self._outlet.flush()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number
