"""Build `exercises/ASSIGNMENT` from `solutions/ASSIGNMENT`: aside, scanned, swapped in whole or not at all.

Between runs two hidden folders may be left by a killed one, `solutions/.release-ASSIGNMENT` (it holds
solutions, so it stays on the private side) and `exercises/.release-ASSIGNMENT`. The next run clears both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from grader.errors import CourseError
from grader.releasing.agree import agree
from grader.releasing.forms import finish
from grader.releasing.generate import BUILT, generate
from grader.releasing.leaks import ALLOWED, CACHES, scan
from grader.releasing.register import register_in_course

LOCK_SECONDS = 60.0


@dataclass(frozen=True)
class Released:
    """What a release wrote, as paths inside the course, and what of the source it left out, by name."""

    folder: Path
    written: list[str]
    left_out: list[str]


def release(course: Path, assignment: str) -> Released:
    """Replace `exercises/ASSIGNMENT` by what `solutions/ASSIGNMENT` releases; the same bytes on each run.

    The course's gradebook, if nbgrader is set up, learns of its cells. Raises CourseError, with the old exercise
    untouched, if anything is wrong with the source or leaks.
    """
    course = course.absolute()
    source = _source(course / "solutions", assignment)
    target = course / "exercises" / assignment
    build, stage = source.with_name(f".release-{assignment}"), target.with_name(f".release-{assignment}")
    try:
        with _alone(build.with_name(f"{build.name}.lock"), assignment):
            _recover(stage, target)
            _clear(build)
            try:
                return _replace(source, build, stage, target)
            finally:
                _clear(build)
    except OSError as error:
        raise CourseError(f"{assignment} was not released: {error}. Mend that and run the command again.") from error


def _replace(source: Path, build: Path, stage: Path, target: Path) -> Released:
    agree(source)
    left_out = _copy(source, build / "solutions" / BUILT)
    made = generate(build)
    finish(made)
    key = source.parent / "keys" / f"{source.name}.py"
    findings = scan(made, source, key if key.is_file() else None)
    if findings:
        raise CourseError(f"{source.name} was not released; it would show students:\n  " + "\n  ".join(findings))
    register_in_course(source.parent.parent, source.name)
    names = sorted(file.name for file in made.iterdir())
    _swap(made, stage, target)
    return Released(target, [f"exercises/{target.name}/{name}" for name in names], left_out)


def _source(solutions: Path, assignment: str) -> Path:
    """The folder of the assignment, looked up among those that exist: no name is joined to a path unseen."""
    if not solutions.is_dir():
        raise CourseError(f"{solutions.parent} has no solutions folder: run the command in the course's folder.")
    folders = {folder.name: folder for folder in solutions.iterdir() if folder.is_dir() and folder.name[0] != "."}
    known = sorted(name for name, folder in folders.items() if any(folder.glob("*.ipynb")))
    if assignment in known:
        return folders[assignment]
    what = "holds no notebook (*.ipynb)" if assignment in folders else "does not exist"
    there = f"choose one of: {', '.join(known)}" if known else "no other folder in solutions holds one either"
    raise CourseError(f"solutions/{assignment} {what}; {there}.")


@contextmanager
def _alone(lock: Path, assignment: str) -> Iterator[None]:
    # The kernel frees the lock of a killed run, so the file may stay.
    try:
        with FileLock(lock, timeout=LOCK_SECONDS):
            yield
    except Timeout:
        raise CourseError(
            f"{assignment} is being released by another run: wait until it ends, then run the command again."
        ) from None


def _copy(source: Path, to: Path) -> list[str]:
    """Copy what may be released; the names of the rest, without caches that no one means to release."""
    to.mkdir(parents=True)
    left_out = []
    for path in sorted(source.iterdir()):
        if path.is_file() and any(path.match(pattern) for pattern in ALLOWED):
            shutil.copyfile(path, to / path.name)
        elif path.name not in CACHES:
            left_out.append(path.name + "/" * path.is_dir())
    return left_out


def _swap(made: Path, stage: Path, target: Path) -> None:
    """Put the new folder in the place of the old: two renames, and the old one back if the second fails."""
    stage.mkdir(parents=True)
    try:
        shutil.copytree(made, stage / "new", copy_function=shutil.copyfile)
        if os.path.lexists(target):
            target.rename(stage / "old")
        (stage / "new").rename(target)
    finally:
        _recover(stage, target)


def _recover(stage: Path, target: Path) -> None:
    """After a swap, whole or cut off anywhere: the exercise stands, the stage is gone."""
    old = stage / "old"
    if os.path.lexists(old) and not os.path.lexists(target):
        old.rename(target)
    _clear(stage)


def _clear(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
