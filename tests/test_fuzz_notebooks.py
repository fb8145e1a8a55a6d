"""Whatever stands in a notebook file: it is read or refused in a sentence, and made one that nbgrader can grade."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nbgrader.nbgraderformat import MetadataValidator

from grader.autograding.handed_in import read_notebook
from grader.autograding.repair import MOST_PICTURES, repaired
from grader.autograding.source import SourceCell
from grader.questions import question_of
from grader.reading.attempt import attempted, cell_of, similar
from tests.fuzzing import (
    CLASS,
    LESSON,
    ROOT,
    Draw,
    assert_sentence,
    deep,
    encoded,
    fuzzed,
    json_values,
    read_or_refused,
    spoil,
    spoil_bytes,
    texts,
)

RELEASED = json.loads((ROOT / "exercises" / LESSON / "attention.ipynb").read_text(encoding="utf-8"))
NOTEBOOKS = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(CLASS.glob("*/attention.ipynb"))]
SHORT = [{**notebook, "cells": notebook["cells"][:12]} for notebook in (RELEASED, *NOTEBOOKS)]
NAMES = {"attention", "mix_rows", "V_ROW_WEIGHTS"}
SECONDS = 5.0  # of processor time, for one file


def source_cell(cell: dict[str, Any]) -> SourceCell:
    mark = cell["metadata"]["nbgrader"]
    flags = {name: mark[name] for name in ("locked", "grade", "solution", "task", "checksum", "cell_type")}
    return SourceCell(id=mark["grade_id"], source="".join(cell["source"]), points=mark.get("points"), **flags)


SOURCE = tuple(source_cell(cell) for cell in RELEASED["cells"] if "nbgrader" in cell["metadata"])
BACK = {cell.id: cell for cell in SOURCE if cell.comes_back}
cells = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | json_values,
        "source": st.sampled_from(["check('attention')", "def attention(q): ...", "![x](attachment:a%20b.png)"])
        | st.lists(texts | json_values, max_size=3)
        | json_values,
        "metadata": st.fixed_dictionaries({"nbgrader": st.dictionaries(texts, json_values, max_size=3)}) | json_values,
        "id": st.sampled_from(["a", "a", "b"]) | json_values,
        "attachments": st.dictionaries(
            texts, st.dictionaries(st.sampled_from(["image/png", "image/\ud800", "image/x\n"]), texts), max_size=2
        )
        | json_values,
        "outputs": json_values,
    },
)


@st.composite
def notebook_files(draw: Draw) -> bytes:
    """Real notebooks with something changed, files of any cells, and any bytes at all."""
    document: Any = draw(st.sampled_from(SHORT))
    how = draw(st.sampled_from(["real", "real", "cells", "values", "bytes"]))
    if how == "bytes":
        return draw(st.binary(max_size=200))
    if how == "real":
        document = spoil(draw, document, values=json_values | cells)
    elif how == "cells":
        document = {**document, "cells": draw(st.lists(cells | json_values, max_size=5))}
    else:
        document = draw(json_values)
    text = json.dumps(document, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()) and text.startswith("{"):  # of two equal names, JSON's readers take the last
        text = '{"cells": 5, "nbformat": NaN, ' + text[1:].replace('"metadata"', '"source"', draw(st.integers(0, 3)))
    return spoil_bytes(draw, encoded(draw, text))


@fuzzed(80)
@example(b'{"cells": [{"cell_type": "code", "id": ' + b"[" * 980 + b"]" * 980 + b', "source": "x"}]}')
@given(notebook_files())
def test_a_notebook_file_is_read_or_refused_in_a_sentence(data: bytes) -> None:
    started = time.process_time()
    submission = read_or_refused("attention.ipynb", data)
    if submission is not None:
        attempted(submission, NAMES)
        cell_of(submission, "attention")
        similar(submission, "attention", NAMES)
    assert time.process_time() - started < SECONDS


HALF = {"cell_type": "markdown", "source": "x", "attachments": {"a\ud800": {"image/png": "\ud800"}}}
MANY = {"cell_type": "markdown", "source": "attachment:a " * (MOST_PICTURES + 1)}


@fuzzed(60)
@example(json.dumps({"nbformat": 4, "cells": [HALF]}).encode())
@example(json.dumps({"nbformat": 4, "cells": [MANY]}).encode())
@example(json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "x" * 6_000_000}]}).encode())
@given(notebook_files())
def test_a_notebook_file_is_repaired_to_one_that_nbgrader_can_grade(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "attention.ipynb"
    path.write_bytes(data)
    started = time.process_time()
    made = read_notebook(path, SOURCE)
    assert time.process_time() - started < SECONDS
    for note in made.notes:
        assert_sentence(note)
    assert_gradable(made.notebook)


def assert_gradable(notebook: dict[str, Any]) -> None:
    """A valid notebook that can be written, with each cell of the assignment once, and its marks as released."""
    text = json.dumps(notebook, ensure_ascii=False).encode("utf-8")
    assert len(text) < 20_000_000
    node = nbformat.from_dict(notebook)
    nbformat.validate(node)
    MetadataValidator().validate_nb(node)
    marked = [cell for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    found = {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in marked}
    assert len(marked) == len(found)
    assert found.keys() >= BACK.keys()
    for mark in SOURCE:
        if mark.id in found:
            assert found[mark.id]["metadata"]["nbgrader"] == mark.metadata
            assert found[mark.id]["cell_type"] == mark.cell_type
            assert not mark.locked or found[mark.id]["source"] == mark.source


def test_a_repaired_notebook_is_repaired_to_itself() -> None:
    made = repaired("attention.ipynb", RELEASED, SOURCE)
    assert made.notes == ()
    assert repaired("attention.ipynb", made.notebook, SOURCE) == made
    assert any(question_of(cell["source"]) for cell in made.notebook["cells"])


def test_an_id_of_any_depth_is_no_id(tmp_path: Path) -> None:
    made = repaired(
        "attention.ipynb", {"nbformat": 4, "cells": [{"cell_type": "code", "source": "x", "id": deep(9)}]}, ()
    )
    assert made.notebook["cells"][0]["id"] == "cell-1"
