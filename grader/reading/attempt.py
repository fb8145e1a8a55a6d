"""What a student has worked on, seen without running anything.

It decides which form of a submission counts and what a message points at. It cannot see names that only
exist once the code runs (`exec`, `from x import *`): whether a question earns points is never decided here.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from grader.reading.cells import PARSED_CHARACTERS, syntax_tree
from grader.reading.submission import Submission

RESEMBLING_CHARACTERS = 60
RESEMBLING_NAMES = 500
RESEMBLANCE = 0.6  # difflib's ratio; "attn" and "attention" have 0.62

_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_PYTHON_MAGICS = ("time", "timeit", "capture", "prun")  # their cell is Python; that of %%bash is not
_SHELL_LINE = re.compile(r"(\s*)[%!?]")
_HELP_LINE = re.compile(r"(\s*)[\w.%*]+\?\??\s*$")
_SHELL_VALUE = re.compile(r"([^=#'\"]+=)\s*[%!]")
_DEF = re.compile(r"\bdef\s+(\w+)")
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


@dataclass(frozen=True)
class _Definition:
    """A place where a name gets its value; `stub` where that is the value the exercise came with."""

    name: str
    cell: int
    stub: bool
    function: bool = False


def untouched(submission: Submission, names: Collection[str]) -> set[str]:
    """Those of `names` that are still stubs (only NotImplementedError, pass or `...`; None) or absent."""
    wanted = set(names)
    stubs = set(wanted)
    for found in _definitions(submission, wanted):
        if found.stub:
            stubs.add(found.name)
        else:
            stubs.discard(found.name)
    return stubs & wanted


def attempted(submission: Submission, names: Collection[str]) -> bool:
    """Whether anything was written for at least one of `names`."""
    return bool(set(names) - untouched(submission, names))


def choose(forms: Sequence[Submission], names: Collection[str]) -> tuple[Submission, str | None]:
    """The form that counts, of at least one: the notebook if it was attempted, else the script if that was,
    else the notebook; and a sentence that says which, where both were attempted.
    """
    ordered = sorted(forms, key=lambda form: form.kind != "notebook")
    worked_on = [form for form in ordered if attempted(form, names)]
    counted = worked_on[0] if worked_on else ordered[0]
    if len(worked_on) < 2:
        return counted, None
    both = " and ".join(form.source for form in worked_on)
    return counted, f"Both {both} were worked on; {counted.source} counts."


def cell_of(submission: Submission, name: str) -> int | None:
    """The number of the cell that defines `name` last."""
    return max((found.cell for found in _definitions(submission, {name})), default=None)


def defined_in(statement: ast.AST) -> set[str]:
    """The names that a statement gives a value, outside functions."""
    return {one.name for one in _in_tree(statement, 0)}


def similar(submission: Submission, name: str, taken: Collection[str] = ()) -> str | None:
    """A function of the student's that may be the missing `name` under another name; never one of `taken`."""
    functions = (found.name for found in _definitions(submission, None) if found.function and not found.stub)
    return most_alike(dict.fromkeys(other for other in functions if other != name and other not in taken), name)


def most_alike(candidates: Iterable[str], name: str) -> str | None:
    """The candidate that resembles a name most, if one does."""
    best, score = None, 0.0
    for candidate in islice(candidates, RESEMBLING_NAMES):
        closeness = _resemblance(candidate, name)
        if closeness > score:
            best, score = candidate, closeness
    return best


def _resemblance(candidate: str, name: str) -> float:
    """0 for names that do not resemble each other, else up to 1."""
    one, other = (text.lower().replace("_", "") for text in (candidate, name))
    if len(one) > RESEMBLING_CHARACTERS or one.startswith("test"):
        return 0.0
    ratio = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    contained = (len(one) >= 4 and one in other) or (len(one) == 3 and other.startswith(one)) or other in one
    return max(ratio, RESEMBLANCE) if contained else ratio if ratio >= RESEMBLANCE else 0.0


