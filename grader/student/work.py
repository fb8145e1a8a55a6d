"""The student's work as the public checks ask for it: loaded once, here, in the process of the checks."""

from __future__ import annotations

import contextlib
import os
import sys
import types
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from grader.crashes.telling import meaning, met, raised, sentences
from grader.observing.calling import is_stub
from grader.observing.cells import message_of
from grader.observing.seen import last_trace, near_name, seen_at
from grader.reading.attempt import cell_of, most_alike, similar, untouched
from grader.reading.entry import entry_of, is_form
from grader.reading.submission import Submission, Unreadable
from grader.student.limit import OutOfTime, time_limit
from grader.student.places import frames_of, place, place_of_frame, place_of_name
from grader.student.record import Work
from grader.student.tally import Status, spoken_name
from grader.wording import first_line, with_article
from grader.worker.load import CellError, load

IN_WORKER = "GRADER_WORKER"  # set wherever a submission's cells are run by us, so that its check() cells rest
SECONDS = 10.0
UNWRITTEN = "is not written yet."


class NotAttempted(Exception):
    """The student has written nothing for a name yet; the text says which."""


class StudentFault(Exception):
    """The student's work cannot answer: one sentence to them, and the place to look at."""

    def __init__(self, message: str, place: str = "", status: Status = "failed") -> None:
        super().__init__(message)
        self.place = place
        self.status = status


def load_work(folder: Path, stem: str, names: Collection[str], seconds: float = SECONDS) -> Work:
    """Read `stem`.ipynb or .py in `folder` and run its cells, each for at most `seconds`.

    Raises StudentFault where there is no such file or none that can be read.
    """
    submission = _read(folder, stem, names)
    # Dataclasses and typing look a module up by name; "submission" is no module of anybody else's.
    module = sys.modules["submission"] = types.ModuleType("submission")
    if submission.kind == "notebook":
        module.__dict__["__name__"] = "__main__"
    module.__dict__["input"] = _no_input
    work = Work(submission.source, module.__dict__, submission, notes=list(submission.messages))
    work.names, work.stubs = set(names), untouched(submission, names)
    with _resting_checks(folder), time_limit(seconds, work.owns) as start:
        loaded = load(submission.cells, submission.kind, work.namespace, lambda number: start())
    work.errors = loaded.errors
    for error in loaded.errors:
        if error.type != "NotImplementedError":  # a cell that tries out a stub
            work.notes.append(f"{place(work, error.cell, error.line)}: {_why_stopped(error)}")
    return work


def _read(folder: Path, stem: str, names: Collection[str]) -> Submission:
    """The form that counts, chosen as grading chooses it."""
    try:
        files = [path for path in folder.iterdir() if is_form(path) and not path.name.startswith("test_")]
        return entry_of(folder.name, folder.name, files, stem).submission(names)
    except Unreadable as reason:
        raise StudentFault(str(reason)) from None


@contextlib.contextmanager
def _resting_checks(folder: Path) -> Iterator[None]:
    """The student's cells run where their file is, without windows and without checks inside of checks."""
    before, path = os.environ.copy(), sys.path.copy()
    os.environ[IN_WORKER] = "1"
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.path.insert(0, str(folder))
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        sys.path[:] = path


def _no_input(*_: object) -> str:
    raise RuntimeError("input() waits for somebody to type, and nobody does while the checks run")


class StudentWork:
    """What the fixture `student` is: its attributes are the names that the student defined."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._asked = ""  # the name asked for last
        self._call = ""  # the call that raised, as the student would write it

    def __getattr__(self, name: str) -> Any:
        """The value, or the function to call. Raises NotAttempted for a stub, StudentFault where it is missing."""
        if name.startswith("_"):
            raise AttributeError(name)
        self._asked = name
        value = self._work.namespace.get(name)
        defined = self._work.submission is not None and cell_of(self._work.submission, name) is not None
        if value is None or (defined and name in self._work.stubs):
            raise _why_missing(self._work, name)
        if name.isupper():
            return value
        if not callable(value):
            what = f"{name} is {with_article(type(value).__name__)}, not a function: write `def {name}(...)`"
            raise StudentFault(f"{what}, and give other things other names.", place_of_name(self._work, name))
        return StudentFunction(self, name, value)


def work_of(student: StudentWork) -> Work:
    """What a student's names come from; a method would take a name away from the student."""
    return student._work


def asked_of(student: StudentWork) -> str:
    """The name that was asked for last, "" before the first."""
    return student._asked


