"""Attacks by the names of files and folders, which people read in tables, messages and paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.attacks.corpus import FILE, Attack, honest_half, notebook

LITTLE = "def project(x, table):\n    return x @ table.T\n"
CONTROLS = (
    b"\x1b[31mred\x1b[2J",
    b"\x1b]0;title\x07",
    b"a\r\nattack  100",
    b"\xc2\x9b31m",
    "\u202e001 fo 001".encode(),
    b"\xff\xfe",
    "\u200battack".encode(),
)
MARKS = (b"[red]attack[link=x]", b"<img src=x onerror=alert(1)>", b"**attack** | x | `", b"$(id);`id`&", b"%s%n{0}{x}")
PATHS = (
    b"-rf",
    b"--help",
    b"...",
    b"con",
    b"nul.txt",
    b"a:b",
    b"C:\\x",
    b"~",
    b"x" * 255,
    b" ",
    b"attack.",
    b"..attack",
)


def _beside(names: Sequence[bytes]) -> Callable[[Path], None]:
    """Hands in the honest half, and a little under each of the names, as if they were students' ids."""

    def hand_in(folder: Path) -> None:
        (folder / FILE).write_text(honest_half(), encoding="utf-8")
        for name in names:
            place = Path(os.fsdecode(os.fsencode(folder.parent) + b"/" + name))
            place.mkdir()
            (place / FILE).write_text(LITTLE, encoding="utf-8")

    return hand_in


def _twins(folder: Path) -> None:
    """Ids that are one file's name where capitals or composed accents do not count."""
    (folder / FILE).write_text(honest_half(), encoding="utf-8")
    for name in ("Twin attack", "twin attack", "twin attack\u00e9", "twin attacke\u0301", "TWIN ATTACKE\u0301"):
        (folder.parent / name).mkdir()
        (folder.parent / name / FILE).write_text(LITTLE, encoding="utf-8")


def _loose(folder: Path) -> None:
    """Files whose names would be ids, and of which some would be the same id as a folder."""
    (folder / FILE).write_text(honest_half(), encoding="utf-8")
    for name in ("\x1b[31m.py", "[red].py", "..py", "-c.py", "attack loose.py"):
        (folder.parent / name).write_text(LITTLE, encoding="utf-8")


def _renamed(folder: Path) -> None:
    """The file's own name is quoted, since it is not the exercise's."""
    cells = honest_half().split("\n# %%\n")
    (folder / "\x1b[2J\r[red]<b>\u202e.ipynb").write_text(notebook(cells), encoding="utf-8")


def _helpers(folder: Path) -> None:
    """Files beside the script that Python would take in a module's place, were they put beside it."""
    (folder / FILE).write_text(honest_half(), encoding="utf-8")
    for name in ("torch.py", "math.py", "sitecustomize.py", "conftest.py", "grader.py", "solutions.py"):
        (folder / name).write_text("project = attend_one = lambda *rest: 1 / 0\nraise SystemExit\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-p attack'\n", encoding="utf-8")
    (folder / ".pth").write_text("import os; os._exit(0)\n", encoding="utf-8")


_SHOWN = "names are shown without what cannot be printed; an id that cannot be a file's name gets one that can."
MADE_PEOPLE = [
    Attack(
        "people-ids-of-controls",
        "to steer the terminal, or to be another line of the table, by the name of the student's folder.",
        _SHOWN,
        _beside(CONTROLS),
        says="cannot be the name of a file",
    ),
    Attack(
        "people-ids-of-marks",
        "to break the table, the page or a command by marks in the name of the student's folder.",
        "names are printed as text, escaped in pages, and never reach a shell.",
        _beside(MARKS),
        says="cannot be the name of a file",
    ),
    Attack(
        "people-ids-of-paths",
        "to be read as an option, a path or a device, by the name of the student's folder.",
        _SHOWN,
        _beside(PATHS),
        says="cannot be the name of a file",
    ),
    Attack(
        "people-ids-that-are-twins",
        "to have one's result stored over another's, by an id that differs in capitals or accents only.",
        "an id that is another one's file name on some systems is marked, and the student is told.",
        _twins,
        says="is the name of another student's file on some systems",
    ),
    Attack(
        "people-loose-files",
        "to be another student, or an option, by the name of a loose file beside the students' folders.",
        _SHOWN,
        _loose,
        says="cannot be the name of a file",
    ),
    Attack(
        "people-renamed-notebook",
        "to steer the terminal by the name of the notebook, which is quoted as it is not the exercise's.",
        "names of files are shown without what cannot be printed.",
        _renamed,
        says="was read, as there is no attention.ipynb",
    ),
    Attack(
        "people-helpers",
        "to put modules beside the script that the grader would import, or settings that its tools would read.",
        "of a student's folder only the notebook or script that counts is read, and as text.",
        _helpers,
    ),
]
