"""What the PATHs of a command line hold: a student's folder, a class, a zip of either, or single files.

What a folder is, first rule that fits:

1. It holds attention.ipynb or attention.py: one student's folder.
2. It holds a folder named after the assignment: one student's (`ID/ASSIGNMENT/…`) if notebooks or scripts
   are in that one, else that one is looked at in its place, unless there is work beside it too.
3. It holds a zip, or a folder with notebooks or scripts: a class. Each folder is a student, whatever is in
   it; each loose `ID.ipynb` or `ID.py` is one more; each zip is looked into.
4. It holds no work but loose files: one student's if they share a name (`hw.ipynb`, a renamed
   attention.ipynb) or if the folder is named after the assignment; else a class of loose files.
5. All it holds is one folder: that one is looked at in its place, as most zips have one around everything.
6. It holds folders without work: a class of students who handed in nothing.

Links to folders are not followed below a PATH: they could lead to the answers, or in a circle.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import CourseError
from grader.reading.archive import unpack
from grader.reading.entry import Entry, entry_of, is_form, is_named
from grader.reading.names import is_ignored, shown
from grader.reading.submission import Unreadable

DEPTH = 10  # folders around everything


@dataclass
class Search:
    """One look through PATHs. Zips are unpacked into folders that `unpacked` deletes when it is closed;
    `problems` fills up with sentences on what became no student's entry.
    """

    assignment: str
    stem: str
    unpacked: ExitStack
    problems: list[str] = field(default_factory=list)

    def look(self, paths: Sequence[Path]) -> list[Entry]:
        """The students in `paths`. Raises CourseError for a path that is not there."""
        for path in paths:
            if not os.path.lexists(path):
                raise CourseError(f"There is no file or folder {shown(str(path))}: check how it is spelled.")
        entries: list[Entry] = []
        files: list[Path] = []
        empty: list[Entry] = []
        # What stands twice on a command line was not handed in twice.
        for path in {_place(path): path for path in sorted(paths)}.values():
            if is_form(path) and not is_ignored(path.name) and not os.path.isdir(path):
                files.append(path)
                continue
            problems = len(self.problems)
            found = list(self._path(path))
            if not found and len(self.problems) == problems:
                name = _name(path, self.assignment) if os.path.isdir(path) else path.stem
                empty.append(entry_of(name, shown(str(path)), [], self.stem))
            entries += found
        entries += self._loose(files, None)
        # A student's empty folder among others is a student's; on its own it is a class without students.
        return entries + empty if entries or self.problems or len(empty) > 1 else []

    def submitted(self, folder: Path) -> Iterator[Entry]:
        """The students of a course's `submitted` folder who handed in this assignment."""
        try:
            students = _listed(folder)[1] if os.path.isdir(folder) else []
        except Unreadable as problem:
            self.problems.append(str(problem))
            return
        for student in students:
            if os.path.isdir(student / self.assignment):
                yield self._student(student, shown(str(student)), student.name, inside=True)

    def _path(self, path: Path) -> Iterator[Entry]:
        where = shown(str(path))
        if os.path.isdir(path):
            yield from self._folder(path, where, _name(path, self.assignment))
        elif path.suffix.lower() == ".zip":
            yield from self._zip(path, where)
        else:
            self.problems.append(
                f"{where} was left out: it is no notebook (.ipynb), no script (.py), no zip and no folder."
            )

    def _zip(self, path: Path, where: str, inside: bool = False) -> Iterator[Entry]:
        folder = tempfile.TemporaryDirectory(prefix="grader-zip-", ignore_cleanup_errors=True)
        root = Path(self.unpacked.enter_context(folder))
        problems = unpack(path, root)
        self.problems.extend(problems)
        found = list(self._folder(root, where, path.stem))
        if inside and not found and not problems:
            found = [entry_of(path.stem, where, [], self.stem)]
        yield from found

    def _folder(self, folder: Path, where: str, name: str, depth: int = 0) -> Iterator[Entry]:
        try:
            files, folders = _listed(folder)
        except Unreadable as problem:
            self.problems.append(str(problem))
            return
        forms = [file for file in files if is_form(file)]
        zips = [file for file in files if file.suffix.lower() == ".zip"]
        inner = next((inside for inside in folders if inside.name == self.assignment), None)
        if any(is_named(file, self.stem) for file in forms) or (inner and _holds_forms(inner)):
            yield self._student(folder, where, name)
        elif inner and not (forms or zips or any(self._holds_named(inside) for inside in folders)):
            yield from self._around(inner, where, name, depth)
        elif zips or any(self._holds_work(inside) for inside in folders):
            yield from self._class(folders, forms, zips, where)
        elif forms and not inner and (len({file.stem for file in forms}) == 1 or folder.name == self.assignment):
            yield self._student(folder, where, name)
        elif not forms and len(folders) == 1:
            yield from self._around(folders[0], where, folders[0].name, depth)
        else:
            yield from self._class(folders, forms, zips, where)

    def _around(self, inner: Path, where: str, name: str, depth: int) -> Iterator[Entry]:
        """The students in the one folder that matters in the folder `where`."""
        if depth < DEPTH and not os.path.islink(inner):
            yield from self._folder(inner, f"{where}/{shown(inner.name)}", name, depth + 1)
        else:
            yield from self._class([inner], [], [], where)

    def _class(
        self, folders: Sequence[Path], forms: Sequence[Path], zips: Sequence[Path], where: str
    ) -> Iterator[Entry]:
        for folder in folders:
            yield self._student(folder, f"{where}/{shown(folder.name)}", folder.name, inside=True)
        yield from self._loose(forms, where)
        for path in zips:
            yield from self._zip(path, f"{where}/{shown(path.name)}", inside=True)

    def _loose(self, files: Sequence[Path], where: str | None) -> Iterator[Entry]:
        """Files that are students of their own: a notebook and a script with one name are one student's."""
        students: dict[tuple[str, str], list[Path]] = {}
        for file in files:
            students.setdefault((os.path.realpath(file.parent), file.stem), []).append(file)
        for (_, stem), forms in students.items():
            first = min(forms)
            place = shown(str(first)) if where is None else f"{where}/{shown(first.name)}"
            yield entry_of(stem, place, forms, stem)

    def _student(self, folder: Path, where: str, name: str, inside: bool = False) -> Entry:
        inner = folder / self.assignment
        try:
            if (inside and os.path.islink(folder)) or os.path.islink(inner):
                raise Unreadable(f"{where} is or holds a link to a folder: put the folder itself there.")
            files, folders = _listed(folder)
            if inner in folders and (_holds_forms(inner) or not any(is_form(file) for file in files)):
                where = f"{where}/{self.assignment}"
                files = _listed(inner)[0]
        except Unreadable as problem:
            return Entry(name, where, problem=str(problem))
        return entry_of(name, where, files, self.stem)

    def _holds_named(self, folder: Path) -> bool:
        return _holds_forms(folder, self.stem) or _holds_forms(folder / self.assignment)

    def _holds_work(self, folder: Path) -> bool:
        return _holds_forms(folder) or _holds_forms(folder / self.assignment)


