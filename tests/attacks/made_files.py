"""Attacks by what a file is: links, pipes, devices, folders, zips, encodings."""

from __future__ import annotations

import os
import stat
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.attacks.corpus import FILE, HERE, Attack, honest_half

NOTEBOOK = "attention.ipynb"
SOLUTION = HERE.parent.parent / "solutions/l10_attention"
Member = tuple[str | zipfile.ZipInfo, str | bytes]


def _script(folder: Path, text: str = "") -> None:
    (folder / FILE).write_text(text or honest_half(), encoding="utf-8")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / NOTEBOOK)
    _script(folder)


def _device(folder: Path) -> None:
    (folder / NOTEBOOK).symlink_to("/dev/zero")
    _script(folder)


def _folder_as_file(folder: Path) -> None:
    (folder / NOTEBOOK / FILE).mkdir(parents=True)
    _script(folder)


def _link_to_answers(folder: Path) -> None:
    (folder / NOTEBOOK).symlink_to(SOLUTION / NOTEBOOK)


def _link_through_folder(folder: Path) -> None:
    """The inner folder would be read in the outer one's place."""
    (folder / "l10_attention").symlink_to(SOLUTION)


def _link_in_place_of_folder(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to(SOLUTION)


def _link_to_neighbour(folder: Path) -> None:
    """By way of the student's own folder, so that the link seems to stay in it."""
    for neighbour in sorted(folder.parent.iterdir()):
        if neighbour != folder and (neighbour / FILE).exists():
            (folder / FILE).symlink_to(f"../{folder.name}/../{neighbour.name}/{FILE}")
            return


def _circle(folder: Path) -> None:
    (folder / NOTEBOOK).symlink_to(FILE)
    (folder / FILE).symlink_to(NOTEBOOK)


def _changing(folder: Path) -> None:
    """A comment changes while the file is read: were it read twice, two readings would be of two files."""
    text = honest_half().encode() + b"\n# a\n"
    (folder / FILE).write_bytes(text)
    file = os.open(folder / FILE, os.O_WRONLY)

    def change() -> None:
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            for letter in (b"b", b"a"):
                os.pwrite(file, letter, len(text) - 2)
        os.close(file)

    threading.Thread(target=change).start()


def _encoding(folder: Path) -> None:
    _script(folder, "# coding: unicode_escape\n" + honest_half())


def _no_text(folder: Path) -> None:
    data = honest_half().encode() + b"\n# %%\nTEN_POSITIONS_WIDTH = 2\0\0\n# %%\nx = '\xef\xbf\xbf'\r\x0c\x1a\n"
    (folder / FILE).write_bytes(data)


def _zip_of(*members: Member) -> Callable[[Path], None]:
    """Hands in a zip in the folder's place: the honest half, `members` ({} is the student's id), and an empty folder
    beside, so that whoever reads the zip to its end finds a student without work.
    """

    def hand_in(folder: Path) -> None:
        folder.rmdir()
        student = folder.name
        with zipfile.ZipFile(folder.parent / f"{student}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{student}/{FILE}", honest_half())
            archive.writestr(f"{student}-other/", "")
            for member, data in members:
                archive.writestr(_named(member, student), data, compresslevel=1)

    return hand_in


def _named(member: str | zipfile.ZipInfo, student: str) -> zipfile.ZipInfo:
    """A fresh entry for each zip: writing one changes it."""
    given = zipfile.ZipInfo(member) if isinstance(member, str) else member
    fresh = zipfile.ZipInfo(given.filename.replace("{}", student))
    fresh.external_attr, fresh.compress_type = given.external_attr, zipfile.ZIP_DEFLATED
    return fresh


def _member(name: str, kind: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.external_attr = (kind | 0o777) << 16
    return member


RIGHT = "def project(x, table):\n    return x @ table.T\n"
SLIPS = ("../../attack-slip/attention.py", "/tmp/attack-slip.py", "C:\\attack\\attention.py", "..\\..\\attack.py")
LINKS = (_member(f"{{}}-other/{FILE}", stat.S_IFLNK), _member("{}-device/attention.ipynb", stat.S_IFCHR))


def _encrypted(folder: Path) -> None:
    """The mark of encryption, set by hand: the library writes no encrypted files."""
    _zip_of((f"{{}}-other/{FILE}", RIGHT))(folder)
    path = folder.parent / f"{folder.name}.zip"
    data = bytearray(path.read_bytes())
    place = data.rfind(b"PK\x01\x02")
    data[place + 8] |= 1
    path.write_bytes(bytes(data))


def _zip_in_zip(folder: Path) -> None:
    _zip_of()(folder)
    outer = folder.parent / f"{folder.name}.zip"
    inner = outer.read_bytes()
    with zipfile.ZipFile(outer, "a") as archive:
        archive.writestr(f"{folder.name}-other/work.zip", inner)


def _zip_bomb(folder: Path) -> None:
    _zip_of((f"{{}}-other/{FILE}", bytes(101_000_000)))(folder)


_REFUSED = "a link that leads out of the student's folder is refused, with a sentence."
_ZIP = "members are judged by their own names and sizes before a byte is unpacked; each refused one is named."
_EMPTY = "holds no attention.ipynb and no attention.py"  # the student beside, of whom nothing is left
MADE_FILES = [
    Attack(
        "files-pipe",
        "to have the grader wait for ever, by a pipe named attention.ipynb.",
        "looking at what a file is before it is opened; the script beside it counts.",
        _pipe,
        says="not an ordinary file",
    ),
    Attack(
        "files-device",
        "to have the grader read for ever, by a link to /dev/zero.",
        "looking at what a file is before it is opened; the script beside it counts.",
        _device,
        says="is a link to a file outside its folder",
    ),
    Attack(
        "files-folder-as-file",
        "to trip the reader by a folder named attention.ipynb with a folder named attention.py in it.",
        "a folder is no notebook, whatever its name; the script beside it counts.",
        _folder_as_file,
    ),
    Attack(
        "files-link-to-answers", "to hand in a link to the solution.", _REFUSED, _link_to_answers, 0, "link", exit=1
    ),
    Attack(
        "files-link-through-folder",
        "to hand in the solution through a link in the inner folder's place.",
        "links to folders are not followed below what was named on the command line.",
        _link_through_folder,
        0,
        "link",
        exit=1,
    ),
    Attack(
        "files-link-in-place-of-folder",
        "to hand in the solution through a link in the place of the student's own folder.",
        "links to folders are not followed below what was named on the command line.",
        _link_in_place_of_folder,
        0,
        "link",
        exit=1,
    ),
    Attack(
        "files-link-to-neighbour",
        "to hand in another student's work through a link that begins in its own folder.",
        _REFUSED,
        _link_to_neighbour,
        0,
        "link",
        exit=1,
    ),
    Attack("files-circle", "to have links followed in a circle.", _REFUSED, _circle, 0, "attention", exit=1),
    Attack(
        "files-changing",
        "to be one file when it is hashed and another one when it is graded.",
        "reading a file once; its hash and its cells come from the same bytes.",
        _changing,
    ),
    Attack(
        "files-encoding",
        "to hide code from people in an encoding that is not for files, or to take hours to be decoded.",
        "such encodings are refused, with a sentence.",
        _encoding,
        0,
        "is not UTF-8 text",
        exit=1,
    ),
    Attack(
        "files-no-text",
        "to have an answer read differently by Python and by the grader, behind zero bytes and odd line ends.",
        "such characters are replaced before anybody reads, so that the cell is wrong for both.",
        _no_text,
        says="Python cannot read | raised SyntaxError",
    ),
    Attack(
        "files-zip-slip",
        "to write beside the folder that a zip is unpacked to, by .. and by absolute paths, of Windows too.",
        _ZIP,
        _zip_of(*((name, RIGHT) for name in SLIPS)),
        says=_EMPTY,
        exit=1,
    ),
    Attack(
        "files-zip-links",
        "to unpack links and devices, and to be read through them.",
        _ZIP,
        _zip_of((LINKS[0], str(SOLUTION / NOTEBOOK)), (LINKS[1], "")),
        says=_EMPTY,
        exit=1,
    ),
    Attack(
        "files-zip-bomb",
        "to fill the disk from a zip of some kilobytes.",
        _ZIP,
        _zip_bomb,
        says=_EMPTY,
        exit=1,
    ),
    Attack(
        "files-zip-twins",
        "to have two files under one name, of which one is looked at and the other graded.",
        "of members that would be one file on some system the last one counts, and the others are named.",
        _zip_of(
            (f"{{}}-other/{FILE}", "project = None"),
            (f"{{}}-OTHER/{FILE}", "project = 1"),
            (f"{{}}-other/./{FILE}", RIGHT),
        ),
        says=f"{_EMPTY} | is the name of another student's file on some systems",
        exit=1,
    ),
    Attack(
        "files-zip-encrypted",
        "to have the grader ask for a password, or fail, by a member that says it is encrypted.",
        _ZIP,
        _encrypted,
        says=_EMPTY,
        exit=1,
    ),
    Attack(
        "files-zip-in-zip",
        "to be unpacked again and again, by a zip in a zip.",
        "a zip in a zip is not opened, and is named.",
        _zip_in_zip,
        says=_EMPTY,
        exit=1,
    ),
]
