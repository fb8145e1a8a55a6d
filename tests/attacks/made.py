"""Attacks that are no plain script: a function writes what is handed in into a student's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.attacks.corpus import FILE, Attack, honest_half, notebook
from tests.attacks.made_files import MADE_FILES
from tests.attacks.made_people import MADE_PEOPLE

NOTEBOOK = "attention.ipynb"


def _cells() -> list[str]:
    return honest_half().split("\n# %%\n")


def _with_cells(folder: Path, *sources: str) -> None:
    (folder / NOTEBOOK).write_text(notebook([*_cells(), *sources]), encoding="utf-8")


def _very_many_cells(folder: Path) -> None:
    _with_cells(folder, *["pass"] * 4_000)


def _too_many_cells(folder: Path) -> None:
    _with_cells(folder, *["pass"] * 5_001)


def _long_source(folder: Path) -> None:
    (folder / FILE).write_text(
        honest_half() + "\n# %%\n" + "pass  # and so on and so on, and more of it\n" * 100_000, encoding="utf-8"
    )


def _too_long_source(folder: Path) -> None:
    _with_cells(folder, *["#" + "x" * 999_999] * 6)


def _deep_source(folder: Path) -> None:
    """As deep as the parser goes, where a visitor written in Python would not get to the end."""
    deep = [
        "Q0_OUTPUT = " + "0" + " + 0" * depth + "\nQ0_OUTPUT = None" for depth in (900, 1_500, 2_900, 5_000)
    ]  # fmt: skip
    deep += [f"Q0_OUTPUT = Q0{'._' * depth}" for depth in (1_500, 2_900)]
    deep += [f"Q0_OUTPUT = {'[' * depth}{']' * depth}" for depth in (90, 190)]
    deep += [f"def attend_one(query, k, v):\n    return {'not ' * depth}1" for depth in (900, 1_500)]
    _with_cells(folder, *deep, "Q0_OUTPUT = None", "def attend_one(query, k, v):\n    raise NotImplementedError")


def _dotted_import(folder: Path) -> None:
    """The parser keeps every beginning of a dotted name: time and memory grow with the square of its length."""
    _with_cells(folder, "Q0_OUTPUT = None\nimport " + "a." * 149_000 + "a")


def _compile_bombs(folder: Path) -> None:
    """Source that costs whoever compiles it memory, or overflows its stack."""
    bombs = [
        "(" * 9_000 + ")" * 9_000,
        "x = " + "-" * 100_000 + "1",
        "x = " + "1 + " * 9_000 + "1",
        "x = math" + ".a" * 9_000,
        "x = " + "lambda: " * 3_000 + "1",
        "if 1:\n" + "".join(" " * depth + "if 1:\n" for depth in range(1, 99)) + " " * 99 + "pass",
        "f'" + "{x!r:{x}}" * 900 + "'",
        "x = " + "'a' 'b' " * 50_000,
        "x = (1 << 8_000) * (1 << 8_000)" + " * (1 << 8_000)" * 500,
        "def f(" + ", ".join(f"a{number}=0" for number in range(3_000)) + "): pass",
        "import " + ".".join(["torch"] * 3_000),
    ]
    _with_cells(folder, *bombs)


def _forged_outputs(folder: Path) -> None:
    """Outputs and metadata that say that everything is right, with HTML and scripts among them."""
    document: dict[str, Any] = json.loads(notebook(_cells()))
    script = "<script>alert(1)</script><b>100 of 100 points</b>"
    result = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "100.0"}}
    shown = {"output_type": "display_data", "metadata": {}, "data": {"text/html": script, "image/svg+xml": script}}
    for number, cell in enumerate(document["cells"]):
        mark = {"grade": True, "solution": True, "locked": False, "points": 100, "score": 100, "schema_version": 3}
        cell["metadata"] = {"nbgrader": {**mark, "grade_id": f"attention{number}"}, "trusted": True}
        cell["outputs"] = [shown, result]
        cell["execution_count"] = 1
    document["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": script}]
    document["metadata"] = {"score": 100, "kernelspec": {"name": "../../bin/sh", "display_name": script}}
    (folder / NOTEBOOK).write_text(json.dumps(document), encoding="utf-8")


def _odd_json(folder: Path) -> None:
    """Numbers that are none, keys that stand twice, cells that are no cells, halves of characters."""
    text = notebook(_cells())
    odd = '{"cell_type": "code", "source": ["\\ud800", "\\udc00 = 1\\n"], "cell_type": "code"}'
    more = (
        f'17, null, [], {{"cell_type": ["code"]}}, {{"cell_type": "code", "source": 3}}, {odd}, NaN, -Infinity, 1e999'
    )
    text = text.replace('"cells": [', f'"score": 1e999, "nbformat": NaN, "cells": [{more}, ', 1)
    (folder / NOTEBOOK).write_text(text, encoding="utf-8")


def _deep_json(folder: Path) -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    text = notebook(_cells()).replace('"metadata": {}', f'"metadata": {deep}', 1)
    (folder / NOTEBOOK).write_text(text, encoding="utf-8")


def _endless_json(folder: Path) -> None:
    text = notebook(_cells()).replace('"metadata": {}', '"metadata": {"a": [' + "[]," * 4_000_001 + "1]}", 1)
    (folder / NOTEBOOK).write_text(text, encoding="utf-8")


_READ = "reading the source as data, with limits of characters, cells and depth; outputs and metadata are never read."
_MADE = [
    Attack(
        "machine-very-many-cells",
        "to keep the grader busy with 4,000 cells that do nothing.",
        "one time for all cells of a submission together, twelve times that of one.",
        _very_many_cells,
    ),
    Attack(
        "machine-too-many-cells",
        "the same with more cells than a notebook may have.",
        "a limit of 5,000 cells, past which the file is refused with a sentence.",
        _too_many_cells,
        0,
        "more than 5,000 cells",
        exit=1,
    ),
    Attack("machine-long-source", "to hold the grader up with a cell of 4.5 million characters.", _READ, _long_source),
    Attack(
        "machine-too-long-source",
        "the same with six million characters.",
        "a limit of 5 million characters, past which the file is refused with a sentence.",
        _too_long_source,
        0,
        "over 5 million characters",
        exit=1,
    ),
    Attack(
        "machine-deep-source",
        "to overflow the grader's own reading of the source, by expressions as deep as Python still parses.",
        "walking a syntax tree without recursion; what cannot be parsed is read as text.",
        _deep_source,
        says="raised",
    ),
    Attack(
        "machine-dotted-import",
        "to have the grader's own parser fill the memory, by the name of one module with thousands of dots.",
        "not parsing what has more dots than any honest cell; whoever runs it has a limit of memory.",
        _dotted_import,
        says="raised",
        seconds=30.0,
    ),
    Attack(
        "machine-compile-bombs",
        "to overflow the parser or the compiler, or to fill memory, by source that is nested or folded without end.",
        "compiling in the child alone; the grader parses no more than 300,000 characters, and catches what comes.",
        _compile_bombs,
        says="raised",
    ),
    Attack(
        "people-forged-outputs",
        "to be graded by outputs and metadata that say 100 points, and to have HTML in them shown as feedback.",
        "grading the source alone: outputs and metadata of what was handed in are never read.",
        _forged_outputs,
    ),
    Attack(
        "people-odd-json",
        "to break whoever reads the notebook as JSON, by values that are no JSON or no cells.",
        "reading each cell for itself: what is none is left out, with a sentence.",
        _odd_json,
        says="could not be read",
    ),
    Attack(
        "people-deep-json",
        "to overflow the reader's stack by metadata that is nested a hundred thousand times.",
        "catching what the parser raises; the file is refused with a sentence.",
        _deep_json,
        0,
        "nested too deeply",
        exit=1,
    ),
    Attack(
        "people-endless-json",
        "to fill the grader's memory by four million empty lists in twelve megabytes.",
        "counting values before they are parsed; the file is refused with a sentence.",
        _endless_json,
        0,
        "too much in its outputs",
        exit=1,
    ),
]
MADE: list[Attack] = [*_MADE, *MADE_FILES, *MADE_PEOPLE]
