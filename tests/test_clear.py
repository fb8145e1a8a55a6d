"""Our steps in generate_assignment: stubs stay where they help, and question cells are worth nothing by themselves."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from grader.questions import holds_questions, question_of
from grader.releasing.clear import STUB, ClearToStub, DropTopLevelStub, FailClosed, steps

CODE = "def mix(rows):\n    ### BEGIN SOLUTION\n    return rows\n    ### END SOLUTION"
STOCK = "def mix(rows):\n    # YOUR CODE HERE\n    raise NotImplementedError()"


def cleared(source: str) -> str:
    cell, _ = DropTopLevelStub().preprocess_cell(new_code_cell(source), {}, 0)
    return str(cell.source)


def solution(source: str) -> Any:
    marks = {"grade": False, "grade_id": "mix_answer", "locked": False, "schema_version": 3, "solution": True}
    return new_code_cell(source, metadata={"nbgrader": marks | {"task": False}})


def graded(source: str, **more: Any) -> Any:
    marks = {"grade": True, "grade_id": "mix", "locked": True, "points": 5, "schema_version": 3, "solution": False}
    return new_code_cell(source, metadata={"nbgrader": marks | {"task": False} | more})


def sources(step: Any, *cells: Any) -> list[str]:
    notebook, _ = step().preprocess(new_notebook(cells=list(cells)), {})
    return [cell.source for cell in notebook.cells]


def test_our_steps_are_those_of_nbgrader_and_two_more() -> None:
    in_place_of = {ClearToStub: ClearSolutions}
    theirs = [in_place_of.get(step, step) for step in steps() if step not in (DropTopLevelStub, FailClosed)]
    assert theirs == GenerateAssignment.preprocessors.default()


@pytest.mark.parametrize(
    "source",
    [
        'check("mix")',
        "check('mix')",
        '\n  check( "mix" );  # at last\n',
        '# This cell (id:mix) was missing from the submission. It was added back by nbgrader.\n\ncheck("mix")',
        '### BEGIN HIDDEN TESTS\nraise RuntimeError("no")\n### END HIDDEN TESTS\ncheck("mix")',
    ],
)
def test_a_cell_that_only_checks_a_question_asks_it(source: str) -> None:
    assert question_of(source) == "mix"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "check()",
        "check(mix)",
        'check("a b")',
        'check("a", "b")',
        'grader.check("mix")',
        '"check("',
        '# check("mix")',
        'check("mix")\ncheck("mix")',
        '### BEGIN HIDDEN TESTS\ncheck("mix")\n### END HIDDEN TESTS',
    ],
)
def test_any_other_cell_asks_none(source: str) -> None:
    assert question_of(source) is None


@pytest.mark.parametrize(
    "own", ["def check(name):\n    assert name", "check = print", "from ok import check", "from a.b import x, check"]
)
def test_a_notebook_with_a_check_of_its_own_holds_no_questions_of_ours(own: str) -> None:
    assert holds_questions(["from grader.notebook import check", 'check("mix")'])
    assert holds_questions(["checked = 1", 'check("mix")'])
    assert not holds_questions([own, 'check("mix")'])
    assert not holds_questions(["x = 1"])


def test_a_question_cell_raises_first_and_shows_students_only_the_check() -> None:
    (closed,) = sources(FailClosed, graded('check("mix")'))
    ran: list[str] = []
    with pytest.raises(RuntimeError, match=r"counts 0: .*c\.Autograde\.autograde_preprocessors"):
        exec(closed, {"check": ran.append})
    assert ran == []
    assert question_of(closed) == "mix"
    assert sources(ClearHiddenTests, graded(closed)) == ['check("mix")']


def test_other_cells_of_the_notebook_are_not_closed() -> None:
    others = [graded("assert mix(1) == 1"), new_code_cell('check("mix")'), graded('check("mix")', solution=True)]
    others = [*others, new_markdown_cell("check"), graded("torch.check(1)")]
    assert sources(FailClosed, graded('check("mix")'), *others)[1:] == [cell.source for cell in others]


@pytest.mark.parametrize("source", ['check("mix")\ncheck("other")', "check(mix)", '%time check("mix")'])
def test_a_graded_cell_that_would_stay_open_is_the_authors_slip(source: str) -> None:
    with pytest.raises(RuntimeError, match=r"the graded cell mix calls check\(\) .* so write two cells"):
        sources(FailClosed, graded('check("mix")'), graded(source))


@pytest.mark.parametrize("own", ["x = 1", "def check(name):\n    assert name"])
def test_a_notebook_without_questions_of_ours_gets_what_nbgrader_gives(own: str) -> None:
    cells = [new_code_cell(own), solution(CODE), solution("x = 1\r\n\n"), graded("assert mix(1) == 1")]
    if own != "x = 1":
        cells.append(graded('check("mix")'))
    stock = sources(ClearSolutions, *cells)
    assert STOCK in stock
    assert sources(ClearToStub, *[solution(CODE) if cell.source == STOCK else cell for cell in cells]) == stock
    for step in (DropTopLevelStub, FailClosed):
        assert sources(step, *cells) == stock


def test_the_same_step_serves_notebooks_of_both_kinds() -> None:
    step = ClearToStub()
    ours = [solution(CODE), graded('check("mix")')]
    for cells, stub in ((ours, f"def mix(rows):\n    {STUB}"), ([solution(CODE)], STOCK)):
        notebook, _ = step.preprocess(new_notebook(cells=cells), {})
        assert notebook.cells[0].source == stub
    with contextlib.suppress(RuntimeError):
        step.preprocess(new_notebook(cells=[new_code_cell(CODE), graded('check("mix")')]), {})
    notebook, _ = step.preprocess(new_notebook(cells=[solution(CODE)]), {})
    assert notebook.cells[0].source == STOCK


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
