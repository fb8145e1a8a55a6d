"""What a released folder would give away: solutions, hidden tests, the answer key, outputs, paths."""

from __future__ import annotations

import ast
import html
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from grader.errors import CourseError

ALLOWED = ("*.ipynb", "test_*.py", "README.md", "walkthrough.html")
BYTECODE = re.compile(r"(\w+)\.[a-z]+-\d+(-pytest-[\w.]+|\.opt-\d)?\.pyc")
CACHES = (".ipynb_checkpoints", "__pycache__", ".pytest_cache")
SHORTEST_LINE = 12
SHORTEST_SENTENCE = 25

FORBIDDEN = {
    "a solution or hidden-test mark": re.compile(
        r"\b(begin|end)[\s_-]*(solution|hidden)|\bmark(ing)?[\s_-]*scheme", re.IGNORECASE
    ),
    "an import of the private solutions": re.compile(r"^\W*(from|import)\s+solutions\b", re.MULTILINE),
    "the place of the answer keys": re.compile(r"\bsolutions\s*[/\\.]+\s*keys\b"),
    # Not behind a letter or a dot, where it is a part of an address such as example.org/home/.
    "a path of the author's machine": re.compile(
        r"(?<![\w.$}~])(/(home|root|Users)/|[A-Za-z]:[\\/]+Users\b)[^\s\"'`<>)]*"
    ),
}
BEGIN = re.compile(r"BEGIN (SOLUTION|HIDDEN TESTS|MARK SCHEME)")
END = re.compile(r"END (SOLUTION|HIDDEN TESTS|MARK SCHEME)")
# Lines that any author writes: they say nothing about the solution.
PLAIN = re.compile(r"(import|from)\s|return[\w\s,]*$|#+$")

UNREADABLE = (ValueError, TypeError, AttributeError, nbformat.ValidationError)


@dataclass(frozen=True)
class Piece:
    """A stretch of text that students read, and the name of its place, such as `attention.ipynb cell 3`."""

    place: str
    text: str

    def find(self, what: str, pattern: re.Pattern[str]) -> Iterator[str]:
        """One finding for the first match: one is enough to refuse, and a whole copied cell would bury it."""
        if found := pattern.search(self.text):
            line = self.text.count("\n", 0, found.start()) + 1
            yield f"{self.place} line {line}: {what}: {' '.join(found.group().split())}"


def scan(released: Path, source: Path, key: Path | None) -> list[str]:
    """Sentences `FILE line N: what: text`, in the order of the files; none means that nothing leaks.

    `source` is the private folder of the assignment, `key` its answer key. Neither is run.
    """
    private = _private(source, key)
    findings = []
    for path in sorted(released.rglob("*")):
        if _is_bytecode(path, released):
            continue
        if not _expected(path, released):
            findings.append(f"{path.relative_to(released).as_posix()}: a file that no exercise holds")
            continue
        try:
            findings += [finding for piece in _pieces(path) for finding in _look(piece, private, FORBIDDEN)]
            findings += _outputs(path)
        except UNREADABLE:
            findings.append(f"{path.name}: cannot be read as a notebook, so nothing in it could be checked")
    return findings


def scan_beside(files: dict[str, bytes], solutions: Path) -> list[str]:
    """Sentences as of `scan` for files that students get besides an exercise, such as the grader itself.

    Nothing of any assignment in `solutions` may be in them. Marks and paths are not looked for: code of the
    grader has to name them.
    """
    names = {path.name for path in solutions.glob("*/") if path.name != "keys"}
    names |= {path.stem for path in solutions.glob("keys/*.py")}
    pieces = [Piece(name, content.decode("utf-8", errors="replace")) for name, content in sorted(files.items())]
    contents = {path.read_bytes() for path in solutions.rglob("*") if path.is_file()} - {b""}
    findings = [f"{name}: a file of solutions/" for name, content in sorted(files.items()) if content in contents]
    for name in sorted(names):
        key = solutions / "keys" / f"{name}.py"
        try:
            private = _private(solutions / name, key if key.is_file() else None)
        except UNREADABLE:
            findings.append(f"solutions/{name}: cannot be read, so nothing of it could be looked for")
            continue
        findings += [finding for piece in pieces for finding in _look(piece, private, {})]
    return findings


def package_files(package: Path) -> dict[str, bytes]:
    """The files of a package by their names beside it, without what running it leaves behind."""
    files = {}
    for path in sorted(package.rglob("*")):
        parts = path.relative_to(package.parent).parts
        passing = path.suffix == ".pyc" or any(part in CACHES or part.startswith(".") for part in parts)
        if path.is_file() and not passing:
            files["/".join(parts)] = path.read_bytes()
    return files


