"""Imports go one way: what runs beside student code knows no answer, and starting is quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "grader"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}
PRIVATE = (
    "grader.key",
    "grader.grading",
    "grader.commands",
    "grader.report",
    "grader.autograding",
    "grader.releasing",
    "grader.verifying",
)
# From what grading stands on up to what people start; each may import only what stands before it.
LAYERS = [
    ["grader.results"],
    ["grader.observing.returned"],
    ["grader.observing.seen"],
    ["grader.crashes"],
    ["grader.observing.outcome"],
    ["grader.observing.compare"],
    ["grader.observing.match"],
    ["grader.key"],
    ["grader.sandbox.session"],
    ["grader.grading.calls"],
    ["grader.grading.scoring"],
    ["grader.grading.diagnose", "grader.grading.observed", "grader.grading.given"],
    ["grader.grading.credit", "grader.grading.naming"],
    ["grader.grading.functions", "grader.grading.answers"],
    ["grader.grading.counterexample"],
    ["grader.grading.grade"],
    ["grader.grading.jobs"],
    ["grader.autograding.classroom"],
    ["grader.verifying.rehearsal"],
    ["grader.verifying.verify"],
    ["grader.verifying.command"],
    ["grader.commands"],
    ["grader.cli"],
]

# The same for what students see in a notebook.
SHOWN = [
    ["grader.student.signs"],
    ["grader.student.tally"],
    ["grader.student.picture"],
    ["grader.student.heat", "grader.student.strip"],
    ["grader.student.card"],
    ["grader.student.question_card", "grader.student.guess", "grader.student.stopped"],
    ["grader.notebook"],
]


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


@cache
def imported(name: str) -> tuple[str, ...]:
    """All that a module imports anywhere in it, for type checking alone left out; also modules named in texts."""
    return tuple(dict.fromkeys(_imported(name)))


def _imported(name: str) -> Iterator[str]:
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    skipped = {id(inner) for node in ast.walk(tree(name)) if _for_types_only(node) for inner in ast.walk(node)}
    for node in ast.walk(tree(name)):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MODULES:
            yield node.value


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def reached(names: list[str]) -> dict[str, str]:
    """The modules of grader that importing `names` imports, each with the one that does."""
    found = dict.fromkeys(names, "the start")
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        for other in imported(name):
            parents = [".".join(other.split(".")[:end]) for end in range(1, other.count(".") + 2)]
            for module in parents:
                if module in MODULES and module not in found:
                    found[module] = name
                    waiting.append(module)
    return found


def within(name: str, package: str) -> bool:
    return name == package or name.startswith((f"{package}.", f"{package}_"))


def test_what_runs_beside_student_code_knows_no_answer() -> None:
    workers = [name for name in MODULES if within(name, "grader.worker")]
    assert len(workers) > 4
    found = reached(workers)
    told = {name: by for name, by in found.items() if any(within(name, private) for private in PRIVATE)}
    assert told == {}


def test_what_runs_beside_student_code_is_what_a_worker_loads() -> None:
    """The same, seen from a running process: imports that only happen in a function count too."""
    code = "import sys, grader.worker.slot, grader.worker.ready as ready; ready.get_ready(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if within(name, "grader")}
    assert "grader.worker.serve" in loaded
    assert [name for name in loaded if any(within(name, private) for private in PRIVATE)] == []


@pytest.mark.parametrize("name", MODULES)
def test_grader_imports_neither_solutions_nor_exercises(name: str) -> None:
    roots = {module.partition(".")[0] for module in imported(name)}
    assert roots & {"solutions", "exercises", "tests", "conftest"} == set()


@pytest.mark.parametrize(
    ("layers", "layer"),
    [pytest.param(layers, place, id=layers[place][0]) for layers in (LAYERS, SHOWN) for place in range(len(layers))],
)
def test_a_layer_imports_only_what_stands_below_it(layers: list[list[str]], layer: int) -> None:
    above = [name for names in layers[layer + 1 :] for name in names]
    members = [name for name in MODULES for own in layers[layer] if name == own or name.startswith(f"{own}.")]
    assert members
    found = reached(members)
    assert {name: by for name, by in found.items() if name in above} == {}


def test_students_import_nothing_that_grades() -> None:
    own = [name for name in MODULES if within(name, "grader.student")]
    found = reached(["grader.pytest_plugin", "grader.public", "grader.notebook", *own])
    assert {name: by for name, by in found.items() if any(within(name, private) for private in PRIVATE)} == {}


def test_nbgraders_own_process_imports_no_torch() -> None:
    """Nor does the process that grades, until it has begun to start its sandboxes, nor the one that waits for saves."""
    for name in ("grader.autograding.config", "grader.autograding.class_process", "grader.student.watching"):
        code = f"import sys, {name}; sys.exit('torch' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code]).returncode == 0, name


@pytest.mark.parametrize(
    "arguments", ["--help", "grade --help", "check --help", "hint --help", "verify --help", "--version"]
)
def test_help_imports_nothing_slow(arguments: str) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "grader", *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "click" in loaded
    assert loaded & {"torch", "numpy", "rich", "pytest", "IPython", "nbformat", "safetensors"} == set()


@pytest.mark.parametrize("name", MODULES)
def test_no_module_is_longer_than_three_hundred_lines(name: str) -> None:
    assert len(MODULES[name].read_text(encoding="utf-8").splitlines()) <= 300
