"""Facts about the real key of lesson 10 that no proof of `grader verify` can know; tests/test_verify.py runs those."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.key import load_key
from grader.key.values import NumberPart, Part
from grader.observing.returned import describe
from grader.verifying.answers import parts_of_key, shape_of
from grader.verifying.rehearsal import Rehearsal

ROOT = Path(__file__).resolve().parent.parent
EXERCISE = ROOT / "exercises/l10_attention"
KEY = load_key(ROOT / "solutions/keys", "l10_attention")
PARTS: dict[str, Part] = {part.name: part for part in parts_of_key(KEY)}


# --- functions ----------------------------------------------------------------------------------------


def test_a_wrong_dtype_costs_the_output_and_its_dtype_only() -> None:
    """One cause costs once: the inputs are left alone, and batches and gradients are right, in that dtype too."""
    question = KEY.code_questions["attention"]
    mistake = next(mistake for mistake in question.mistakes if mistake.name == "output_in_float32")
    graded = Rehearsal(question, KEY.secret).graded_with(mistake)
    missed = {check.name for check in graded.checks if check.status != "passed"}
    about = {"each row of the output mixes the rows of v by its weights", "the dtype of the inputs is kept"}
    assert missed <= about
    assert "the dtype of the inputs is kept" in missed


def test_nothing_is_named_for_what_is_right() -> None:
    for question in KEY.code_questions.values():
        rehearsal = Rehearsal(question, KEY.secret, draws=1)
        for function in (question.reference(), *question.alternatives):
            assert rehearsal.named(rehearsal.run(function, 0)) == ()


# --- names that hold answers --------------------------------------------------------------------------


FACTS = {
    "UNIFORM_AVERAGE": [5 / 3, 8 / 3],
    "FIXED_MIX": [1.6, 3.6],
    "SCORES_SHAPE": (4, 7),
    "OUTPUT_SHAPE": (4, 5),
    "TEN_POSITIONS_WIDTH": 2,
    "V_ROW_INCREASE": 0.8022,
    "Q0_WEIGHTS": [1 / 3, 1 / 3, 1 / 3],
    "Q0_OUTPUT": [2 / 3, 4 / 3],
}


@pytest.mark.parametrize("name", FACTS)
def test_the_figures_of_the_lesson_are_right(name: str) -> None:
    assert PARTS[name].judge(describe(FACTS[name])) is None


def by_hand() -> dict[str, Any]:
    """The answers as somebody gets them who rounds each figure to 4 decimals before going on."""
    scores = [round(raw / 1.4142, 4) for raw in (2, 1, 3)]
    powers = [round(math.exp(score), 4) for score in scores]
    weights = [round(power / round(sum(powers), 4), 4) for power in powers]
    row = [round(weights[0] + weights[2], 4), round(2 * weights[1] + 2 * weights[2], 4)]
    third = 0.3333
    return {
        "UNIFORM_AVERAGE": [round(third * 5, 4), round(third * 8, 4)],
        "ROW_WEIGHTS": weights,
        "ROW_OUTPUT": row,
        "V_ROW_INCREASE": round(0.1978 + 3 * 0.4011 - 0.5989, 4),
        "Q0_WEIGHTS": [third] * 3,
        "Q0_OUTPUT": [round(2 * third, 4), round(4 * third, 4)],
    }


@pytest.mark.parametrize("name", by_hand())
def test_figures_that_were_rounded_on_the_way_are_right(name: str) -> None:
    assert PARTS[name].judge(describe(by_hand()[name])) is None


@pytest.mark.parametrize(
    "table",
    [
        [[1, 1], [round(-2 * 0.4011 / 0.1978, 4), round(-2 * 0.4011 / 0.1978, 4)], [1, 1]],
        [[5, 0.25], [0, 0], [-5, -0.25]],
        [[0, 1], [0, 0], [0, -1]],
    ],
)
def test_values_that_cancel_are_right(table: list[list[float]]) -> None:
    assert PARTS["CANCEL_V"].judge(describe(table)) is None


@pytest.mark.parametrize(
    "table",
    [
        [[1, 0], [0, 2], [1, 2]],
        [[1, 1], [-4, -4], [1, 1]],
        [[1, 1], [0, 0], [-1, 1]],
        [[1e-9, 1e-9], [1e-9, 1e-9], [1e-9, 1e-9]],
        [[1e200, 1e200], [0, 0], [1e200, 1e200]],
        [[1e308, 1e308], [1e308, 1e308], [1e308, 1e308]],
    ],
)
def test_values_that_do_not_cancel_are_wrong_however_small_or_large(table: list[list[float]]) -> None:
    assert PARTS["CANCEL_V"].judge(describe(table)) is not None


@pytest.mark.parametrize("table", [[[0, 2], [0, 0]], [[7, 2], [0, -3]], torch.tensor([[0.0, 2.0], [0.0, 0.0]])])
def test_any_table_that_matches_one_way_is_right(table: Any) -> None:
    assert PARTS["ONE_WAY_WK"].judge(describe(table)) is None


@pytest.mark.parametrize(
    "table", [[[0, 0], [2, 0]], [[0, 2], [2, 0]], [[1, 0], [0, 1]], [[0, 1.9], [0, 0]], [0, 2, 0, 0]]
)
def test_a_table_that_matches_otherwise_is_wrong(table: Any) -> None:
    assert PARTS["ONE_WAY_WK"].judge(describe(table)) is not None


@pytest.mark.parametrize("value", [2.4, 1.5, 1.9, 2.001])
def test_a_count_is_a_whole_number(value: float) -> None:
    assert PARTS["TEN_POSITIONS_WIDTH"].judge(describe(value)) is not None


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if isinstance(part, NumberPart)])
def test_explaining_a_wrong_number_changes_nothing(name: str) -> None:
    """Explanations run the mistakes, some of which change their inputs: nobody graded later may notice."""
    key = load_key(ROOT / "solutions/keys", "l10_attention")
    parts = {part.name: part for part in parts_of_key(key)}
    wrong = describe(torch.full(shape_of(PARTS[name]), 0.1234))
    first = parts[name].judge(wrong)
    assert first is not None
    from_weights = [[1, 1], [-4.0570, -4.0570], [1, 1]]
    assert parts["CANCEL_V"].judge(describe(from_weights)) is None
    assert parts[name].judge(wrong) == first
    assert parts["CANCEL_V"].judge(describe(from_weights)) is None


# --- the key as a whole, and what students get ----------------------------------------------------------


def test_the_points_add_up_to_100() -> None:
    assert KEY.points == 100


def test_the_public_questions_are_those_of_the_key() -> None:
    spec = importlib.util.spec_from_file_location("public_attention", EXERCISE / "test_attention.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    public = {id: (question.points, tuple(question.names)) for id, question in module.QUESTIONS.items()}
    assert list(public.items()) == [(question.id, (question.points, question.names)) for question in KEY.questions]


@pytest.mark.parametrize("folder", ["exercises", "solutions"])
def test_the_notebook_asks_the_questions_of_the_key(folder: str) -> None:
    notebook = json.loads((ROOT / folder / "l10_attention/attention.ipynb").read_text(encoding="utf-8"))
    marks = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    asked = [(mark["grade_id"], mark["points"]) for mark in marks if mark.get("grade")]
    assert asked == [(question.id, question.points) for question in KEY.questions]
