"""Where in their own file a student should look, and what Python said there."""

from __future__ import annotations

import linecache
import re
import traceback
import types

from grader.observing.cells import cell_number
from grader.reading.attempt import cell_of
from grader.student.record import Work
from grader.wording import first_line

LINE = 120  # characters of a line that are shown


def place(work: Work, cell: int | None, line: int | None, text: str = "", elsewhere: str = "") -> str:
    """`attention.ipynb, cell 12, line 3`, `attention.py, line 40`, or `Line 3` in a live notebook, and whose line."""
    script = work.submission is not None and work.submission.kind == "script"
    parts = [work.source] if work.submission is not None else []
    if cell is not None and not script:
        parts.append(f"cell {cell}")
    if line is not None:
        parts.append(f"line {line}" if parts else f"Line {line}")
    return ", ".join(parts) + elsewhere + (f": `{first_line(text, LINE)}`" if text.strip() else "")


def frames_of(work: Work, error: BaseException) -> list[types.FrameType]:
    """The frames of an exception that run the student's code, the outermost first."""
    return [frame for frame, _ in traceback.walk_tb(error.__traceback__) if work.owns(frame)]


def place_of_frame(work: Work, error: BaseException, asked: str = "") -> str:
    """The last line of the student's that an exception went through, or "" where there is none.

    In a live notebook it is a line of the cell that defines the function `asked`, or of another that is named.
    """
    own = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if work.owns(frame)]
    if not own:
        return ""
    frame, line = own[-1]
    file = frame.f_code.co_filename
    name = frame.f_code.co_name
    elsewhere = f" in the cell of {name}()" if work.submission is None and name.isidentifier() and name != asked else ""
    return place(work, cell_number(file), line, linecache.getline(file, line), elsewhere)


def place_of_name(work: Work, name: str) -> str:
    """Where the student defines a name; "" in a live notebook, whose cell is right above the check."""
    number = cell_of(work.submission, name) if work.submission is not None else None
    if work.submission is None or number is None:
        return ""
    cell = next(cell for cell in work.submission.cells if cell.number == number)
    pattern = re.compile(rf"\s*(async\s+)?(def\s+|class\s+)?{re.escape(name)}\b")
    lines = [(line, text) for line, text in enumerate(cell.source.split("\n"), cell.line) if pattern.match(text)]
    line, text = lines[-1] if lines else (None, "")
    if name.isupper():
        return place(work, number, line, text)
    # the line of a `def` is only worth naming where there are no cells
    return place(work, number, line if work.submission.kind == "script" else None)


def sentence(kind: str, message: str) -> str:
    """`ValueError: too many values to unpack.`"""
    said = first_line(message, 300)
    text = f"{kind}: {said}" if said else kind
    return text if text.endswith((".", "?", "!")) else f"{text}."