def _definitions(submission: Submission, names: Collection[str] | None) -> Iterator[_Definition]:
    """Every definition of `names` (None: of any name) outside functions, in the order of the code."""
    left = PARSED_CHARACTERS  # of all cells together: this is asked for each question anew
    for cell in submission.cells:
        source = cell.source
        # Python reads some other letters as ASCII ones, so only plain text can be passed over unparsed.
        if names is not None and source.isascii() and not any(name in source for name in names):
            continue
        left -= len(source)
        tree = _tree(submission, source) if left >= 0 else None
        found = _in_text(source, cell.number) if tree is None else _in_tree(tree, cell.number)
        yield from (one for one in found if names is None or one.name in names)


def _tree(submission: Submission, source: str) -> ast.Module | None:
    tree = syntax_tree(source)
    if tree is None and submission.kind == "notebook":
        # Only then: a line that starts with % may stand inside a string or a bracket.
        tree = syntax_tree(without_magics(source))
    return tree


def without_magics(source: str) -> str:
    """A notebook cell's source with IPython's own lines (%magic, !shell, help?) put out of Python's way."""
    lines = source.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    magic = _CELL_MAGIC.match(lines[first])
    if magic and magic[1] not in _PYTHON_MAGICS:
        return ""
    continued = False
    for index, line in enumerate(lines):
        special = continued or _SHELL_LINE.match(line) or _HELP_LINE.match(line)
        value = _SHELL_VALUE.match(line)
        if special:
            indent = line[: len(line) - len(line.lstrip())]
            lines[index] = "" if continued else indent + "pass"  # a block may hold nothing else
        elif value:
            lines[index] = value[1] + " ..."
        continued = bool(special or value) and line.endswith("\\")
    return "\n".join(lines)


def _in_text(source: str, cell: int) -> Iterator[_Definition]:
    """What a cell that does not parse seems to define: a student wrote there, so none of it is a stub."""
    for line in source.split("\n"):
        target, equals, value = line.partition("=")
        if equals and not value.startswith("=") and not re.search(r"[#(]", target):
            yield from (_Definition(word, cell, False) for word in _WORD.findall(target))
        yield from (_Definition(name, cell, False, function=True) for name in _DEF.findall(line))


def _in_tree(tree: ast.AST, cell: int) -> Iterator[_Definition]:
    nodes = list(_outside_functions(tree))
    nothing = {id(target) for node in nodes for target in _set_to_none(node)}
    unset = {id(node.target) for node in nodes if isinstance(node, ast.AnnAssign) and node.value is None}
    # Breadth first is how they were found; the last definition in the text is the one that holds.
    for node in sorted(nodes, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _Definition(node.name, cell, _is_stub(node.body), function=True)
        elif isinstance(node, ast.ClassDef):
            yield _Definition(node.name, cell, False, function=True)
        elif isinstance(node, ast.alias):
            yield _Definition(node.asname or node.name.partition(".")[0], cell, False)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in unset:
            yield _Definition(node.id, cell, id(node) in nothing)


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node whose names are the module's: the bodies of functions and classes are left out."""
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.comprehension
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, inner):
            waiting.extend(ast.iter_child_nodes(node))


def _set_to_none(node: ast.AST) -> Iterator[ast.expr]:
    """The targets of an assignment that get None: `A = None`, `A = B = None`, `A, B = None, None`."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs: Iterable[tuple[ast.expr, ast.expr]] = zip(target.elts, node.value.elts, strict=False)
        else:
            pairs = [(target, node.value)]
        yield from (left for left, right in pairs if isinstance(right, ast.Constant) and right.value is None)


def _is_stub(body: list[ast.stmt]) -> bool:
    return all(isinstance(statement, ast.Pass) or _says_nothing(statement) for statement in body)


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and (value.value is ... or isinstance(value.value, str))