def _name(folder: Path, assignment: str) -> str:
    """The student's id if this is a student's folder: `ID`, also for `ID/ASSIGNMENT`."""
    folder = folder.resolve() if folder.name in ("", "..") else folder.absolute()
    return folder.parent.name if folder.name == assignment else folder.name


def _place(path: Path) -> str:
    """Equal for two ways to write one path. A last link is left as it is: it may have a name of its own."""
    path = path.resolve() if path.name in ("", "..") else path
    return os.path.join(os.path.realpath(path.parent), path.name)


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    """Files and folders in a folder, sorted, but those that are never a student's work. Raises Unreadable."""
    files: list[Path] = []
    folders: list[Path] = []
    try:
        with os.scandir(folder) as found:
            for item in found:
                if not is_ignored(item.name):
                    (folders if _is_folder(item) else files).append(folder / item.name)
    except OSError as error:
        name = shown(folder.name)
        raise Unreadable(f"The folder {name} could not be opened ({error.strerror}): check its rights.") from error
    return sorted(files), sorted(folders)


def _is_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _holds_forms(folder: Path, stem: str | None = None) -> bool:
    """Whether notebooks or scripts are in a folder, of this name if one is given."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return False
    try:
        files = _listed(folder)[0]
        return any(is_form(file) and (stem is None or is_named(file, stem)) for file in files)
    except Unreadable:
        return False
