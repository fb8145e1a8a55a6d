"""Whatever stands in a script: it is read or refused in a sentence, looked through without running, and graded."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.reading.attempt import attempted, cell_of, choose, similar, untouched, without_magics
from grader.reading.submission import Cell, Submission
from grader.results import Result, result_from_json
from grader.sandbox.sandbox import Sandbox
from tests.fuzzing import CLASS, LESSON, ROOT, Draw, encoded, fuzzed, read_or_refused, spoil_bytes, texts

CASES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/cases/attention").glob("*.py"))]
SCRIPTS = [
    path.read_text(encoding="utf-8")
    for path in (ROOT / "exercises" / LESSON / "attention.py", *sorted(CLASS.glob("*/attention.py")))
]
NAMES = {"attention", "mix_rows", "V_ROW_WEIGHTS", "ª"}
SECONDS = 4.0  # of processor time, for one script
GRADED_SECONDS = 5.0  # for one question

LINES = (
    *(
        "# %%",
        "# %% [markdown]",
        "#%%",
        "# %%%% title [raw]",
        "%%time",
        "%%bash",
        "!ls",
        "x = !ls",
        "help?",
        "%pip x \\",
    ),
    *(
        "def attention(q, k, v):",
        "    return v",
        "    pass",
        "\tpass",
        "class attention: ...",
        "attention = None",
        "```",
    ),
    *(
        "if True:",
        "else:",
        "'''",
        '"""',
        "(",
        "]",
        "\\",
        "@x",
        "lambda: (yield)",
        "await x",
        "from x import *",
        "π = ª = 1",
    ),
    *(
        "# -*- coding: latin-1 -*-",
        "# coding: utf-7",
        "# coding: rot13",
        "# coding: idna",
        "# vim: set fileencoding=mbcs",
    ),
    *(
        "x: int",
        "attention: 'y' = None",
        "(attention := 1)",
        "match x:",
        "    case attention: pass",
        "a, *mix_rows = b",
    ),
    *(
        "raise SystemExit",
        "import os; os._exit(0)",
        "raise ValueError('\\ud800')",
        "del attention",
        "V_ROW_WEIGHTS = 'C'",
    ),
    *(
        "x" * 3_000,
        "(" * 300,
        "-" * 3_000 + "1",
        "x" + ".y" * 3_000,
        "[" * 90 + "]" * 90,
        "9" * 5_000,
        "f'{f'{1}'}'",
        "\f",
    ),
)
NESTED = {
    "brackets": "(" * 50_000,
    "signs": "-" * 100_000 + "1",
    "attributes": "x" + ".y" * 70_000,
    "conditions": "1 if x else " * 20_000 + "1",
    "comparisons": "not " * 70_000 + "x",
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(200)),
    "operators": "x" + "+x" * 100_000,
    "calls": "x" + "()" * 100_000,
    "formatted": "f'" + "{x}" * 50_000 + "'",
    "strings": "'a' " * 70_000,
    "lines": "\n" * 200_000,
    "markers": "# %%\n" * 4_000,
    "targets": "a=" * 30_000 + "1",
    "definitions": "def a(): pass\n" * 5_000,
    "words": "def " * 70_000,
}


@st.composite
def sources(draw: Draw) -> str:
    """A real script, or a real cell, with lines taken out, put in, doubled and exchanged, or any text."""
    how = draw(st.sampled_from(["script", "case", "case", "lines", "text"]))
    if how == "text":
        return "\n".join(draw(st.lists(texts, max_size=6)))
    whole = draw(st.sampled_from(SCRIPTS if how == "script" else CASES)) if how != "lines" else ""
    lines = whole.split("\n")
    for _ in range(draw(st.integers(1, 6))):
        _change(draw, lines)
    return draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n"])).join(lines)


def _change(draw: Draw, lines: list[str]) -> None:
    at, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    how = draw(st.sampled_from(["put", "put", "take", "double", "exchange", "turn", "indent", "cut"]))
    if how == "take" and len(lines) > 1:
        del lines[at]
    elif how == "double":
        lines.insert(at, lines[other])
    elif how == "exchange":
        lines[at], lines[other] = lines[other], lines[at]
    elif how == "turn":
        words = lines[at].split(" ")
        words[draw(st.integers(0, len(words) - 1))] = draw(
            texts | st.sampled_from(["@", "None", "q", "k.T", "0", "=="])
        )
        lines[at] = " ".join(words)
    elif how == "indent":
        lines[at] = draw(st.sampled_from([" ", "    ", "\t", "\u3000"])) + lines[at]
    elif how == "cut":
        lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
    else:
        lines.insert(at, draw(st.sampled_from(LINES) | texts))


@st.composite
def script_files(draw: Draw) -> bytes:
    return (
        spoil_bytes(draw, encoded(draw, draw(sources()))) if draw(st.integers(0, 9)) else draw(st.binary(max_size=99))
    )


