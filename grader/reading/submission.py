"""One file that a student handed in, as plain data: its code cells, and what to tell about the file.

Students run this in their own folder, so nothing slow is imported: a notebook is JSON.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
import re
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from grader.reading.cells import Cell, Unreadable, notebook_cells, script_cells
from grader.reading.names import shown

__all__ = [
    "Cell",
    "Submission",
    "Unreadable",
    "notebook_document",
    "open_file",
    "parse_submission",
    "read_bytes",
    "read_submission",
]

FILE_BYTES = 200_000_000
SCRIPT_BYTES = 20_000_000
JSON_VALUES = 4_000_000  # a hundred bytes or more each once parsed: "[],[],…" must not fill the memory

Kind = Literal["notebook", "script"]

_KINDS: dict[str, Kind] = {".ipynb": "notebook", ".py": "script"}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings for anything but files; two of them take hours to decode a large one.
_NO_FILE_ENCODING = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
_JSON_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


@dataclass(frozen=True)
class Submission:
    """A notebook or script of a student: its code cells in order, the SHA-256 of its bytes in hex, and
    messages to the student about the file itself.
    """

    student: str
    source: str
    kind: Kind
    cells: tuple[Cell, ...]
    digest: str
    messages: tuple[str, ...]


def read_submission(path: Path, student: str) -> Submission:
    """Read a notebook (.ipynb) or a script (.py). Raises Unreadable."""
    return parse_submission(path.name, read_bytes(path), student)


def read_bytes(path: Path) -> bytes:
    """All bytes of a file that was handed in. Raises Unreadable."""
    _refuse_outside_link(path)
    with open_file(path, FILE_BYTES) as file:
        try:
            return file.read()
        except OSError as error:
            raise Unreadable(_not_opened(shown(path.name), error)) from error


def notebook_document(name: str, data: bytes) -> tuple[object, list[str]]:
    """A notebook's JSON, whatever it holds, and messages about the file. Raises Unreadable."""
    text, messages = _decoded(name, data, "notebook")
    return _parsed(name, text), messages


def parse_submission(name: str, data: bytes, student: str) -> Submission:
    """The same from a file's name and bytes. Raises Unreadable and nothing else, whatever the bytes."""
    kind = _KINDS.get(os.path.splitext(name)[1].lower())
    name = shown(name)
    if kind is None:
        raise Unreadable(f"{name} is neither a notebook (.ipynb) nor a script (.py): hand in one of these.")
    if kind == "notebook":
        document, messages = notebook_document(name, data)
        cells, more = notebook_cells(name, document)
    else:
        text, messages = _decoded(name, data, kind)
        cells, more = script_cells(name, text)
    messages += more
    if not any(cell.source.strip() for cell in cells):
        messages.append(f"{name} holds no code: look whether it is the right file, and was saved.")
    digest = hashlib.sha256(data).hexdigest()
    return Submission(student, name, kind, tuple(cells), digest, tuple(messages))


def open_file(path: Path, largest: int) -> BinaryIO:
    """Open an ordinary file of at most `largest` bytes. Raises Unreadable.

    A pipe or a device, which could make us wait for ever, is refused before it is opened.
    """
    name = shown(path.name)
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise Unreadable(f"{name} is a folder: put the notebook or script itself in its place.")
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{name} is not an ordinary file: hand in the notebook or script itself.")
        if status.st_size > largest:
            size = f"{largest // 1_000_000} MB"
            raise Unreadable(f"{name} is larger than {size}: clear its outputs, save it, hand it in again.")
        return open(path, "rb", opener=_open_at_once)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise Unreadable(_not_opened(name, error)) from error


def _open_at_once(path: str, flags: int) -> int:
    # A pipe that took the file's place after it was looked at must not make us wait either.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _not_opened(name: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{name} is not there: it was moved, deleted, or is a link that leads nowhere."
    if isinstance(error, PermissionError):
        return f"{name} may not be opened: give the person who grades the right to read it."
    reason = getattr(error, "strerror", None) or "its name is not one that a file can have"
    return f"{name} could not be opened ({reason}): copy it anew and hand it in again."


def _refuse_outside_link(path: Path) -> None:
    if not os.path.islink(path):
        return
    folder = os.path.realpath(path.parent)
    # A link to the answers, or to somebody else's work, is not the student's work.
    if not Path(os.path.realpath(path)).is_relative_to(folder):
        name = shown(path.name)
        raise Unreadable(f"{name} is a link to a file outside its folder: hand in the file itself.")


def _decoded(name: str, data: bytes, kind: Kind) -> tuple[str, list[str]]:
    if kind == "script" and len(data) > SCRIPT_BYTES:
        raise Unreadable(f"{name} is larger than {SCRIPT_BYTES // 1_000_000} MB: hand in your answers only.")
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    messages = []
    if encoding in ("utf-16", "utf-32"):
        messages.append(f"{name} is saved as {encoding.upper()} and was read as such; UTF-8 is safer.")
    try:
        if encoding is None:
            encoding = "utf-8" if kind == "notebook" else _declared_encoding(data)
        return data.decode(encoding), messages
    except (LookupError, SyntaxError, ValueError) as error:
        raise Unreadable(f"{name} is not UTF-8 text: save it as UTF-8 and hand it in again.") from error


def _declared_encoding(data: bytes) -> str:
    """What the first two lines of a script say, as Python reads them (PEP 263); "utf-8" otherwise."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if codecs.lookup(encoding).name in _NO_FILE_ENCODING:
        raise LookupError(encoding)
    return encoding


def _parsed(name: str, text: str) -> object:
    if not text.strip("\ufeff\0 \t\r\n"):
        raise Unreadable(f"{name} is empty: save the notebook in Jupyter and hand it in again.")
    if json_values(text, JSON_VALUES) > JSON_VALUES:
        raise Unreadable(f"{name} has too much in its outputs: clear them, save it and hand it in again.")
    try:
        # As floats, numbers of any length are quick to read; Python refuses integers of 4,300 digits.
        return json.loads(text, parse_int=float)
    except (RecursionError, MemoryError) as error:
        raise Unreadable(f"{name} is nested too deeply to be a notebook: save it anew in Jupyter.") from error
    except json.JSONDecodeError as error:
        raise Unreadable(_why_no_json(name, text, error)) from error


def json_values(text: str, allowed: int) -> int:
    """How many values the JSON holds at most; counted closely only where they could be more than are `allowed`."""
    # Strings, printed tensors above all, are full of commas; leaving them out takes a second in 50 MB.
    seen = _opened(text)
    return seen if seen <= allowed else _opened(_JSON_STRING.sub("", text))


def _opened(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")


def _why_no_json(name: str, text: str, error: json.JSONDecodeError) -> str:
    again = "open your notebook in Jupyter, save it, and hand in that file."
    if re.search(r"^<{7} ", text, re.MULTILINE):
        return f"{name} holds both sides of a merge (lines with <<<<<<<): resolve it, then {again}"
    if text.lstrip().startswith("<"):
        return f"{name} is a web page, not a notebook: download the notebook itself."
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"{name} ends in the middle, as after a broken download: {again}"
    return f"{name} is not a notebook (line {error.lineno} is not valid JSON): {again}"
