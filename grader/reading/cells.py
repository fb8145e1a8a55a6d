"""The code cells of a notebook or of a script: its text goes in, cells and messages come out."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

SOURCE_CHARACTERS = 5_000_000
CELLS = 5_000
# A syntax tree takes up to a kilobyte a character. Honest cells have some thousand characters.
PARSED_CHARACTERS = 150_000
PARSED_DOTS = 5_000  # Python copies what stands before each dot of a module's name
PARSED_BRACES = 2_000  # Python 3.11 reads an f-string from its start for each pair of them
MESSAGES = 20

_MARKER = re.compile(r"#[ \t]*%%+(?:\s(?P<title>.*))?$")
_TEXT_CELL = re.compile(r"\[(markdown|md|raw)\]")
TEXT_TYPES = ("markdown", "raw", "heading", "html")


class Unreadable(Exception):
    """A submission cannot be read; the text is one sentence that names the file and says what to do."""


@dataclass(frozen=True)
class Cell:
    """A code cell. `number` counts every cell of the file from 1, text cells too; `line` is the line of
    a script on which `source` starts, and 1 in a notebook.
    """

    number: int
    source: str
    line: int


def syntax_tree(source: str) -> ast.Module | None:
    """The parsed source, or None where Python cannot parse it or it is too large to be worth it."""
    if len(source) > PARSED_CHARACTERS or source.count("{") > PARSED_BRACES or source.count(".") > PARSED_DOTS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's "\d" is no warning of ours
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def notebook_cells(name: str, document: object) -> tuple[list[Cell], list[str]]:
    """The code cells of a notebook's JSON. Outputs are never looked at. Raises Unreadable."""
    listed, messages = listed_cells(name, document)
    cells: list[Cell] = []
    broken: list[str] = []
    characters = 0
    for number, entry in enumerate(listed, start=1):
        try:
            if _became_text(entry) and len(messages) < MESSAGES:
                messages.append(f"cell {number} had become a text cell and was read as code again.")
            source = _code(entry)
        except ValueError as reason:
            broken.append(f"cell {number} could not be read ({reason}) and was left out.")
            continue
        if source is not None:
            characters += len(source)
            limited(name, 0, characters)
            cells.append(Cell(number, cleaned(source, f"cell {number}", messages), 1))
    if len(broken) > MESSAGES:
        broken[MESSAGES:] = [f"{len(broken) - MESSAGES} more cells could not be read and were left out."]
    return cells, messages + broken


def listed_cells(name: str, document: object) -> tuple[list[object], list[str]]:
    """All cells of a notebook's JSON as they stand there, in format 3 or 4, and messages. Raises Unreadable."""
    listed, messages = _listed_cells(name, document)
    limited(name, len(listed), 0)
    return listed, messages


def _listed_cells(name: str, document: object) -> tuple[list[object], list[str]]:
    if isinstance(document, dict):
        cells, sheets = document.get("cells"), document.get("worksheets")
        if isinstance(cells, list):
            return cells, _about_format(name, document.get("nbformat"))
        if isinstance(sheets, list):
            found = [sheet["cells"] for sheet in sheets if isinstance(sheet, dict) and "cells" in sheet]
            cells = [cell for part in found if isinstance(part, list) for cell in part]
            return cells, [f"{name} is in the old notebook format 3 and was read as such."]
    raise Unreadable(
        f"{name} is not a notebook (it holds no list of cells): open your notebook in Jupyter, save it, "
        "and hand in that file."
    )


def _about_format(name: str, version: object) -> list[str]:
    if version == 4:
        return []
    if not isinstance(version, (int, float)):
        return [f"{name} does not say which notebook format it is in; it was read as format 4."]
    age = "a newer notebook format than 4" if version > 4 else "an older notebook format than 4"
    return [f"{name} says it is in {age}; it was read as format 4."]


def _code(cell: object) -> str | None:
    """The source of a code cell, None for a text cell; ValueError with the reason for a broken one."""
    if not isinstance(cell, dict):
        raise ValueError("it is not a notebook cell")
    kind = cell.get("cell_type")
    if isinstance(kind, str) and kind in TEXT_TYPES and not _became_text(cell):
        return None
    if kind != "code" and not _became_text(cell):
        raise ValueError("its type is neither code nor text")
    return source_text(cell)


