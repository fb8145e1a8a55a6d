"""`grader check --watch`: after each save, how far the student is, and the one thing that comes next."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.student.focus import Focus
from grader.student.folder import exercise, shown, test_files
from grader.student.saved import PAUSE, Marks, contents, marks, next_save, settled
from grader.student.signs import PLAIN, look_of
from grader.student.spare import Answer, Checks
from grader.student.tally import Lesson, Tally, points_text
from grader.student.terminal import is_other_form, print_indented
from grader.wording import joined, printable

LONGEST = 120.0  # seconds for all checks; each one's own limit ends it long before
STOPPED = 130  # what shells say of a program that Ctrl-C has ended


def watch_folder(path: Path) -> int:
    """Check the folder now and after each save, until Ctrl-C. Raises CourseError."""
    folder, _ = exercise(path)
    console = Console(highlight=False)
    try:
        with _checks() as checks:
            before, focus = settled(folder), Focus()
            while True:
                before = _round(path, folder, before, checks, console, focus)
    except KeyboardInterrupt:
        print("Stopped watching.", file=sys.stderr)
        return STOPPED


@contextlib.contextmanager
def _checks() -> Iterator[Checks]:
    checks = Checks()
    try:
        yield checks
    finally:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl-C is enough, and this takes no time
        checks.close()
        signal.signal(signal.SIGINT, before)


def _round(path: Path, folder: Path, before: Marks, checks: Checks, console: Console, focus: Focus) -> Marks:
    """Check once, show that, and wait for a save; a save that comes before the end begins again."""
    if console.is_terminal:
        console.print(Text("Checking …", "dim"))
    held = contents(folder)
    answer = _answer(folder, before, held, checks)
    if answer is None:
        return settled(folder)
    if console.is_terminal:
        console.clear()
    for lesson in (lesson for lesson in answer.lessons if is_other_form(path, lesson)):
        console.print(Text(f"{lesson.source} counts, since it was worked on, and {path.name} is not checked."))
    _show(console, answer, folder, focus)
    # the student's code may have written files itself: that is no save
    after = marks(folder)
    return next_save(folder, after) if contents(folder) == held else settled(folder)


def _answer(folder: Path, before: Marks, held: dict[str, str], checks: Checks) -> Answer | None:
    """What the checks say; None where other work was saved meanwhile."""
    try:
        files = test_files(folder)
    except OSError:
        files = []
    if not files:
        return Answer(problem=f"{shown(folder)} holds no public checks (test_*.py) any more: put the file back.")
    checks.begin(files)
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        answer = checks.answer(PAUSE)
        if answer is not None:
            return answer
        if marks(folder) != before:
            before = settled(folder)
            if contents(folder) != held:
                checks.drop()
                return None
    checks.drop()
    return Answer(problem=f"Your code was still running after {LONGEST:g} s and was stopped.")


def _show(console: Console, answer: Answer, folder: Path, focus: Focus) -> None:
    if answer.problem:
        console.print(Text(printable(answer.problem)), soft_wrap=True)
    for one in answer.lessons:
        console.print(_progress(one, console.encoding), soft_wrap=True)
    lesson, tally = focus.after(answer.lessons)
    if lesson is not None:
        _show_next(console, lesson, tally, folder)
    for one in answer.lessons:
        for note in one.open_notes():
            console.print(Text(printable(note), "dim"), soft_wrap=True)
    console.print()
    for one in [lesson] if lesson is not None else answer.lessons:
        console.print(Text(one.closing(tally)), soft_wrap=True)
    console.print(Text(_watched(folder), "dim"), soft_wrap=True)


def _progress(lesson: Lesson, encoding: str) -> str:
    # the first question bears what is wrong with a file that cannot be read, and is not wrong for that
    signs = "".join(look_of("" if lesson.problem else tally.word).sign for tally in lesson.tallies.values())
    line = f"{lesson.source}  {signs}  {len(lesson.done)} of {len(lesson.tallies)}"
    return line if encoding.lower().startswith("utf") else line.translate(PLAIN)


def _show_next(console: Console, lesson: Lesson, tally: Tally | None, folder: Path) -> None:
    console.print()
    if lesson.problem:
        console.print(Text(printable(lesson.problem)), soft_wrap=True)
        return
    if tally is None:
        return
    question, missed = tally.question, tally.missed
    console.print(Text(f"{question.heading}, {points_text(question.points)}: {tally.word}", "bold"))
    if missed is not None:
        holds = f"Should hold: {missed.check.rstrip('.')}." if missed.status != "not_attempted" else ""
        for sentence in filter(None, (missed.message, missed.place, holds)):
            print_indented(console, printable(sentence))
    if question.hint:
        where = "" if folder == Path() else f" {folder}"
        print_indented(console, f"Stuck? `grader hint {tally.id}{where}` asks you something.")


def _watched(folder: Path) -> str:
    names = sorted(marks(folder)) or ["notebooks and scripts"]
    where = "" if folder == Path() else f" in {folder}"
    return f"Watching {joined(names)}{where}: save, and this is checked again. Ctrl-C ends it."
