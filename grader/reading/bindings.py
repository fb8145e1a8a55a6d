"""What gives names their values in a piece of Python, and which parts of it run with a function's call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Scope: TypeAlias = Function | ast.ClassDef


@dataclass(frozen=True)
class Bound:
    """A name's value: what is imported (`path`, with the import as `node`), a definition, an expression, or
    nothing that can be told.
    """

    node: ast.AST | None = None
    path: str = ""


@dataclass(frozen=True)
class Step:
    """A part of a node. `inside`: in the scope of the function that the node is; `called`: by the node."""

    node: ast.AST
    inside: bool = False
    called: bool = False


def bound(statements: Sequence[ast.AST]) -> Iterator[tuple[str, Bound]]:
    """Each name that the statements bind in their own scope, in the order of the text; "*" for a star import."""
    told: set[int] = set()
    for node in _own_nodes(statements):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, Bound(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in told:
            yield node.id, Bound()
        for target, value in _assigned(node):
            told.add(id(target))
            yield target.id, Bound(value)


def _own_nodes(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes whose names are in the statements' own scope, in the order of the text."""
    waiting = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _Scope | ast.comprehension):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Bound]]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            top = alias.name.partition(".")[0]
            yield alias.asname or top, Bound(node, alias.name if alias.asname else top)
        elif alias.name == "*":
            yield "*", Bound(node, node.module or "")
        else:
            yield alias.asname or alias.name, Bound(node, f"{node.module}.{alias.name}")


def _assigned(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """`a = x`, `a: T = x`, `(a := x)`, and each of `a, b = x, y`."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) or node.value is None:
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        yield from ((left, right) for left, right in pairs if isinstance(left, ast.Name))


def local_names(function: Function) -> dict[str, Bound]:
    """A function's own names: its parameters, and what its body binds."""
    parameters = function.args
    listed = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs, parameters.vararg, parameters.kwarg]
    names = {parameter.arg: Bound() for parameter in listed if parameter is not None}
    body = function.body if isinstance(function.body, list) else [function.body]
    names.update(bound(body))
    shared = {name for node in _own_nodes(body) if isinstance(node, ast.Global) for name in node.names}
    return {name: what for name, what in names.items() if name not in shared}


def steps(node: ast.AST) -> Iterator[Step]:
    """The parts of a node that run; annotations do not count."""
    if isinstance(node, Function):
        yield from (Step(default) for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None)
        yield from (Step(decorator) for decorator in getattr(node, "decorator_list", []))
        yield from (Step(inner, inside=True) for inner in (node.body if isinstance(node.body, list) else [node.body]))
        return
    skipped = node.annotation if isinstance(node, ast.AnnAssign) else None
    called = node.func if isinstance(node, ast.Call) else None
    yield from (Step(child, called=child is called) for child in ast.iter_child_nodes(node) if child is not skipped)