def _why_missing(work: Work, name: str) -> Exception:
    submission, spoken = work.submission, spoken_name(name)
    if submission is None:
        return NotAttempted(f"{spoken} {_why_not_live(work, name)}")
    cell = cell_of(submission, name)
    error = next((error for error in work.errors if error.cell == cell), None)
    if error is not None and name not in work.stubs:
        status: Status = "timed_out" if error.type == OutOfTime.__name__ else "crashed"
        where = place(work, error.cell, error.line, error.text)
        return StudentFault(f"{_why_stopped(error)} So {spoken} is not there yet.", where, status)
    other = similar(submission, name, work.names) if cell is None else None
    if other is not None and not name.isupper():
        return StudentFault(f"{work.source} does not define {spoken}; it does define {other}(): is that it?")
    return NotAttempted(f"{spoken} {UNWRITTEN}")


def _why_not_live(work: Work, name: str) -> str:
    """Why a running notebook has no such name, or only its stub."""
    if name in work.namespace:
        return UNWRITTEN
    own = [
        other
        for other, value in work.namespace.items()
        if type(other) is str and type(value) is types.FunctionType and value.__globals__ is work.namespace
    ]
    other = None if name.isupper() else most_alike([one for one in own if one not in work.names], name)
    is_it = f"; {other}() is: is that it? Its name has to be {name}" if other is not None else ""
    return f"is not there yet{is_it or ': run the cell that defines it first'}."


def _why_stopped(error: CellError) -> str:
    """Why a cell did not run to its end, as a sentence."""
    if error.type == OutOfTime.__name__:
        return f"{error.message[:1].upper()}{error.message[1:]}."
    return sentences(raised(error.type, error.message), meaning(error.type, error.message))


class StudentFunction:
    """A function of the student's. What it raises passes through, so that a debugger stops where it was raised."""

    def __init__(self, student: StudentWork, name: str, function: Any) -> None:
        self._student = student
        self._name = name
        self._function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        work, name = work_of(self._student), self._name
        if name in work.stopped:
            raise StudentFault(work.stopped[name], status="timed_out")
        called = _call_text(name, self._function, [*arguments, *named.values()])
        try:
            return self._function(*arguments, **named)
        except OutOfTime as late:
            # One endless loop must not cost the time of every check of it.
            work.stopped[name] = f"{name}() was still running after {late.seconds:g} s and was stopped."
            where = place_of_frame(work, late, name)
            raise StudentFault(work.stopped[name], where, "timed_out") from None
        except NotImplementedError as error:
            if is_stub(error, self._function):
                raise NotAttempted(f"{name}() {UNWRITTEN}") from None
            self._student._call = called
            raise
        except BaseException:
            self._student._call = called
            raise


def crash(student: StudentWork, error: BaseException) -> tuple[str, str] | None:
    """The sentence and the place for what a call of the student's raised; None if none was raised in one."""
    if not student._call:
        return None
    work = student._work
    own = frames_of(work, error)
    inner = own[-1].f_code.co_name if own else ""
    if type(error) is NotImplementedError and inner not in ("", student._asked):
        text = f"{student._call} calls {inner}(), which is not written yet."
        if inner in work.names:
            student._asked = inner  # that is what comes next
    else:
        kind, message = type(error).__name__, message_of(error)
        text = sentences(f"{student._call} raised {raised(kind, message)}", *_explained(work, error, kind, message))
    return text, place_of_frame(work, error, student._asked)


def _explained(work: Work, error: BaseException, kind: str, message: str) -> tuple[str, str]:
    """What met on the student's line, and what the error means."""
    trace = last_trace(error, work.owns)
    if trace is None:
        return "", meaning(kind, message)
    shapes = met(seen_at(trace), kind, where="Where it happened")
    return shapes, meaning(kind, message, near_name(error, trace.tb_frame))


def _call_text(name: str, function: Any, arguments: list[Any]) -> str:
    """`attention(q[5, 6], k[7, 6], v[7, 3])`, with the student's own names for the parameters."""
    code = getattr(function, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    labels = [*names, *[""] * len(arguments)]
    return f"{name}({', '.join(_argument(*pair) for pair in zip(labels, arguments, strict=False))})"


def _argument(label: str, value: Any) -> str:
    try:
        shape = getattr(value, "shape", None)
        return f"{label}{list(shape)}" if shape is not None else first_line(repr(value), 40)
    except Exception:  # an object of the student's, which may do anything
        return label or "…"
