"""All that a student needs in one zip: the exercise, the grader, what installs them, and a page to begin with.

Nothing in it depends on the day or the machine, so the same course gives the same bytes.
"""

from __future__ import annotations

import re
import shlex
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TextIO, cast

import grader
from grader.errors import CourseError
from grader.files import whole_file
from grader.releasing.leaks import package_files, scan, scan_beside
from grader.releasing.project import as_toml, student_project
from grader.releasing.release import Released, release

PACKAGE = Path(grader.__file__).resolve().parent
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
PAGE = """# {title}

The exercise is in the folder `{name}`, and you need Python {python}. Run these commands
in the folder that holds this page. The first two are needed once, and take a few minutes:

```bash
python3 -m venv .venv
.venv/bin/pip install .
```

Where you stand, and what comes next:

```bash
.venv/bin/grader check {folder}
```

To work in Jupyter, or in an editor of your own and with the tests:

```bash
.venv/bin/jupyter lab {folder}
.venv/bin/pytest {folder}
```

On Windows, write `py` for `python3` and `.venv\\Scripts\\` for `.venv/bin/`.

`{name}/README.md` says the rest. Where it says `exercises/{name}`, write `{name}` here.
The folder `grader` is the program that checks your work; you need not open it.
"""


def release_bundle(course: Path, assignment: str, target: Path) -> Released:
    """Release the assignment and pack it into `target`, a zip that is replaced whole or stays as it was.

    Raises CourseError, before anything is released, if the zip cannot stand there or would give anything away.
    """
    course = course.absolute()
    place = _place(target, [PACKAGE, course / "solutions", course / "exercises" / assignment])
    project = student_project(PACKAGE.parent)
    beside = {**package_files(PACKAGE), "pyproject.toml": as_toml(project).encode()}
    if assignment in {name.partition("/")[0] for name in beside}:
        raise CourseError(f"{assignment} cannot be bundled under this name, which the grader needs: rename the folder.")
    _refuse(assignment, scan_beside(beside, course / "solutions"))
    released = release(course, assignment)
    try:
        exercise = _exercise(course, released)
        page = _page(released.folder, project["project"]["requires-python"])
        _write(place, {**beside, **exercise, "README.md": page.encode()})
    except OSError as error:
        raise CourseError(
            f"{assignment} was released, but not bundled: {error}. Mend that and run it again."
        ) from error
    return replace(released, written=[*released.written, str(target)])


def _place(target: Path, kept: list[Path]) -> Path:
    """Where the zip goes, links followed; nothing but an older zip is ever replaced, nothing put among `kept`."""
    try:
        place = target.resolve()
        if place.is_dir():
            raise CourseError(f"--bundle {target} is a folder; name a zip file in it.")
        if not place.parent.is_dir():
            raise CourseError(f"--bundle {target}: there is no folder {place.parent}; make it first.")
        if any(place.is_relative_to(folder.resolve()) for folder in kept):
            raise CourseError(
                f"--bundle {target} would stand among the files that it is made from; name another folder."
            )
        if place.exists() and not _is_old(place):
            raise CourseError(f"--bundle {target} exists and is no zip, so it stays as it is; choose another name.")
        with tempfile.TemporaryFile(dir=place.parent):
            return place
    except OSError as error:
        raise CourseError(f"--bundle {str(target)[:100]} cannot be written: {error.strerror}.") from error


def _is_old(place: Path) -> bool:
    return place.is_file() and (place.stat().st_size == 0 or zipfile.is_zipfile(place))


def _refuse(assignment: str, findings: list[str]) -> None:
    if findings:
        raise CourseError(f"{assignment} was not bundled; it would show students:\n  " + "\n  ".join(findings))


def _exercise(course: Path, released: Released) -> dict[str, bytes]:
    """The released files by their names in the zip, scanned as they stand now."""
    name = released.folder.name
    key = course / "solutions" / "keys" / f"{name}.py"
    _refuse(name, scan(released.folder, course / "solutions" / name, key if key.is_file() else None))
    names = [Path(written).name for written in released.written]
    return {f"{name}/{file}": (released.folder / file).read_bytes() for file in names}


def _page(folder: Path, python: str) -> str:
    about = folder / "README.md"
    heading = about.read_text(encoding="utf-8").partition("\n")[0] if about.is_file() else ""
    title = heading.lstrip("#").strip() or folder.name
    said = re.sub(r"^>=\s*([\d.]+)$", r"\1 or newer", python)
    return PAGE.format(title=title, name=folder.name, folder=shlex.quote(folder.name), python=said)


def _write(place: Path, files: dict[str, bytes]) -> None:
    # Stored, not deflated: what deflating gives differs between versions of zlib.
    with whole_file(place) as file, zipfile.ZipFile(cast(TextIO, file).buffer, "w", zipfile.ZIP_STORED) as packed:
        for name, content in sorted(files.items()):
            about = zipfile.ZipInfo(name, FIRST_DAY)
            about.create_system, about.external_attr = 3, 0o100644 << 16
            packed.writestr(about, content)
