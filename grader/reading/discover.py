"""From the PATHs of a command line to the students of a class, each once, under ids that can be stored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from grader.errors import CourseError
from grader.reading.entry import Entry
from grader.reading.names import marked, safe_id, same_file_name, shown
from grader.reading.search import Search

__all__ = ["Discovery", "Entry", "discover"]


@dataclass(frozen=True)
class Discovery:
    """The students, in the order of their ids, and a sentence for each thing that became no entry.

    Zips are unpacked into temporary folders: use it in a `with` statement, or call `close` after reading.
    """

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]
    _unpacked: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)

    def close(self) -> None:
        """Delete what was unpacked."""
        self._unpacked.close()

    def __enter__(self) -> Discovery:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def discover(assignment: str, paths: Sequence[Path], stem: str = "attention") -> Discovery:
    """Find the students in `paths`, in any order, or in `submitted/*/ASSIGNMENT` where there are none.

    `stem` is what the exercise's notebook and script are called. No submission is read yet. Raises
    CourseError for a path that is not there, and where there is no student at all.
    """
    with ExitStack() as unpacked:
        search = Search(assignment, stem, unpacked)
        entries = search.look(paths) if paths else list(search.submitted(Path("submitted")))
        if not entries and not search.problems:
            named = ", ".join(shown(str(path)) for path in paths[:5]) or f"submitted/*/{assignment}"
            raise CourseError(
                f"There is no submission in {named}: name a notebook, a script, a zip, a student's folder "
                "or a folder of students' folders."
            )
        kept = _distinct(entries, search.problems)
        return Discovery(_storable(kept), tuple(sorted(search.problems)), unpacked.pop_all())


def _distinct(entries: Iterable[Entry], problems: list[str]) -> list[Entry]:
    """One entry a student. Sorted first, so that it is the same one whatever the order of the PATHs."""
    kept: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: (entry.student, not entry.paths, entry.where)):
        first = kept.setdefault(entry.student, entry)
        if first is not entry and not _same_files(first, entry):
            student = shown(entry.student)
            problems.append(f"{student} stands there twice: {first.where} counts, {entry.where} was left out.")
    return list(kept.values())


def _same_files(one: Entry, other: Entry) -> bool:
    if not one.paths or not other.paths:
        return one.where == other.where
    return [os.path.realpath(path) for path in one.paths] == [os.path.realpath(path) for path in other.paths]


def _storable(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries under ids that are file names, each another one also where capitals do not count."""
    taken: set[str] = set()
    stored = []
    for entry in entries:
        student = safe_id(entry.student)
        reason = "cannot be the name of a file"
        if same_file_name(student) in taken:
            student = marked(student, entry.student)
            reason = "is the name of another student's file on some systems"
        taken.add(same_file_name(student))
        if student != entry.student:
            note = f'The student id became "{student}", as "{shown(entry.student)}" {reason}.'
            entry = replace(entry, student=student, messages=(*entry.messages, note))
        stored.append(entry)
    return tuple(sorted(stored, key=lambda entry: entry.student))
