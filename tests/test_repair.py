"""A submitted notebook is made one that nbgrader can grade, whatever stands in it; a student's own work stays."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.nbgraderformat import MetadataValidator

from grader.autograding.repair import repaired
from grader.autograding.source import SourceCell
from grader.reading.submission import Unreadable


def source_cell(id: str, source: str, kind: str = "code", **flags: Any) -> SourceCell:
    known = {"locked": False, "grade": False, "solution": False, "task": False, "points": None, **flags}
    return SourceCell(id=id, cell_type=kind, source=source, checksum="c" * 32, **known)


HIDDEN = "### BEGIN HIDDEN TESTS\nassert f(2) == 4\n### END HIDDEN TESTS"
SOURCE = (
    source_cell("setup", "import math", locked=True),
    source_cell("f_answer", "def f(x): ...", solution=True),
    source_cell("f", f"assert f(1) == 1\n{HIDDEN}", locked=True, grade=True, points=2.0),
    source_cell("essay", "Your text", "markdown", grade=True, solution=True, points=3.0),
    source_cell("plan", "Make a plan", "markdown", task=True, points=1.0),
)


def cell(source: str, kind: str = "code", **mark: Any) -> dict[str, Any]:
    known = {"grade": False, "solution": False, "task": False, "locked": False, "schema_version": 3}
    metadata = {"nbgrader": {**known, **mark}} if mark else {}
    rest = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": metadata, "source": source, **rest}


def honest() -> list[dict[str, Any]]:
    return [
        cell("import math", grade_id="setup", locked=True),
        cell("def f(x): return x * x", grade_id="f_answer", solution=True),
        cell("assert f(1) == 1", grade_id="f", grade=True, locked=True, points=2),
        cell("My text", "markdown", grade_id="essay", grade=True, solution=True, points=3),
        cell("My plan", "markdown", grade_id="plan", task=True, points=1),
    ]


def repair(cells: Any, **notebook: Any) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    made = repaired("p.ipynb", {"nbformat": 4, "cells": cells, **notebook}, SOURCE)
    node = nbformat.from_dict(made.notebook)
    nbformat.validate(node)
    MetadataValidator().validate_nb(node)
    return made.notebook["cells"], made.notes


def ids(cells: list[dict[str, Any]]) -> list[str | None]:
    return [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]


def test_an_honest_notebook_gets_its_hidden_tests_and_no_note() -> None:
    cells, notes = repair(honest())
    assert notes == ()
    assert ids(cells) == [cell.id for cell in SOURCE]
    assert cells[1]["source"] == "def f(x): return x * x"
    assert cells[2]["source"] == SOURCE[2].source
    assert cells[3]["source"] == "My text"


@pytest.mark.parametrize("place", range(5))
def test_a_missing_cell_comes_back_where_it_stood_unless_it_was_the_students_own(place: int) -> None:
    cells = honest()
    del cells[place]
    made, notes = repair(cells)
    if SOURCE[place].id == "f_answer":
        assert ids(made) == ["setup", "f", "essay", "plan"]
        assert notes == ()
    else:
        assert ids(made) == [cell.id for cell in SOURCE]
        assert notes == (f"`{SOURCE[place].id}` was missing and was put back.",)


def test_cells_that_a_student_added_stay_where_they_are() -> None:
    cells = honest()
    cells.insert(2, cell("helper = 1"))
    made, notes = repair(cells)
    assert made[2]["source"] == "helper = 1"
    assert notes == ()


def test_of_copies_the_last_of_the_right_type_counts() -> None:
    cells = honest()
    cells.insert(2, cell("def f(x): return x ** 2", grade_id="f_answer", solution=True))
    cells.insert(3, cell("def f(x)", "markdown", grade_id="f_answer", solution=True))
    made, notes = repair(cells)
    assert ids(made)[:4] == ["setup", None, "f_answer", None]
    assert notes == ("`f_answer` was there more than once; the last one counts.",)


def test_marks_and_points_are_those_of_the_gradebook() -> None:
    cells = honest()
    cells[2]["metadata"]["nbgrader"].update(points=50, grade=False)
    made, notes = repair(cells)
    assert made[2]["metadata"]["nbgrader"]["points"] == 2.0
    assert made[2]["metadata"]["nbgrader"]["grade"] is True
    assert notes == ("`f` had other marks or points; they were put back.",)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_older_schema_is_no_change_of_the_students(version: int) -> None:
    cells = honest()
    for one in cells:
        one["metadata"]["nbgrader"]["schema_version"] = version
        del one["metadata"]["nbgrader"]["task"]
    assert repair(cells)[1] == ()


def test_a_mark_of_another_assignment_is_taken_off() -> None:
    made, notes = repair([*honest(), cell("x", grade_id="other`<b>", grade=True, points=9)])
    assert ids(made)[-1] is None
    assert notes == ("`other?<b>` is a mark that this assignment does not know; it was taken off its cell.",)


def test_no_cell_of_the_assignment_at_all_is_told_once() -> None:
    made, notes = repair([cell("x = 1")])
    assert notes == ("p.ipynb holds none of the cells that this assignment came with: is it the right file?",)
    assert ids(made) == [None, "setup", "f", "essay", "plan"]
    assert repaired("p.ipynb", {"cells": []}, SOURCE).empty == notes[0]


def test_nothing_read_gives_a_notebook_of_what_is_graded() -> None:
    made = repaired("p.ipynb", None, SOURCE)
    assert ids(made.notebook["cells"]) == ["setup", "f", "essay", "plan"]
    assert made.notes == ()


def test_what_is_no_list_of_cells_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        repaired("p.ipynb", {"cells": "none"}, SOURCE)


def test_pictures_in_a_written_answer_stay_and_nothing_else_does() -> None:
    cells = honest()
    cells[3]["attachments"] = {"a.png": {"image/png": "AAAA", "text/html": "<b>"}, "b": 3}
    made, _ = repair(cells)
    assert made[3]["attachments"] == {"a.png": {"image/png": "AAAA"}}


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
marks = st.fixed_dictionaries(
    {},
    optional={
        "grade_id": st.sampled_from(["f", "f_answer", "essay", "x"]) | json_values,
        "grade": json_values,
        "solution": json_values,
        "points": json_values,
        "schema_version": json_values | st.sampled_from([1.0, 3.0]),
        "cell_type": json_values,
    },
)
cells_of_any_kind = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | json_values,
        "source": st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=3) | json_values,
        "metadata": st.fixed_dictionaries({"nbgrader": marks | json_values}) | json_values,
        "id": json_values,
        "attachments": json_values,
    },
)


@settings(max_examples=200, deadline=None)
@given(st.lists(cells_of_any_kind | json_values, max_size=8))
def test_any_cells_make_a_valid_notebook_with_every_graded_cell_once(cells: list[Any]) -> None:
    made, notes = repair(json.loads(json.dumps(cells)))
    found = [id for id in ids(made) if id is not None]
    assert {"setup", "f", "essay", "plan"} <= set(found)
    assert len(found) == len(set(found))
    assert next(cell for cell in made if ids([cell]) == ["f"])["source"] == SOURCE[2].source
    assert all(note.endswith((".", "?")) for note in notes)
