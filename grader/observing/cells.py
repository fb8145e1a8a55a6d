"""How the code of a cell is known again in a traceback, and what an exception says."""

from __future__ import annotations

LONGEST_MESSAGE = 2_000  # characters of a student's exception text that travel


def cell_file(number: int) -> str:
    """The file name that a cell's code carries, so that tracebacks tell the student's lines from others."""
    return f"<cell {number}>"


def cell_number(file: str) -> int | None:
    """The inverse of `cell_file`; None for code that is not the student's."""
    digits = file[6:-1] if file.startswith("<cell ") and file.isascii() and len(file) < 20 else ""
    return int(digits) if digits.isdigit() else None


def message_of(error: BaseException) -> str:
    """The exception's own text, shortened; text that cannot be made is left out."""
    try:
        return str(error)[:LONGEST_MESSAGE]
    except BaseException:  # the student's own __str__
        return ""
