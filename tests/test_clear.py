"""Our step in generate_assignment: the stub goes where it would stop a notebook, and stays in functions."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.converters import GenerateAssignment

from grader.releasing.clear import STUB, DropTopLevelStub, steps


def cleared(source: str) -> str:
    cell, _ = DropTopLevelStub().preprocess_cell(new_code_cell(source), {}, 0)
    return str(cell.source)


def test_our_steps_are_those_of_nbgrader_and_one_more() -> None:
    assert [step for step in steps() if step is not DropTopLevelStub] == GenerateAssignment.preprocessors.default()


def test_a_stub_in_a_function_stays() -> None:
    assert cleared(f"def mix(rows):\n    {STUB}") == f"def mix(rows):\n    {STUB}"


def test_a_number_question_keeps_its_none() -> None:
    assert cleared(f"FIRST = None  # a number\n{STUB}\nSECOND = None") == "FIRST = None  # a number\nSECOND = None"


@pytest.mark.parametrize("source", [STUB, f"\n{STUB}\n"])
def test_a_cell_that_was_all_solution_becomes_an_invitation(source: str) -> None:
    assert cleared(source) == "# Write your code here."


def test_comments_alone_are_no_code() -> None:
    assert cleared(f"# Two tables.\n{STUB}") == "# Two tables.\n# Write your code here."


@pytest.mark.parametrize("above", ["def mix(rows):", "def mix(rows):\n    'Mix.'", "for row in rows:"])
def test_a_stub_at_the_margin_below_a_block_is_the_authors_slip(above: str) -> None:
    with pytest.raises(RuntimeError, match="stands at the left margin; indent it like the code that it hides"):
        cleared(f"{above}\n{STUB}")


def test_blank_lines_around_a_cell_and_carriage_returns_go() -> None:
    assert cleared("\n\nx = 1\r\n\r\ny = 2\n \n") == "x = 1\n\ny = 2"


def test_text_cells_are_left_alone() -> None:
    cell, _ = DropTopLevelStub().preprocess_cell(new_markdown_cell(f"\n{STUB}\n"), {}, 0)
    assert cell.source == f"\n{STUB}\n"
