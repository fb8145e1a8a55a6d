"""Proofs about names that hold answers: the answer itself is right, and what says nothing earns nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from grader.key.answer_key import AnswerKey
from grader.key.values import ChoicePart, NumberPart, Part, TablePart, ValueQuestion
from grader.observing.returned import describe
from grader.verifying.proof import Proof
from grader.wording import counted


def parts_of_key(key: AnswerKey) -> list[Part]:
    """Every name that holds an answer, in the order of the questions."""
    return [part for question in key.questions if isinstance(question, ValueQuestion) for part in question.parts]


def answers_are_judged(parts: Sequence[Part]) -> Proof:
    """What can be said of answers without a notebook; that a table is right, only a notebook with solutions shows."""
    failures = [said for part in parts for said in _unfair(part)]
    return Proof("answers: right is right, nothing is wrong", tuple(failures), counted(len(parts), "name"))


def _unfair(part: Part) -> Iterator[str]:
    if not isinstance(part, TablePart):
        finding = part.judge(describe(right_value(part)))
        if finding is not None:
            yield f"{part.name}: its own answer is told as wrong: {finding.message} Mend the answer or the decimals."
    for name, value in empty_values(part).items():
        if part.judge(describe(value)) is None:
            yield f"{part.name}: whoever writes {name} is right. Ask for something that is not so easily met."
    if isinstance(part, ChoicePart):
        for letter in sorted(set(part.letters) - {part.right} - set(part.why)):
            yield f'{part.name}: nothing is said to whoever chooses "{letter}". Add what it overlooks to `why`.'


def right_value(part: Part) -> Any:
    """The answer as a student writes it, to the decimals asked; None for a table, of which many are right."""
    if isinstance(part, NumberPart):
        values = [round(value, part.decimals) for value in part.expected.values]
        return shaped(values, part.expected.shape)
    return part.right if isinstance(part, ChoicePart) else None


def empty_values(part: Part) -> dict[str, Any]:
    """What a student writes who knows nothing, by its name in a sentence."""
    shape = shape_of(part)
    return {
        "zeros": torch.zeros(shape),
        "ones": torch.ones(shape),
        "NaN": torch.full(shape, math.nan),
        "None": None,
        "an empty list": [],
        "an empty text": "",
        "an unknown letter": "?",
    }


def shape_of(part: Part) -> tuple[int, ...]:
    """The shape of the numbers that are asked for; () where a letter is."""
    if isinstance(part, NumberPart):
        return part.expected.shape
    return part.shape if isinstance(part, TablePart) else ()


def shaped(values: Sequence[float], shape: tuple[int, ...]) -> Any:
    """Numbers as plain lists of that shape; whole ones without a point."""
    plain = [int(value) if float(value).is_integer() else value for value in values]
    for size in reversed(shape[1:]):
        plain = [plain[start : start + size] for start in range(0, len(plain), size)]  # type: ignore[misc]
    return plain if shape else plain[0]
