"""Tell nbgrader's gradebook of an assignment's cells, as generate_assignment does, without releasing anything."""

from __future__ import annotations

import copy
import glob
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.apps import GenerateAssignmentApp
from sqlalchemy.exc import SQLAlchemyError
from traitlets import TraitError
from traitlets.config import Config

from grader.errors import CourseError
from grader.releasing.clear import settings
from grader.releasing.generate import convert

# What nbgrader says where submissions were graded with other cells or notebooks than the source now holds.
CHANGED = ("Cannot add or remove cells", "Cannot modify existing assignment")


def register_in_course(course: Path, assignment: str) -> None:
    """Register an assignment in the gradebook that the course's nbgrader_config.py names; without that file, in none.

    Raises CourseError.
    """
    if not (course / "nbgrader_config.py").is_file():
        return
    app = GenerateAssignmentApp(log_level=logging.ERROR)
    try:
        app.initialize([], root=str(course))
    except SystemExit as error:
        raise CourseError(f"nbgrader does not start with {course / 'nbgrader_config.py'}: see above.") from error
    assert app.coursedir is not None
    register(course, assignment, app.coursedir.db_url, app.config)


def register(course: Path, assignment: str, db_url: str, config: Config | None = None) -> None:
    """Write the cells of an assignment of any kind into the gradebook at `db_url`, which may not exist yet.

    `config` is what the course has told nbgrader besides; it counts where it says something else than we do.
    exercises/ is left as it is. Raises CourseError.
    """
    settled = settings()
    settled.merge(copy.deepcopy(config or Config()))
    _without_hooks(settled)
    left = half_registered(course, assignment)
    with tempfile.TemporaryDirectory(prefix=_prefix(assignment), dir=course) as build, _programs_on_path():
        # All other files of the source folder may be large, and nobody gets them from here.
        settled.CourseDirectory.update(root=str(course.absolute()), db_url=db_url, release_directory=build)
        settled.CourseDirectory.update(assignment_id=assignment, notebook_id="*", student_id="*", ignore=["*"])
        try:
            convert(settled)
        except CourseError as error:
            raise _advice(assignment, error) from error
        except (OSError, SQLAlchemyError, TraitError) as error:
            raise CourseError(f"{assignment} could not be written into the gradebook: {_first(error)}.") from error
    for folder in left:
        shutil.rmtree(folder, ignore_errors=True)


def half_registered(course: Path, assignment: str) -> list[Path]:
    """What a process that was killed while it registered the assignment has left in the course's folder: nbgrader
    commits cell by cell, so that the gradebook may know some of them only.
    """
    return list(course.glob(f"{glob.escape(_prefix(assignment))}*"))


def _prefix(assignment: str) -> str:
    return f".registering-{assignment}-"


def _without_hooks(config: Config) -> None:
    """A course's hooks work on what was released, and here nothing is."""
    for section in ("BaseConverter", "GenerateAssignment"):
        for hook in ("pre_convert_hook", "post_convert_hook"):
            config[section].pop(hook, None)


def path_with_programs() -> str:
    """PATH with the folder of this Python first: for a new gradebook nbgrader starts `alembic`, which stands there."""
    beside = str(Path(sys.executable).parent)
    places = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if place != beside]
    return os.pathsep.join([beside, *places])


@contextmanager
def _programs_on_path() -> Iterator[None]:
    before = os.environ.get("PATH")
    os.environ["PATH"] = path_with_programs()
    try:
        yield
    finally:
        if before is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = before


def _advice(assignment: str, error: CourseError) -> CourseError:
    # nbgrader has only general advice on a database's error; what the database said stands behind it.
    behind = error.__cause__.__context__ if error.__cause__ else None
    if isinstance(behind, SQLAlchemyError):
        return CourseError(f"{assignment} could not be written into the gradebook: {_first(behind)}.")
    if not any(text in str(error) for text in CHANGED):
        return CourseError(f"{assignment} could not be written into the gradebook. {error}")
    return CourseError(
        f"The graded cells of {assignment} are not those that its submissions were graded with. Put the notebooks "
        "and cells back that were there (the same grade ids), or, if its grades may go, remove them with "
        f"`nbgrader db assignment remove {assignment} --force`; then run the command again."
    )


def _first(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
