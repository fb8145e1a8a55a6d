"""What check() draws of a public example: which part, what is marked, and where to begin."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.public import Miss, Picture, expect_figures
from grader.student.heat import Heat, heats_html, heats_text
from grader.student.picture import drawn

SCORES, WEIGHTS, OUTPUT = [[0.0, 1.0986]], [[0.25, 0.75]], [[2.0]]
FIGURES = {"scores": SCORES, "weights": WEIGHTS, "output": OUTPUT}
ATTEND = Picture("attend(Q, K, V)", lambda student: student(), FIGURES, "output scores weights", "weights")
SINGLE = Picture("mix(rows)", lambda student: student(), [1.0, 2.0])


def back(output: Any = OUTPUT, scores: Any = SCORES, weights: Any = WEIGHTS) -> tuple[torch.Tensor, ...]:
    """What a student's function gave."""
    return tuple(torch.tensor(part) for part in (output, scores, weights))


def test_the_weights_are_shown_where_all_is_right() -> None:
    drawing = drawn(ATTEND, back())
    assert drawing is not None
    assert drawing.wrong is None
    assert drawing.shown.name == "weights"
    assert drawing.begin() == ""


@pytest.mark.parametrize(
    ("given", "part", "begin"),
    [
        (back(output=[[3.0]]), "output", "Scores and weights are as expected, and output is not: begin there."),
        (back(output=[[3.0]], weights=[[0.5, 0.5]]), "weights", "Scores are as expected, and weights are not"),
        (back([[3.0]], [[1.0, 1.0]], [[0.5, 0.5]]), "scores", "Begin with scores: the rest is made of them."),
        (back(output=[[3.0, 3.0]]), "output", "Scores and weights are as expected"),
    ],
)
def test_the_first_wrong_part_in_the_order_of_the_calculation_is_shown(given: Any, part: str, begin: str) -> None:
    drawing = drawn(ATTEND, given)
    assert drawing is not None
    assert drawing.shown.name == part
    assert drawing.begin().startswith(begin)


@pytest.mark.parametrize(
    ("given", "begin"),
    [
        (back(WEIGHTS, SCORES, OUTPUT), "What came back as weights is what output should be"),
        (back(SCORES, OUTPUT, WEIGHTS), "What came back as scores is what output should be"),
        (back(OUTPUT, WEIGHTS, SCORES), "What came back as scores is what weights should be"),
    ],
)
def test_parts_in_another_order_are_told_as_such(given: Any, begin: str) -> None:
    drawing = drawn(ATTEND, given)
    assert drawing is not None
    assert drawing.begin() == f"{begin}: mind the order of what you return."


def test_only_what_differs_is_marked() -> None:
    drawing = drawn(SINGLE, torch.tensor([1.00004, 2.1]))
    assert drawing is not None
    assert drawing.shown.wrong is not None
    assert drawing.shown.wrong.tolist() == [False, True]


@pytest.mark.parametrize("given", [None, 3.0, [1.0, 2.0], (1, 2, 3), torch.ones(0), {"a": torch.ones(2)}])
def test_what_cannot_be_drawn_is_left_to_the_checks(given: Any) -> None:
    assert drawn(SINGLE, given) is None
    assert drawn(ATTEND, given) is None


def test_the_figures_of_a_picture_are_a_check_as_well() -> None:
    expect_figures(back, ATTEND)
    expect_figures(lambda: torch.tensor([1.0, 2.0]), SINGLE)
    with pytest.raises(Miss, match="weights are wrong in 2 of 2 places"):
        expect_figures(lambda: back(weights=[[0.5, 0.5]]), ATTEND)
    with pytest.raises(Miss, match="expected three things"):
        expect_figures(lambda: None, ATTEND)


def test_two_tables_have_the_same_colour_for_the_same_number() -> None:
    html = heats_html([Heat(torch.tensor([[2.0]]), largest=4.0), Heat(torch.tensor([[2.0, 4.0]]), largest=4.0)])
    colours = [part.partition(";")[0] for part in html.split("background:rgb")[1:]]
    assert colours[0] == colours[1] != colours[2]


def test_tables_of_different_heights_stand_beside_each_other_as_text() -> None:
    tall, low = torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0]])
    heats = [Heat(low, "yours", is_weights=False), Heat(tall, "expected", is_weights=False)]
    assert heats_text(heats).splitlines() == [
        "          yours     expected",
        "row 0:    3.0000    1.0000",
        "row 1:              2.0000",
    ]


def test_of_a_batch_the_first_text_is_drawn() -> None:
    heat = Heat(torch.arange(8.0).reshape(2, 2, 2))
    assert heat.rows == [[0.0, 1.0], [2.0, 3.0]]
