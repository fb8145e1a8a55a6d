"""Which of some library functions the code of one function names, seen without running anything.

Only what the function reaches counts: its own code, and the functions, classes and values of the submission that this
names. What cannot be told (a name that is computed, code that does not parse) is not a use.
"""

from __future__ import annotations

import ast
import bisect
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from grader.reading.attempt import without_magics
from grader.reading.bindings import Bound, Function, bound, local_names, steps
from grader.reading.cells import Cell, syntax_tree
from grader.reading.submission import Submission

MOST_CHARACTERS = 150_000  # that are parsed; a notebook of a lesson has some ten thousand
LONGEST_PATH = 20  # parts of a dotted name
DEEPEST = 8  # aliases of aliases
MOST_REACHED = 500  # definitions that one function needs


@dataclass(frozen=True)
class Use:
    """A place where a function is named; `line` is counted as in a traceback."""

    name: str
    cell: int
    line: int


@dataclass(frozen=True)
class _Global:
    """One definition of a name of the module, the `place`-th of all."""

    place: int
    cell: Cell
    bound: Bound


@dataclass(frozen=True)
class _Here:
    """Where a node stands. `scopes`: the names of the functions around it, the innermost first. `before`: what the
    module defines later is not there yet. `runs`: with the function, not once while the cells run. `called`: it is
    what such a single call calls, so that the function only has what came of it.
    """

    scopes: tuple[Mapping[str, Bound], ...] = ()
    before: float = math.inf
    runs: bool = True
    called: bool = False


@dataclass
class _Module:
    """The names of the submission's cells, and the modules that `from module import *` empties into it."""

    names: dict[str, list[_Global]] = field(default_factory=dict)
    stars: set[str] = field(default_factory=set)
    count: int = 0

    def add(self, cell: Cell, statement: ast.stmt) -> None:
        """Take in what a statement defines."""
        for name, what in bound([statement]):
            self.count += 1
            if name == "*":
                self.stars.add(what.path)
            else:
                self.names.setdefault(name, []).append(_Global(self.count, cell, what))

    def last(self, name: str, before: float) -> _Global | None:
        """The definition that holds: the last one before a place."""
        listed = self.names.get(name, [])
        index = bisect.bisect_left(listed, before, key=lambda one: one.place)
        return listed[index - 1] if index else None


def uses(
    submission: Submission, function: str, forbidden: Collection[str], stopped: Mapping[int, int]
) -> tuple[Use, ...]:
    """Where `function` first reaches each of the forbidden dotted names that it reaches.

    `stopped` holds, by cell, the line on which it stopped: nothing from there on was defined.
    """
    if not any(_may_name(cell.source, forbidden) for cell in submission.cells):
        return ()  # nearly always: nothing is parsed
    module = _module(submission, stopped)
    module.stars &= {name[:end] for name in forbidden for end, sign in enumerate(name) if sign == "."}
    found: dict[str, Use] = {}
    for definition, node, here in _reached(module, function):
        imported = [definition.bound.path] if node is definition.bound.node else []
        for path in imported + _paths(module, node, here):
            if path in forbidden and not here.called:
                line = getattr(node, "lineno", 1) + definition.cell.line - 1
                found.setdefault(path, Use(path, definition.cell.number, line))
    return tuple(found.values())


def _may_name(source: str, forbidden: Collection[str]) -> bool:
    # Python reads some other letters as ASCII ones, so only plain text can be passed over unparsed
    return not source.isascii() or any(name.rpartition(".")[2] in source for name in forbidden)


def _module(submission: Submission, stopped: Mapping[int, int]) -> _Module:
    module = _Module()
    room = MOST_CHARACTERS
    for cell in submission.cells:
        room -= len(cell.source)
        tree = _tree(submission, cell.source) if room >= 0 else None
        for statement in tree.body if tree is not None else ():
            if (statement.end_lineno or 0) + cell.line - 1 >= stopped.get(cell.number, math.inf):
                break
            module.add(cell, statement)
    return module


def _tree(submission: Submission, source: str) -> ast.Module | None:
    tree = syntax_tree(source)
    return syntax_tree(without_magics(source)) if tree is None and submission.kind == "notebook" else tree


def _reached(module: _Module, function: str) -> Iterator[tuple[_Global, ast.AST, _Here]]:
    """The nodes of the function's definition, and of each that is named by one that is reached."""
    start = module.last(function, math.inf)
    waiting = [start] if start is not None else []
    known = {definition.place for definition in waiting}
    for definition in waiting:  # grows
        for node, here in _code(definition):
            yield definition, node, here
            other = _global(module, node, here)
            if other is not None and other.place not in known and len(waiting) < MOST_REACHED:
                known.add(other.place)
                waiting.append(other)


def _global(module: _Module, node: ast.AST, here: _Here) -> _Global | None:
    """The definition that a node names, where it is the submission's own."""
    if not isinstance(node, ast.Name) or any(node.id in scope for scope in here.scopes):
        return None
    definition = module.last(node.id, here.before)
    return None if definition is None or definition.bound.path else definition


def _code(definition: _Global) -> Iterator[tuple[ast.AST, _Here]]:
    """The nodes of a definition. A value is made when its cell runs, a function runs later."""
    node = definition.bound.node
    late = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    start = _Here() if late else _Here(before=definition.place, runs=False)
    waiting = [(node, start)] if node is not None else []
    while waiting:
        node, here = waiting.pop()
        yield node, here
        inner = _Here((local_names(node), *here.scopes)) if isinstance(node, Function) else here
        for step in reversed(list(steps(node))):
            there = inner if step.inside else here
            called = step.called and not here.runs and not here.called
            waiting.append((step.node, replace(there, called=True) if called else there))


def _paths(module: _Module, node: ast.AST, here: _Here, depth: int = 0) -> list[str]:
    """The dotted names that an expression may stand for: `F.softmax` is torch.nn.functional.softmax."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < LONGEST_PATH:
        parts.insert(0, node.attr)
        node = node.value
    starts: list[str] = []
    if isinstance(node, ast.Name) and depth < DEEPEST:
        starts = _name_paths(module, node.id, here, depth)
    elif isinstance(node, ast.Call) and depth < DEEPEST:
        starts = _getattr_paths(module, node, here, depth)
    return [".".join([start, *parts]) for start in starts]


def _name_paths(module: _Module, name: str, here: _Here, depth: int) -> list[str]:
    own = next((scope[name] for scope in here.scopes if name in scope), None)
    if own is not None:
        return _bound_paths(module, own, here, depth)
    definition = module.last(name, here.before)
    if definition is None:
        return [f"{start}.{name}" for start in ("builtins", *module.stars)]
    return _bound_paths(module, definition.bound, _Here(before=definition.place), depth)


def _bound_paths(module: _Module, what: Bound, here: _Here, depth: int) -> list[str]:
    if what.path or what.node is None:
        return [what.path] if what.path else []
    return _paths(module, what.node, here, depth + 1)


def _getattr_paths(module: _Module, node: ast.Call, here: _Here, depth: int) -> list[str]:
    """`getattr(F, "softmax")` is `F.softmax`."""
    name = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
    if not isinstance(name, str) or "builtins.getattr" not in _paths(module, node.func, here, depth + 1):
        return []
    return [f"{start}.{name}" for start in _paths(module, node.args[0], here, depth + 1)]
