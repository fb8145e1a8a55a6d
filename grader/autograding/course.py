"""The course as one run of nbgrader's autograde sees it: students' folders, the gradebook's cells, where things are."""

from __future__ import annotations

import fnmatch
import glob
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock
from nbgrader.api import Gradebook, MissingEntry

from grader.autograding.source import SourceCell, order_in, source_cells
from grader.errors import CourseError
from grader.reading.lesson import question_notebook
from grader.releasing.clear import fails_closed
from grader.releasing.forms import METADATA
from grader.releasing.register import half_registered, register

LOCK = ".autograde.lock"  # in the course's folder
UNFINISHED = "unfinished"  # notebook metadata between nbgrader's two passes
Cells = dict[str, tuple[SourceCell, ...]]  # by notebook


class Course:
    """What nbgrader's converter knows of a run, asked for in one place. `converter` is its Autograde."""

    def __init__(self, converter: Any) -> None:
        self._converter = converter
        self._places = converter.coursedir
        self._due: list[str] = []
        self._sources: dict[str, Cells] = {}
        self._kernels: dict[tuple[str, str], dict[str, Any]] = {}

    def prepare(self) -> None:
        """Before the first student: see that the gradebook knows the assignments, and that no student is passed over
        because a notebook has another name or is not there. Raises CourseError.
        """
        with FileLock(Path(self.root, LOCK)):  # two runs may find at once that there is no gradebook
            self._prepare()

    def _prepare(self) -> None:
        self._due = []
        folders = [folder for folder in sorted(glob.glob(self._submitted("*"))) if os.path.isdir(folder)]
        for folder in folders:
            assignment, _ = self._names(folder)
            if self._register(assignment):
                wanted = [name for name in self.source(assignment) if self._is_wanted(name)]
                paths = {os.path.join(folder, f"{name}.ipynb") for name in wanted}
                self._converter.assignments[folder] = sorted({*self._converter.assignments.get(folder, ()), *paths})
                self._clear_unfinished(folder)
                if self._is_due(folder):
                    self._due.append(folder)
                    self._leave_out_links(folder)

    @property
    def root(self) -> str:
        return str(self._places.root)

    @property
    def ignored(self) -> tuple[str, ...]:
        return tuple(self._places.ignore)

    def source(self, assignment: str) -> Cells:
        """The gradebook's cells of each notebook of an assignment; none if it does not know the assignment."""
        if assignment not in self._sources:
            self._sources[assignment] = dict(self._read(assignment))
        return self._sources[assignment]

    def kernelspec(self, assignment: str, notebook: str) -> dict[str, Any]:
        """The kernel of the released notebook, for whoever opens a graded one."""
        return self._kernels.get((assignment, notebook)) or METADATA["kernelspec"]

    def source_folder(self, assignment: str) -> str:
        """The instructor's folder of the assignment."""
        return str(self._places.format_path(self._places.source_directory, ".", assignment))

    def excluded(self, assignment: str) -> tuple[str, ...]:
        """Files of the source folder that do not replace a student's own."""
        return tuple(self._converter.exclude_overwriting.get(assignment, ()))

    def keys(self, assignment: str) -> str:
        """The folder of its answer key, by which the cells that ask its questions are graded; "" if there is none."""
        keys = Path(self.source_folder(assignment)).parent / "keys"
        return str(keys) if (keys / f"{assignment}.py").is_file() else ""

    def lesson(self, assignment: str) -> str:
        """The notebook that asks the key's questions. Raises CourseError unless there is one."""
        return question_notebook(Path(self.source_folder(assignment)))

    def submitted(self, assignment: str, student: str) -> str:
        """A student's folder."""
        return str(self._places.format_path(self._places.submitted_directory, student, assignment))

    def folders(self, assignment: str) -> list[str]:
        """The students' folders of this run that nbgrader will go through, in its order."""
        return [folder for folder in self._due if self._names(folder)[0] == assignment]

    def is_autograded(self, filename: str) -> bool:
        """Whether a file is one that nbgrader wrote in the first of its two passes."""
        return not os.path.abspath(filename).startswith(self._root_of(self._places.submitted_directory))

    def _root_of(self, step: str) -> str:
        return os.path.abspath(os.path.join(self.root, step)) + os.sep

    def _submitted(self, default: str) -> str:
        return self.submitted(self._places.assignment_id or default, self._places.student_id or default)

    def _is_wanted(self, notebook: str) -> bool:
        return fnmatch.fnmatch(notebook, self._places.notebook_id)

    def _names(self, folder: str) -> tuple[str, str]:
        """Assignment and student of a folder, read back as nbgrader does."""
        places = self._places
        pattern = places.format_path(places.submitted_directory, "(?P<student>.*)", "(?P<assignment>.*)", escape=True)
        match = re.match(pattern, folder)
        return (match["assignment"], match["student"]) if match else ("", "")

    def _is_due(self, folder: str) -> bool:
        """Whether nbgrader will grade a folder, and not pass it over because it did so before."""
        assignment, student = self._names(folder)
        done = self._places.format_path(self._places.autograded_directory, student, assignment)
        if self._converter.force or not os.path.exists(done):
            return True
        then, now = self._places.get_existing_timestamp(done), self._places.get_existing_timestamp(folder)
        return then is not None and now is not None and now > then

    def _clear_unfinished(self, folder: str) -> None:
        """Remove what a run that was killed left of a student: nbgrader would take it for graded, for good."""
        assignment, student = self._names(folder)
        done = Path(self._places.format_path(self._places.autograded_directory, student, assignment))
        wanted = [done / f"{name}.ipynb" for name in self.source(assignment)]
        if self._places.notebook_id == "*" and done.exists() and not all(map(_is_finished, wanted)):
            self._converter.log.warning("%s was not finished by an earlier run: it is graded again", done)
            shutil.rmtree(done)

    def _leave_out_links(self, folder: str) -> None:
        """nbgrader would copy what a link points to, the answers for one, and give it back with the feedback."""
        for place, folders, names in os.walk(folder):
            for name in (*folders, *names):
                path = os.path.join(place, name)
                mode = os.lstat(path).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    self._converter.log.warning("%s is no ordinary file: it is left out", path)
                    self._places.ignore = [*self._places.ignore, glob.escape(path)]

    def _register(self, assignment: str) -> bool:
        """Whether the gradebook knows the assignment; one that it does not know yet is told to it."""
        cells = self.source(assignment)
        if cells and not half_registered(Path(self.root), assignment):
            if not self.keys(assignment) and any(fails_closed(cell.source) for all in cells.values() for cell in all):
                raise CourseError(
                    f"{assignment} asks questions of an answer key, and there is none: put it at "
                    f"{Path(self.source_folder(assignment)).parent.resolve() / 'keys' / assignment}.py."
                )
            return True
        if not assignment or not any(Path(self.source_folder(assignment)).glob("*.ipynb")):
            return False  # nbgrader says what there is to say
        self._converter.log.info("The gradebook does not know %s yet: taking it in from its source", assignment)
        register(Path(self.root), assignment, self._places.db_url, self._converter.config)
        del self._sources[assignment]
        if not self.source(assignment):
            raise CourseError(f"The gradebook does not take in {assignment}: run `grader release {assignment}`.")
        return True

    def _read(self, assignment: str) -> Iterator[tuple[str, tuple[SourceCell, ...]]]:
        folder = Path(self.source_folder(assignment))
        with Gradebook(self._places.db_url, self._places.course_id) as gradebook:
            try:
                notebooks = gradebook.find_assignment(assignment).notebooks
            except MissingEntry:
                return
            for notebook in sorted(notebooks, key=lambda notebook: notebook.name):
                self._kernels[assignment, notebook.name] = json.loads(notebook.kernelspec or "{}")
                yield notebook.name, source_cells(notebook, order_in(folder / f"{notebook.name}.ipynb"))


def _is_finished(notebook: Path) -> bool:
    """Whether nbgrader's second pass wrote it."""
    try:
        return not json.loads(notebook.read_text(encoding="utf-8"))["metadata"].get(UNFINISHED)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
