"""Run nbgrader's generate_assignment in this process, out of sight, and say why it stopped."""

from __future__ import annotations

import logging
import os
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grader.errors import CourseError
from grader.releasing.clear import settings

# The assignment's name inside the build: fixed, because nbgrader takes a name such as `a+b` or `a[1]` amiss.
BUILT = "assignment"


class _Generate(GenerateAssignment):
    """nbgrader's own converter, which only logs why a notebook stopped it; this one also remembers."""

    stopped: tuple[str, str] | None = None

    def init_notebooks(self) -> None:
        # nbgrader globs the whole path, and finds nothing if a folder above is called "course [2026]".
        # The path stays a string: it holds "/./" for the student, which nbgrader reads back out of it.
        assert self.coursedir is not None
        folder = self._format_source(self.coursedir.assignment_id, ".")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".ipynb") and name[0] != ".")
        self.assignments = {folder: [os.path.join(folder, name) for name in names]}

    def convert_single_notebook(self, notebook_filename: str) -> None:
        try:
            super().convert_single_notebook(notebook_filename)
        except Exception as error:
            self.stopped = (Path(notebook_filename).name, _text(error))
            raise


def generate(build: Path) -> Path:
    """Run generate_assignment on `solutions/assignment` of the build folder; the folder that it wrote.

    It has a gradebook of its own there. Raises CourseError with nbgrader's own message.
    """
    config = settings()
    # Relative to the build folder, where nbgrader changes to: a URL has no room for every folder's name.
    config.CourseDirectory.update(root=str(build), assignment_id=BUILT, db_url="sqlite:///gradebook.db")
    _gradebook(build / "gradebook.db")
    (build / "exercises").mkdir()
    convert(config)
    return build / "exercises" / BUILT


def convert(config: Config) -> None:
    """Run generate_assignment as configured; nothing of it reaches the terminal.

    Raises CourseError with nbgrader's own message.
    """
    log = _Log()
    nbgrader = _Generate(coursedir=CourseDirectory(config=config, log=log), config=config, log=log)
    try:
        with warnings.catch_warnings(action="ignore"):
            nbgrader.start()
    except NbGraderException as error:
        where, why = nbgrader.stopped or ("the assignment", "")
        # Where nbgrader knows what to do, it says so here; otherwise it points to a traceback in its log.
        advice = "" if str(error).startswith("Please see") else " ".join(str(error).split())
        text = log.about_a_cell() or why or log.last_line()
        raise CourseError(f"nbgrader stopped at {where}: {'. '.join(filter(None, [text, advice]))}") from error


def _gradebook(path: Path) -> None:
    """A database that is not empty: for an empty one nbgrader starts `alembic`, which need not be on PATH."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")


def _text(error: BaseException) -> str:
    # "Notebook failed to validate" says why only in the exception behind it, whose text is the whole schema.
    behind = error.__context__
    return f"{error} {getattr(behind, 'message', behind)}" if behind else str(error)


class _Log(logging.Logger):
    """A logger that is nobody's child, so that nbgrader's lines go here and nowhere else."""

    def __init__(self) -> None:
        super().__init__("grader.releasing.release", logging.ERROR)
        self.lines: list[str] = []

    def handle(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def about_a_cell(self) -> str:
        """The line in which nbgrader shows the cell that stopped it, if there is one."""
        return next((line for line in self.lines if "Cell contents are" in line), "")

    def last_line(self) -> str:
        """The end of the traceback that nbgrader logged, for a failure outside any notebook."""
        return next((line.split("\n")[-2] for line in self.lines if line.startswith("Traceback")), "")