def _look(
    piece: Piece, private: dict[str, list[re.Pattern[str]]], forbidden: dict[str, re.Pattern[str]]
) -> Iterator[str]:
    for what, pattern in forbidden.items():
        yield from piece.find(what, pattern)
    for what, patterns in private.items():
        for pattern in patterns:
            yield from piece.find(what, pattern)


def _is_bytecode(path: Path, released: Path) -> bool:
    """Whether Python, or pytest, left it there when somebody ran the tests: a script of the exercise, compiled, or the
    folder for that. What stands in it is not read.
    """
    if path.is_symlink():
        return False
    if path.name == "__pycache__":
        return path.parent == released and path.is_dir()
    named = BYTECODE.fullmatch(path.name)
    if path.parent != released / "__pycache__" or named is None or not path.is_file():
        return False
    with path.open("rb") as file:
        return _expected(released / f"{named[1]}.py", released) and file.read(4)[2:] == b"\r\n"  # of any Python


def _expected(path: Path, released: Path) -> bool:
    if path.parent != released or path.is_symlink() or not path.is_file():
        return False
    script = path.suffix == ".py" and path.with_suffix(".ipynb").exists()
    return script or any(path.match(pattern) for pattern in ALLOWED)


def _outputs(path: Path) -> Iterator[str]:
    for number, cell in enumerate(_cells(path), start=1) if path.suffix == ".ipynb" else ():
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield f"{path.name} cell {number} line 1: the output of a run"


def _private(source: Path, key: Path | None) -> dict[str, list[re.Pattern[str]]]:
    """What to look for, by what it is; nothing that students may read anyway."""
    cells = [split(cell) for path in sorted(source.glob("*.ipynb")) for cell in _cells(path)]
    shown = "\n".join(outside for _, outside in cells)
    lines = {_code(line) for inside, _ in cells for line in inside.split("\n")}
    tests = "\n".join(_read(path) for path in sorted(source.glob("test_*.py")))
    return {
        "a line of the solution": [_loosely(line) for line in sorted(lines) if telling(line, shown)],
        "a sentence of the answer key": [_loosely(text) for text in _sentences(key, shown + tests)],
    }


def telling(line: str, shown: str) -> bool:
    """Whether a line of a solution is long and particular enough, and not shown outside of it anyway."""
    return len(line) >= SHORTEST_LINE and not PLAIN.match(line) and not _loosely(line).search(shown)


def _sentences(key: Path | None, shown: str) -> list[str]:
    if key is None:
        return []
    try:
        nodes = list(ast.walk(ast.parse(_read(key))))
    except SyntaxError as error:
        raise CourseError(f"{key} line {error.lineno} is not Python ({error.msg}): mend the answer key.") from None
    texts = {node.value.strip() for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return [text for text in sorted(texts) if len(text) >= SHORTEST_SENTENCE and not _loosely(text).search(shown)]


def split(cell: Any) -> tuple[str, str]:
    """The text of a source cell inside its solution and hidden regions, and the text outside them."""
    lines = cell.source.split("\n")
    marked = any(BEGIN.search(line) for line in lines)
    # nbgrader clears a solution cell without marks whole.
    hidden = not marked and bool(cell.metadata.get("nbgrader", {}).get("solution"))
    texts: dict[bool, list[str]] = {True: [], False: []}
    for line in lines:
        if BEGIN.search(line) or END.search(line):
            hidden = bool(BEGIN.search(line))
        else:
            texts[hidden].append(line)
    return "\n".join(texts[True]), "\n".join(texts[False])


def _code(line: str) -> str:
    """The line without its indentation and a comment behind it, which a copy may lack."""
    return re.sub(r"\s+#.*", "", line.strip())


def _loosely(text: str) -> re.Pattern[str]:
    """The text with other white space, or wrapped over the comment lines of a script; its last word is a whole one."""
    end = r"\b" if re.search(r"\w\Z", text) else ""
    return re.compile(r"[\s#]+".join(map(re.escape, text.split())) + end)


def _pieces(path: Path) -> list[Piece]:
    if path.suffix != ".ipynb":
        text = _read(path)
        return [Piece(path.name, html.unescape(text) if path.suffix == ".html" else text)]
    rest = json.loads(_read(path))
    cells = _cells(path)
    pieces = [Piece(f"{path.name} cell {number}", cell.source) for number, cell in enumerate(cells, start=1)]
    metadata = [rest.get("metadata"), *(cell.metadata for cell in cells)]
    return [*pieces, Piece(f"{path.name} metadata", json.dumps(metadata))]


def _cells(path: Path) -> list[Any]:
    with warnings.catch_warnings(action="ignore"):
        return list(nbformat.reads(_read(path), as_version=4).cells)  # type: ignore[no-untyped-call]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