def _became_text(cell: object) -> bool:
    """Whether a text cell was released as the code cell of an answer: nbgrader says so in its metadata."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("markdown", "raw"):
        return False
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    # written answers, the text cells that are solutions, are graded by hand
    return isinstance(mark, dict) and mark.get("solution") is True and mark.get("grade") is False


def source_text(cell: dict[str, object]) -> str:
    """What is written in a notebook cell; ValueError with the reason where that cannot be told."""
    source = cell.get("source", cell.get("input"))  # "input" is format 3
    if isinstance(source, str):
        return source
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    raise ValueError("it has no source" if source is None else "its source is not text")


def cleaned(text: str, where: str, messages: list[str]) -> str:
    """Line ends made "\\n"; what no Python source can hold replaced, so that the error is at that line."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # UTF-16 joins the halves of a character that two strings of a list were cut through.
    units = text.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass")
    readable = units.decode("utf-16-le", "replace")
    if readable.count("\ufffd") > text.count("\ufffd") and len(messages) < MESSAGES:
        messages.append(f"{where} holds characters that Python cannot read; each was replaced by \ufffd.")
    return readable


def script_cells(name: str, text: str) -> tuple[list[Cell], list[str]]:
    """The code cells of a script in percent format; without a marker the whole file is one cell.

    A "# %%" line inside a statement (a string, a bracket, a function) is no marker where the file parses.
    Raises Unreadable.
    """
    limited(name, 0, len(text))
    messages: list[str] = []
    lines = cleaned(text, name, messages).split("\n")
    markers = _markers(lines)
    limited(name, len(markers), 0)
    cells: list[Cell] = []
    for number, start, stop, title in _parts(lines, markers):
        source = "\n".join(lines[start:stop]).rstrip("\n")
        if not _TEXT_CELL.search(title):
            cells.append(Cell(number, source, start + 1))
        elif _holds_code(source):
            # Python runs it when it runs the file, so the student has every reason to think that it counts.
            messages.append(f"cell {number} of {name} is marked as text but holds code; it was read as code.")
            cells.append(Cell(number, source, start + 1))
    return cells, messages[:MESSAGES]


def _markers(lines: list[str]) -> list[int]:
    """The line numbers, from 0, of the markers."""
    found = [index for index, line in enumerate(lines) if line.startswith("#") and _MARKER.match(line)]
    tree = syntax_tree("\n".join(lines)) if found else None
    if tree is None:
        return found
    inside: set[int] = set()
    for statement in tree.body:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno] + [decorator.lineno for decorator in decorators])
        inside.update(range(first, statement.end_lineno or first))
    return [index for index in found if index not in inside]


def _parts(lines: list[str], markers: list[int]) -> Iterator[tuple[int, int, int, str]]:
    """Number, first line, line after the last, and title of each cell."""
    number = 0
    before = lines[: markers[0]] if markers else lines
    # What stands before the first marker is mostly jupytext's header, which is no cell.
    if any(line.strip() and not line.lstrip().startswith("#") for line in before):
        number += 1
        yield number, 0, len(before), ""
    for index, marker in enumerate(markers):
        stop = markers[index + 1] if index + 1 < len(markers) else len(lines)
        match = _MARKER.match(lines[marker])
        title = match["title"] if match else None
        yield number + index + 1, marker + 1, stop, title or ""


def _holds_code(source: str) -> bool:
    tree = syntax_tree(source)
    # One word of plain prose parses as an expression; nearly no prose parses as a statement.
    return tree is not None and any(not isinstance(statement, ast.Expr) for statement in tree.body)


def limited(name: str, cells: int, characters: int) -> None:
    """Raises Unreadable for more cells, or more characters of code, than any honest work has."""
    if cells > CELLS:
        raise Unreadable(f"{name} has more than {CELLS:,} cells: hand in the file with your answers only.")
    if characters > SOURCE_CHARACTERS:
        size = SOURCE_CHARACTERS // 1_000_000
        raise Unreadable(f"{name} holds over {size} million characters of code: hand in your answers only.")
