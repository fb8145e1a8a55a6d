"""Names that came from outside: shown to people, and made safe to be the name of a result's file."""

from __future__ import annotations

import hashlib
import re
import unicodedata

SHOWN_CHARACTERS = 120
ID_BYTES = 200  # a file system allows 255; ".json" and a temporary file's ending come on top

# What Windows, macOS or Linux refuses in a file name, or reads as a path.
_UNSAFE = re.compile(r'[/\\:*?"<>|\x00]')
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


def shown(name: str) -> str:
    """`name` as it can be printed: no control character or half of one, at most 120 characters."""
    if len(name) > SHOWN_CHARACTERS:  # the end of a file's name says what it is
        name = name[: SHOWN_CHARACTERS - 40] + "…" + name[-39:]
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)


def safe_id(name: str) -> str:
    """A student id that is a file name on every system: `name` itself wherever it is one already.

    A changed id ends in six digits of the name's hash, so that two names never become one id, and a
    student's id does not depend on who else is in the class.
    """
    cleaned = "".join(letter if letter.isprintable() else "_" for letter in _UNSAFE.sub("_", name))
    cleaned = re.sub(r"^\.", "_", cleaned)
    cleaned = re.sub(r"[. ]+$", "", cleaned)
    if _DEVICES.match(cleaned):
        cleaned = "_" + cleaned
    if cleaned == name and len(name.encode()) <= ID_BYTES and name:
        return name
    return marked(cleaned, name)


def marked(name: str, original: str) -> str:
    """`name`, cut to fit, with six digits of the hash of `original`."""
    digits = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    room = ID_BYTES - len(digits) - 1
    cut = name.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    return f"{cut or 'student'}-{digits}"


def same_file_name(name: str) -> str:
    """Equal for names that macOS or Windows takes for one file: capitals and composed accents aside."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is never a student's work: hidden, a test, a cache."""
    return name.startswith((".", "__MACOSX", "__pycache__")) or (
        name.endswith(".py") and (name.startswith("test_") or name == "conftest.py")
    )
