"""`grader check`: the public checks of a folder, told in a few lines."""

from __future__ import annotations

import textwrap
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.errors import CourseError
from grader.student.folder import exercise
from grader.student.tally import Lesson, Tally
from grader.student.words import columns, remarks

STYLES = {"light": "dim"}  # rich's name for pytest's colour


def check_folder(path: Path) -> int:
    """Check the student's work in a folder, or in that of the given file, and print what the checks say.

    0: every public check holds and nothing is left to attempt; else 1. Raises CourseError.
    """
    _, files = exercise(path)
    from grader.student.running import run_checks  # pytest and torch, and only now

    checked = run_checks(files)
    if checked.problem:
        raise CourseError(checked.problem)
    console = Console(highlight=False)
    for lesson in checked.lessons:
        if is_other_form(path, lesson):
            console.print(Text(f"{lesson.source} counts, since it was worked on; {path.name} was not checked."))
        _print(console, lesson)
    return 0 if all(lesson.complete for lesson in checked.lessons) else 1


def _print(console: Console, lesson: Lesson) -> None:
    if lesson.problem:
        console.print(Text(f"{lesson.problem}\n{lesson.closing()}"), soft_wrap=True)
        return
    console.print(Text(lesson.source, style="bold"))
    for colour, tally, line in columns(lesson):
        console.print(Text(line, style=STYLES.get(colour, colour)), soft_wrap=True)
        for sentence in _sentences(tally) if tally is not None else ():
            print_indented(console, sentence)
    for remark in remarks(lesson):
        console.print(Text(remark), soft_wrap=True)
    console.print()
    console.print(Text(lesson.closing()), soft_wrap=True)


def is_other_form(path: Path, lesson: Lesson) -> bool:
    """Whether the script was asked about and the notebook counts, or the reverse."""
    forms = {".ipynb", ".py"}
    return path.suffix in forms and {path.suffix, Path(lesson.source).suffix} == forms


def print_indented(console: Console, sentence: str) -> None:
    """A sentence below what it is about, as wide as the terminal."""
    wrapped = textwrap.wrap(sentence, max(console.width, 40) - 4)
    console.print(Text(textwrap.indent("\n".join(wrapped), "    ")), soft_wrap=True)


def _sentences(tally: Tally) -> list[str]:
    """The first check that does not hold, and where to look; the rest waits until that is mended."""
    missed = tally.missed
    if missed is None or tally.status == "not_attempted":
        return []
    return [line for line in (missed.message, missed.place) if line]
