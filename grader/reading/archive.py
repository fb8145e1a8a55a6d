"""A zip of submissions, unpacked with care: whatever a member is called or claims, nothing leaves the folder.

A member that is refused costs its student a sentence and nobody else anything.
"""

from __future__ import annotations

import mmap
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from grader.reading.names import is_ignored, same_file_name, shown
from grader.reading.submission import Unreadable, open_file

ARCHIVE_BYTES = 2_000_000_000
MEMBERS = 100_000
MEMBER_BYTES = 200_000_000
TOTAL_BYTES = 1_000_000_000
DEPTH = 10  # folders in folders
# A large member packed more than a hundredfold is made to fill the disk. A smaller one may be an honest
# notebook that printed one line for ever, and the other limits hold it.
BOMB_BYTES, BOMB_RATIO = 100_000_000, 100
PROBLEMS = 100

_BLOCK = 1 << 20
_RECORD = b"PK\x01\x02"  # starts each entry of the list of members
_NAME_IS_UTF8 = 0x800
_ENCRYPTED = 0x1 | 0x40
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # lzma's may ask for gigabytes of memory
_WANTED = (".ipynb", ".py")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OverflowError)


def unpack(path: Path, folder: Path) -> tuple[str, ...]:
    """Unpack the notebooks and scripts of a zip into the empty `folder`; return a sentence a problem.

    Folders are made even where their files were refused, so that each student is still seen to be there.
    """
    name = shown(path.name)
    try:
        with open_file(path, ARCHIVE_BYTES) as file:
            if _records(file) > MEMBERS:
                return (f"{name} holds more than {MEMBERS:,} files: split it into several.",)
            with _opened(file) as archive:
                problems = list(_unpacked(archive, name, folder))
    except Unreadable as problem:
        return (str(problem),)
    except (*_BROKEN, OSError):
        return (f"{name} is damaged or is no zip at all: pack it again and hand it in again.",)
    if len(problems) > PROBLEMS:
        problems[PROBLEMS:] = [f"{len(problems) - PROBLEMS} more files of {name} were refused."]
    return tuple(problems)


def _records(file: BinaryIO) -> int:
    """At least the number of members, counted before zipfile makes an object of each."""
    count, tail = 0, b""
    while block := file.read(_BLOCK):
        count += (tail + block).count(_RECORD)
        tail = block[1 - len(_RECORD) :]
    return count


@contextmanager
def _opened(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    with tempfile.TemporaryFile() as copy:
        try:
            archive = zipfile.ZipFile(file)
        except UnicodeDecodeError:
            # One name that says it is UTF-8 and is not makes zipfile give up on all of them.
            _copy_without_false_names(file, cast(BinaryIO, copy))
            archive = zipfile.ZipFile(copy)
        with archive:
            yield archive


def _copy_without_false_names(file: BinaryIO, copy: BinaryIO) -> None:
    """Copy a zip; names that are not UTF-8 no longer say so, and opening only these members fails."""
    file.seek(0)
    shutil.copyfileobj(file, copy)
    copy.flush()
    with mmap.mmap(copy.fileno(), 0) as data:
        at = data.find(_RECORD)
        while at >= 0 and at + 46 <= len(data):
            length = int.from_bytes(data[at + 28 : at + 30], "little")
            try:
                data[at + 46 : at + 46 + length].decode("utf-8")
            except UnicodeDecodeError:
                data[at + 9] &= 0xFF ^ (_NAME_IS_UTF8 >> 8)
            at = data.find(_RECORD, at + 4)


def _unpacked(archive: zipfile.ZipFile, name: str, folder: Path) -> Iterator[str]:
    members = archive.infolist()
    last = {_place(member): member for member in members}
    left = TOTAL_BYTES
    # Small ones first: one student's large file must not use up the room of the others.
    for member in sorted(members, key=lambda member: member.file_size):
        try:
            target = _target(member, folder)
            if target is None:
                continue
            if last[_place(member)] is not member:
                raise Unreadable("stands there more than once; the last one counts.")
            _check(member, left)
            # Also where it then fails: a hundred thousand broken members must not cost hours.
            left -= member.file_size
            _write(archive, member, target)
        except Unreadable as reason:
            yield f"{shown(_name(member))} in {name} {reason}"
        except _BROKEN:
            yield f"{shown(_name(member))} in {name} is damaged and was left out: pack it again."
        except OSError as error:
            yield f"{shown(_name(member))} in {name} could not be unpacked ({error.strerror}): rename it."


def _name(member: zipfile.ZipInfo) -> str:
    """The member's path with "/": some programs write "\\", and many write UTF-8 without saying so."""
    name = member.filename
    if not member.flag_bits & _NAME_IS_UTF8:
        with suppress(UnicodeError):  # then it is cp437, as the standard says
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def _place(member: zipfile.ZipInfo) -> str:
    """Equal for members that would be the same file somewhere."""
    return same_file_name("/".join(_parts(_name(member))))


def _target(member: zipfile.ZipInfo, folder: Path) -> Path | None:
    """Where to write a member, its folder made; None for one that is no submission. Raises Unreadable."""
    name = _name(member)
    parts = _parts(name)
    if ".." in parts or name.startswith("/") or re.match(r"[A-Za-z]:", name):
        raise Unreadable("has a path that leads out of the zip, and was refused.")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unreadable("is a link or a device, and was refused: hand in the file itself.")
    if not parts or any(is_ignored(part) for part in parts):
        return None
    if len(parts) > DEPTH:
        raise Unreadable(f"is in more than {DEPTH} folders, and was refused.")
    target = folder.joinpath(*parts)
    if name.endswith("/"):
        target.mkdir(parents=True, exist_ok=True)
        return None
    if target.suffix.lower() == ".zip":
        raise Unreadable("is a zip in a zip and was not opened: unpack the outer one first.")
    if target.suffix.lower() not in _WANTED:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _check(member: zipfile.ZipInfo, left: int) -> None:
    """Refuse what the list of members already tells. zipfile never reads more than the size told there."""
    if member.flag_bits & _ENCRYPTED:
        raise Unreadable("is encrypted and was left out: pack it again without a password.")
    if member.compress_type not in _METHODS:
        raise Unreadable("is packed in an unusual way and was left out: pack it as an ordinary zip.")
    if member.file_size > BOMB_BYTES and member.file_size > BOMB_RATIO * member.compress_size:
        raise Unreadable("unpacks to more than a hundred times its size, and was refused.")
    if member.file_size > min(MEMBER_BYTES, left):
        raise Unreadable("is too large and was left out: clear the notebook's outputs.")


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    with open(target, "xb") as file:
        try:
            with archive.open(member) as packed:
                shutil.copyfileobj(packed, file, _BLOCK)
        except BaseException:
            file.close()
            target.unlink()  # half a notebook would be told to be a broken one
            raise