@fuzzed(100)
@example(b"# coding: undefined\nx")
@example(b"\xef\xbb\xbf# coding: latin-1\nx")
@example(b"\xff\xfe\0\0x")
@example(b"# coding: utf-7\n+2AA-")
@given(script_files())
def test_a_script_is_read_or_refused_in_a_sentence_and_looked_through(data: bytes) -> None:
    started = time.process_time()
    submission = read_or_refused("attention.py", data)
    if submission is not None:
        look_through(submission)
    assert time.process_time() - started < SECONDS


@fuzzed(50)
@given(st.lists(sources(), min_size=1, max_size=3))
def test_cells_of_any_text_are_looked_through(texts_of_cells: list[str]) -> None:
    plain = [{"cell_type": "code", "source": source} for source in texts_of_cells]
    submission = read_or_refused("attention.ipynb", json.dumps({"nbformat": 4, "cells": plain}).encode())
    assert submission is not None
    look_through(submission)


def look_through(submission: Submission) -> None:
    """All that is known of a submission before it runs."""
    stubs = untouched(submission, NAMES)
    assert stubs <= NAMES
    assert attempted(submission, NAMES) == (stubs != NAMES)
    assert choose([submission], NAMES) == (submission, None)
    numbers = {cell.number for cell in submission.cells}
    for name in NAMES:
        assert cell_of(submission, name) in {None, *numbers}
        assert similar(submission, name, NAMES) not in NAMES
    for cell in submission.cells:
        assert without_magics(cell.source) == "" or without_magics(cell.source).count("\n") == cell.source.count("\n")


@pytest.mark.parametrize("name", NESTED)
def test_a_script_nested_or_long_beyond_reason_is_looked_through_in_time(name: str) -> None:
    started = time.process_time()
    submission = read_or_refused("attention.py", (NESTED[name] + "\nattention = 1").encode())
    assert submission is not None
    assert "attention" not in untouched(submission, NAMES)
    similar(submission, "attention", NAMES)
    assert time.process_time() - started < SECONDS


def test_many_long_cells_are_looked_through_in_time() -> None:
    cells = tuple(Cell(number, NESTED["targets"], 1) for number in range(1, 70))
    started = time.process_time()
    assert untouched(Submission("alice", "attention.ipynb", "notebook", cells, "", ()), {"a"}) == set()
    assert time.process_time() - started < SECONDS


# --- graded, for real --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grading(key: AnswerKey) -> Grading:
    return Grading(key, GRADED_SECONDS)


@fuzzed(10, share=0.05)
@example("def attention(q, k, v):\n    raise ValueError('\\ud800')", "notebook")
@example("import torch\ndef attention(q, k, v):\n    q.data = q.data.double()\n    return v, v, v", "script")
@given(sources(), st.sampled_from(["notebook", "script"]))
def test_any_code_gets_a_result_and_gets_it_again(
    any_sandbox: Sandbox, grading: Grading, source: str, kind: Any
) -> None:
    name = "attention.ipynb" if kind == "notebook" else "attention.py"
    plain = {"nbformat": 4, "cells": [{"cell_type": "code", "source": source}]}
    submission = read_or_refused(name, json.dumps(plain).encode() if kind == "notebook" else as_utf8(source))
    assert submission is not None
    started = time.monotonic()
    result = grading.grade(submission, any_sandbox)
    assert time.monotonic() - started < 12 * GRADED_SECONDS
    assert_valid(result, grading.key)
    assert without_seconds(grading.grade(submission, any_sandbox)) == without_seconds(result)


def as_utf8(source: str) -> bytes:
    """The script's bytes, without a word on their encoding."""
    return source.replace("coding", "cod ing").encode("utf-8", "replace")


def assert_valid(result: Result, key: AnswerKey) -> None:
    """A grade as the contract has it, none of it for a fault of ours."""
    assert result.status == "graded", result
    assert 0 <= result.score <= result.max_score == key.points
    for question in result.questions:
        assert question.status != "grader_error", question
        assert 0 <= question.score <= question.max_score
    written = json.dumps(result.to_json(), allow_nan=False)
    assert result_from_json(json.loads(written)).to_json() == result.to_json()
    assert len(written) < 200_000
    json.dumps(result.to_json(), ensure_ascii=False).encode()  # no half characters, which cannot be written


def without_seconds(result: Result) -> Result:
    return replace(result, questions=tuple(replace(question, seconds=0.0) for question in result.questions))


def test_what_the_fuzzing_starts_from_is_graded_in_full(any_sandbox: Sandbox, grading: Grading) -> None:
    right = (CLASS / "ben-all-right-script/attention.py").read_text(encoding="utf-8")
    submission = Submission("alice", "attention.py", "script", (Cell(1, right, 1),), "0" * 64, ())
    result = grading.grade(submission, any_sandbox)
    assert_valid(result, grading.key)
    assert result.score == 100
