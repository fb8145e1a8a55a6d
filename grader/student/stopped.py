"""The cell that a live notebook ran last, where it stopped too early to change what is checked."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.crashes.telling import raised
from grader.observing.cells import message_of
from grader.reading.attempt import defined_in
from grader.reading.cells import syntax_tree
from grader.student.tally import spoken_name
from grader.wording import first_line, joined

CELL_MAGIC = "%%"  # the cell is told to somebody else, who counts its lines in another way
WHOLE = ast.Assign | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef  # defines at its very end
# what a cell that does not parse would define: only what is plain, for this becomes a claim
DEFINED = re.compile(r"^(?:(?:async +)?def|class) +(\w+)|^((?:\w+ *, *)*\w+) *(?::[^=\n]*)?=(?!=)", re.MULTILINE)


@dataclass(frozen=True)
class StoppedCell:
    """The names that the cell did not come to define, and what stopped it: `SyntaxError: … (line 3)`."""

    names: frozenset[str] = frozenset()
    reason: str = ""

    def told(self, names: Collection[str]) -> str:
        """A sentence, where these names are among them; "" where they are not."""
        lost = [spoken_name(name) for name in names if name in self.names]
        if not lost:
            return ""
        return (
            f"The last cell that you ran stopped before it defined {joined(lost)}: {self.reason}. "
            "So this is about what was there before."
        )


def stopped_cell(shell: Any) -> StoppedCell:
    """What IPython says of the cell that was run before this one; nothing outside of IPython, and nothing where it is
    not certain.
    """
    result = getattr(shell, "last_execution_result", None)
    if result is None:
        return StoppedCell()
    error = result.error_before_exec or result.error_in_exec
    source = getattr(result.info, "raw_cell", None)
    if error is None or not isinstance(source, str) or source.lstrip().startswith(CELL_MAGIC):
        return StoppedCell()
    line = _line(error, shell.user_ns)
    lost = _not_defined(shell, source, line or getattr(error, "lineno", None)) - _defined_now(shell.user_ns)
    return StoppedCell(frozenset(lost), _reason(error, line))


def _defined_now(names: Mapping[str, Any]) -> set[str]:
    """What the cell defines that runs now, which may have been written in the other one's place."""
    cells = names.get("In")
    tree = syntax_tree(cells[-1]) if isinstance(cells, list) and cells and isinstance(cells[-1], str) else None
    return _names(tree.body) if tree is not None else set()


def _not_defined(shell: Any, source: str, line: int | None) -> set[str]:
    """The names that the cell would have defined. It runs up to a line that cannot be compiled, and not at all where
    it cannot be parsed.
    """
    try:
        source = shell.transform_cell(source)
    except SyntaxError:
        pass  # it does not parse either
    tree = syntax_tree(source)
    if tree is None:
        return {name for one in DEFINED.finditer(source) for name in re.findall(r"\w+", one[1] or one[2])}
    return _below(tree.body, line) if isinstance(line, int) else set()


def _below(statements: Sequence[ast.stmt], line: int) -> set[str]:
    """The names that the statements would have defined from this line on, none of which has a value by an earlier one.

    A statement that stopped has defined nothing, if it defines at its end and stands alone on its line.
    """
    after = [one for one in statements if _first_line(one) > line]
    begun = [one for one in statements if _first_line(one) <= line]
    stopped = [one for one in begun if (one.end_lineno or 0) >= line]
    if len(stopped) == 1 and isinstance(stopped[0], WHOLE) and not _has_walrus(stopped[0]):
        after, begun = after + stopped, [one for one in begun if one not in stopped]
    return _names(after) - _names(begun)


def _has_walrus(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.NamedExpr) for node in ast.walk(statement))


def _first_line(statement: ast.stmt) -> int:
    marks: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(mark.lineno for mark in marks)])


def _names(statements: Iterable[ast.stmt]) -> set[str]:
    return {name for one in statements for name in defined_in(one)}


def _line(error: BaseException, names: Mapping[str, Any]) -> int | None:
    """The line of the cell at which it stopped; code that the cell has run by exec() stands further in."""
    frames = traceback.walk_tb(error.__traceback__)
    return next((line for frame, line in frames if frame.f_globals is names), None)


def _reason(error: BaseException, line: int | None) -> str:
    """What was raised; with the line of the cell, where it is the cell itself that Python cannot read."""
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted"
    kind = type(error).__name__
    if not isinstance(error, SyntaxError):
        return first_line(raised(kind, message_of(error)).rstrip("."))
    place = f" (line {error.lineno})" if line is None and error.lineno is not None else ""
    return first_line(raised(kind, str(error.msg or ""))) + place
