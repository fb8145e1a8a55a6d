"""The folder of an exercise: its files of public checks, or a sentence that says where to look for them."""

from __future__ import annotations

from pathlib import Path

from grader.errors import CourseError


def test_files(folder: Path) -> list[Path]:
    """The files of public checks in a folder: those with a table of questions."""
    return [path for path in sorted(folder.glob("test_*.py")) if path.is_file() and b"QUESTIONS" in path.read_bytes()]


def exercise(path: Path, command: str = "check") -> tuple[Path, list[Path]]:
    """The folder that `path` is or lies in, and its files of public checks; `command` is what was asked for.

    Raises CourseError.
    """
    folder = path if path.is_dir() else path.parent
    if not path.exists():
        raise CourseError(f"{path} does not exist: give the folder of an exercise.")
    try:
        files = test_files(folder)
    except OSError as error:
        raise CourseError(f"The public checks cannot be read: {error.strerror} ({error.filename}).") from None
    if not files:
        raise CourseError(f"{shown(folder)} holds no public checks (test_*.py){_others(folder, command)}.")
    return folder, files


def shown(folder: Path) -> str:
    """A folder at the start of a sentence."""
    return "This folder" if folder == Path() else str(folder)


def changed(name: str) -> str:
    """What to say of a test file that cannot be run."""
    return f"{name} cannot be used: was it changed? Put the original back in its place."


def _others(folder: Path, command: str) -> str:
    found = sorted({path.parent for path in (*folder.glob("*/test_*.py"), *folder.glob("exercises/*/test_*.py"))})
    holding = [path for path in found if any(path.glob("*.ipynb"))]
    return f": try `grader {command} {holding[0]}`" if holding else ": give the folder of an exercise"
