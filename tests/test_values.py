"""Questions that are answered by what a name holds: numbers, a letter, a table."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.key import AnswerKey, CodeQuestion, ValueQuestion
from grader.observing.outcome import Finding
from grader.observing.returned import describe


@pytest.fixture
def key() -> AnswerKey:
    """A key of one function, which halves, and one question of each kind."""
    key = AnswerKey("toy", title="Toy")
    half = key.code("half", points=1, takes="x", returns="halved")
    half.step(halved)
    half.mistake("halved", "You double.")(doubled)
    half.mistake("halved", "You square in place.")(squared_in_place)
    question = key.values("answers", points=4, title="Answers")
    inputs = torch.tensor([1.0, 3.0], dtype=torch.float64)
    key.numeric(question, "HALVES", points=1, says="HALVES is right", answer=lambda half: half(inputs))
    key.numeric(question, "THIRD", points=1, says="THIRD is right", answer=lambda: torch.tensor(1 / 3), slack=1e-4)
    key.choice(question, "LETTER", points=1, says="LETTER is right", letters="ABC", right="B", why={"A": "Not all."})
    key.construct(question, "TABLE", points=1, says="TABLE is right", shape=(2, 2))(
        lambda table: None if float(table.sum()) == 4 else "Your TABLE sums to something else."
    )
    return key


def halved(x: torch.Tensor) -> torch.Tensor:
    return x / 2


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def squared_in_place(x: torch.Tensor) -> torch.Tensor:
    return x.pow_(2)


def judged(key: AnswerKey, name: str, value: Any) -> Finding | None:
    question = key.questions[1]
    assert isinstance(question, ValueQuestion)
    part = next(part for part in question.parts if part.name == name)
    return part.judge(describe(value))


def said(key: AnswerKey, name: str, value: Any) -> str:
    found = judged(key, name, value)
    assert found is not None
    assert found.message.startswith((f"{name} ", f"Your {name}"))
    return found.message


RIGHT = [
    ("HALVES", [0.5, 1.5]),
    ("HALVES", torch.tensor([0.5, 1.5])),
    ("HALVES", ("1/2", 1.50004)),
    ("HALVES", [[0.5], [1.5]]),
    ("THIRD", "1/3"),
    ("THIRD", 0.3333),
    ("THIRD", [0.33345]),
    ("LETTER", "B"),
    ("LETTER", " b "),
    ("TABLE", [[1, 1], [1, 1]]),
    ("TABLE", torch.eye(2) * 2),
]


@pytest.mark.parametrize(("name", "value"), RIGHT, ids=str)
def test_a_right_value_is_right_in_any_form(key: AnswerKey, name: str, value: Any) -> None:
    assert judged(key, name, value) is None


WRONG = [
    ("HALVES", 0.5, "shape", "one number; this question asks for 2 numbers"),
    ("HALVES", [0.5, 1.5, 2.5], "shape", "3 numbers"),
    ("HALVES", [0.5, 1.6], "values", "1 of its 2 numbers is right"),
    ("HALVES", [9, 9], "values", "is not the answer"),
    ("HALVES", [1.5, 0.5], "values", "reverse order"),
    ("HALVES", [-0.5, -1.5], "values", "sign"),
    ("HALVES", [50, 150], "values", "percent"),
    ("HALVES", [2, 2 / 3], "values", "reciprocal"),
    ("HALVES", [2, 6], "values", "You double."),
    ("HALVES", "half", "type", "'half'"),
    ("HALVES", [True, True], "type", "True or False"),
    ("HALVES", {"a": 1}, "type", "dict"),
    ("HALVES", len, "type", "builtin_function_or_method"),
    ("THIRD", 0.33, "values", "right to 2 decimals; this question asks for 4"),
    ("THIRD", float("nan"), "type", "NaN"),
    ("LETTER", "A", "values", "Not all."),
    ("LETTER", "C", "values", "is not the answer"),
    ("LETTER", "D", "type", "none of the choices A, B, C"),
    ("LETTER", "AB", "type", "none of the choices"),
    ("LETTER", "", "type", "none of the choices"),
    ("LETTER", 2, "type", "in quotes"),
    ("LETTER", ["B"], "type", "in quotes"),
    ("TABLE", [[1, 1], [1, 2]], "values", "sums to something else"),
    ("TABLE", [1, 1, 1, 1], "shape", "[4]"),
    ("TABLE", [[1, 1, 1, 1]], "shape", "[1, 4]"),
    ("TABLE", 4, "shape", "[]"),
    ("TABLE", [[4, 0], [0]], "type", "rows of different lengths"),
    ("TABLE", [[float("inf"), 0], [0, 0]], "type", "infinite"),
]


@pytest.mark.parametrize(("name", "value", "stage", "words"), WRONG, ids=str)
def test_a_wrong_value_is_told_in_one_sentence(key: AnswerKey, name: str, value: Any, stage: str, words: str) -> None:
    found = judged(key, name, value)
    assert found is not None
    assert found.stage == stage
    assert words in said(key, name, value)
    assert "\n" not in found.message
    assert ".." not in found.message


def test_an_explanation_does_not_change_what_the_next_one_says(key: AnswerKey) -> None:
    first = said(key, "HALVES", [9, 9])
    assert said(key, "HALVES", [2, 6]) == said(key, "HALVES", [2, 6])
    assert said(key, "HALVES", [9, 9]) == first
    assert judged(key, "HALVES", [0.5, 1.5]) is None


def test_a_key_whose_points_do_not_add_up_is_refused(key: AnswerKey) -> None:
    half = key.questions[0]
    assert isinstance(half, CodeQuestion)
    with pytest.raises(ValueError, match="half"):
        key.check_points()
    half.cases("halves", points=1)(lambda rng: iter([(rng.normal(2),)]))
    key.check_points()
    half.cases("halves again", points=1)(lambda rng: iter([(rng.normal(2),)]))
    with pytest.raises(ValueError, match="half"):
        key.check_points()
