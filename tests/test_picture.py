"""What check() draws of a public example: which part, what is marked, and where to begin."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.public import Miss, Picture, expect_figures
from grader.student.heat import Heat, heats_text
from grader.student.picture import drawn, off_sums
from grader.student.question_card import question_card
from grader.student.tally import Question, Said, Tally

NAN = float("nan")
SCORES, WEIGHTS, OUTPUT = [[0.0, 1.0986]], [[0.25, 0.75]], [[2.0]]
FIGURES = {"scores": SCORES, "weights": WEIGHTS, "output": OUTPUT}
ATTEND = Picture("attend(Q, K, V)", lambda student: student(), FIGURES, "output scores weights", "weights")
SINGLE = Picture("mix(rows)", lambda student: student(), [1.0, 2.0])


def back(output: Any = OUTPUT, scores: Any = SCORES, weights: Any = WEIGHTS) -> tuple[torch.Tensor, ...]:
    """What a student's function gave."""
    return tuple(torch.as_tensor(part) for part in (output, scores, weights))


# A question whose check did not hold, and says no place.
FAILED = Said("attend", "it attends", "failed", "attend(Q, K, V): wrong.", name="attend")
ATTENDED = Tally("attend", Question(5, ("attend",)), 1, 1, [FAILED])


def test_the_weights_are_shown_where_all_is_right() -> None:
    drawing = drawn(ATTEND, back())
    assert drawing is not None
    assert drawing.first_wrong is None
    assert drawing.shown.name == "weights"
    assert drawing.begin() == ""


@pytest.mark.parametrize(
    ("given", "part", "begin"),
    [
        (
            back(output=[[3.0]]),
            "output",
            "Scores and weights are right; output is not. Begin with output: compare what",
        ),
        (
            back(output=[[3.0]], weights=[[0.5, 0.5]]),
            "weights",
            "Scores are right; weights are not. Begin with weights",
        ),
        (back([[3.0]], [[1.0, 1.0]], [[0.5, 0.5]]), "scores", "Begin with scores: compare what is marked"),
        (
            back([[3.0, 3.0]]),
            "output",
            "Scores and weights are right; output is not. Output is of shape [1, 2], not [1, 1]",
        ),
        (
            back(weights=[[0.5, NAN]]),
            "weights",
            "Scores are right; weights are not. Weights hold NaN or infinity: begin",
        ),
        (
            back(weights=[[2.0, 3.0]]),
            "weights",
            "Scores are right; weights are not. Row 0 does not sum to 1: begin",
        ),
        (
            back(weights=torch.tensor(WEIGHTS).double()),
            "weights",
            "Scores are right; weights are not. Weights are float64,",
        ),
    ],
)
def test_the_first_wrong_part_in_the_order_of_the_calculation_is_shown(given: Any, part: str, begin: str) -> None:
    drawing = drawn(ATTEND, given)
    assert drawing is not None
    assert drawing.shown.name == part
    assert drawing.begin().startswith(begin)
    assert question_card(ATTENDED, drawing).step == drawing.begin()
    assert question_card(ATTENDED, drawing).tables


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
    assert question_card(ATTENDED, drawing).step == f"{begin}: mind the order of what you return."


def test_only_what_differs_is_marked() -> None:
    drawing = drawn(SINGLE, torch.tensor([1.00004, 2.1]))
    assert drawing is not None
    assert drawing.shown.differs is not None
    assert drawing.shown.differs.tolist() == [False, True]


def test_a_picture_in_which_all_is_right_does_not_praise_a_question_that_is_not() -> None:
    card = question_card(ATTENDED, drawn(ATTEND, back()))
    assert not card.tables
    assert card.step == "Change attend() in the cell above and run it; then run this check again."


@pytest.mark.parametrize(
    "wrong",
    [
        {"figures": {"outptu": OUTPUT}, "returns": "output scores"},
        {"figures": {"output": OUTPUT}},
        {"figures": OUTPUT, "returns": "output scores"},
        {"figures": OUTPUT, "weights": "weights"},
    ],
)
def test_names_of_a_picture_that_do_not_fit_together_are_the_authors_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="what comes back is"):
        Picture("f(x)", back, **wrong)


def test_seven_rows_that_sum_to_something_else_are_not_all_named() -> None:
    assert off_sums(torch.ones(7, 2)) == "rows 0, 1, 2, 3, 4 and 2 more do not sum to 1"
    assert off_sums(torch.tensor([[0.5, 0.5], [NAN, 0.5]])) == ""


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
    card = question_card(ATTENDED, drawn(SINGLE, torch.tensor([2.0, 2.0])))  # 1 and 2 are expected
    colours = [part.partition(";")[0] for part in card.html().split("background:rgb")[1:]]
    assert colours[0] == colours[1] == colours[3] != colours[2]


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
