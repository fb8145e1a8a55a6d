"""Run a submission's cells, one after the other, in one namespace.

A failing cell never stops the next one: a broken function must not cost a number further down.
Notebook cells may use IPython's syntax; scripts run as plain Python that was imported, so code
behind `if __name__ == "__main__":` rests.
"""

from __future__ import annotations
import __future__ as future_flags

import ast
import asyncio
import builtins
import inspect
import linecache
import traceback
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from grader.observing.cells import cell_file, message_of
from grader.worker.magics import Magics, python_syntax


class CellLike(Protocol):
    """What a cell needs to be run: its number as the student counts, its text and its first line."""

    @property
    def number(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def line(self) -> int: ...


@dataclass(frozen=True)
class CellError:
    """Why a cell did not run to its end. `line` counts within the cell (notebook) or the file (script)."""

    cell: int
    line: int | None
    type: str
    message: str
    text: str = ""


@dataclass
class Loaded:
    """What running the cells met: errors, and by cell notes on lines that were left out."""

    errors: list[CellError] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)


def load(
    cells: Iterable[CellLike],
    kind: str,
    namespace: dict[str, Any],
    on_cell: Callable[[int], None] = lambda number: None,
) -> Loaded:
    """Run `cells` in `namespace`; `on_cell` hears each cell's number before it runs."""
    loaded = Loaded()
    magics = _prepare(namespace, kind)
    future = 0
    for cell in cells:
        on_cell(cell.number)
        magics.cell = cell.number
        try:
            code = _compiled(cell, kind, future)
            future |= code.co_flags & _FUTURE_FLAGS
            _run(code, namespace)
        except BaseException as error:
            loaded.errors.append(_cell_error(error, cell))
    loaded.notes.extend(magics.notes[:20])
    return loaded


def _prepare(namespace: dict[str, Any], kind: str) -> Magics:
    magics = Magics(namespace)
    namespace.setdefault("__builtins__", builtins)
    namespace.setdefault("__name__", "__main__" if kind == "notebook" else "submission")
    if kind == "notebook":
        namespace.update(get_ipython=lambda: magics, display=lambda *things, **options: None)
    return magics


_FUTURE_FLAGS = sum(getattr(future_flags, name).compiler_flag for name in set(future_flags.all_feature_names))


def _compiled(cell: CellLike, kind: str, future: int) -> types.CodeType:
    """The cell's code; lines are moved to where the student sees them in a script."""
    notebook = kind == "notebook"
    source = "\n" * (cell.line - 1) + (python_syntax(cell.source) if notebook else cell.source)
    name = cell_file(cell.number)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    flags = future | (ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if notebook else 0)
    code: types.CodeType = compile(source, name, "exec", flags, dont_inherit=True)
    return code


def _run(code: types.CodeType, namespace: dict[str, Any]) -> None:
    waiting = eval(code, namespace)
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(waiting)


def _cell_error(error: BaseException, cell: CellLike) -> CellError:
    kind = type(error).__name__
    name = cell_file(cell.number)
    if isinstance(error, SyntaxError) and error.filename == name:
        text = (error.text or "").strip()[:200]
        return CellError(cell.number, error.lineno, kind, error.msg or "invalid syntax", text)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    line = lines[-1] if lines else None
    text = linecache.getline(name, line).strip()[:200] if line else ""
    return CellError(cell.number, line, kind, message_of(error), text)
