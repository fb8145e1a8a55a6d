"""Why a name that a question asks for is not there, and what else went wrong while the cells ran."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.crashes.telling import meaning, raised, sentences
from grader.markdown import code
from grader.observing.outcome import Finding
from grader.reading.attempt import cell_of, similar
from grader.sandbox.session import Session
from grader.worker.load import CellError

MISSED_NAME = re.compile(r"name '(\w+)' is not defined.*", re.DOTALL)


def missing(session: Session, name: str, function: bool) -> Finding:
    """The first reason that fits: its cell hung or ended the program, raised, misspelt, or never written."""
    submission = session.submission
    written = f"{name}()" if function else name
    cell = cell_of(submission, name)
    if cell is not None and cell not in session.lost and session.given_up:
        return Finding("died", f"{written} {session.given_up}.")
    if cell is not None and cell in session.lost:
        lost = session.lost[cell]
        return Finding(lost.how, f"{_place(session, cell)}, which defines {written}, {lost.text}.")
    error = next((error for error in session.errors if error.cell == cell), None)
    if error is not None:
        return Finding("load", f"{written} does not load: {spoken_error(session, error)}")
    other = similar(submission, name, session.names) if function else None
    if other is not None:
        return Finding("missing", f"{submission.source} has no {written}; it does define `{other}`: is that it?")
    return Finding("not_attempted", f"{written} is not written yet.")


def spoken_error(session: Session, error: CellError) -> str:
    """`cell 12 raised SyntaxError: expected ':' (line 3: `def scale(x, d)`).`, and what that means."""
    shown = f": {code(error.text)}" if error.text else ""
    where = f" (line {error.line}{shown})" if error.line else ""
    told = f"{_place(session, error.cell)} raised {raised(error.type, error.message)}{where}."
    return sentences(told, meaning(error.type, error.message))


def cell_troubles(session: Session) -> Iterator[str]:
    """A sentence for each cell that hung, ended the program or raised, in the order of the cells."""
    without = "" if session.given_up else "; the rest was graded without it"
    told = {cell: f"{_capital(_place(session, cell))} {lost.text}{without}." for cell, lost in session.lost.items()}
    told |= {
        error.cell: _capital(spoken_error(session, error)) for error in session.errors if not _follows(session, error)
    }
    told |= {cell: f"{_capital(_place(session, cell))}: {what}" for cell, what in session.notes}
    yield from (told[cell] for cell in sorted(told))


def _follows(session: Session, error: CellError) -> bool:
    """Whether a cell only misses a name that a question asks for and tells of itself."""
    missed = MISSED_NAME.fullmatch(error.message) if error.type == "NameError" else None
    return missed is not None and missed[1] in session.names and missed[1] not in session.values


def _place(session: Session, cell: int) -> str:
    """A cell as the student finds it: notebooks have cells, a script without `# %%` is one whole file."""
    submission = session.submission
    if submission.kind == "script" and len(submission.cells) == 1:
        return submission.source
    return f"cell {cell} of {submission.source}"


def _capital(text: str) -> str:
    return text if "." in text.split(" ")[0] else text[:1].upper() + text[1:]
