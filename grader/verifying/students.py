"""Students who do nothing, and students who do one thing that a check forbids."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from grader.key.arguments import copied
from grader.key.code import CodeCheck, CodeQuestion
from grader.verifying.rehearsal import Function


def null_students(question: CodeQuestion) -> dict[str, Function]:
    """Functions that know nothing but, some of them, the shapes; by what they do."""
    single = len(question.chain.returns) == 1

    def filled(value: float) -> Function:
        return _changed(question, lambda part: torch.full_like(part, value))

    def repeated(place: int) -> Function:
        return lambda *given: given[place] if single else (given[place],) * len(question.chain.returns)

    return {
        "returns zeros": filled(0),
        "returns ones": filled(1),
        "returns NaN": filled(math.nan),
        "returns infinity": filled(math.inf),
        "returns the first argument": repeated(0),
        "returns the last argument": repeated(-1),
        "returns None": lambda *given: None,
        "returns an empty tuple": lambda *given: (),
        "returns a text": lambda *given: "output",
        "raises an error": _raises,
    }


def careless_students(question: CodeQuestion, check: CodeCheck) -> dict[str, Function]:
    """For each thing that the check asks besides right values, a function that gives these and not that."""
    students: dict[str, Function] = {}
    if check.gradient:
        students["cuts the result from the inputs"] = _changed(question, torch.Tensor.detach)
    if check.unchanged:
        students["changes its inputs"] = _changing_inputs(question)
    if check.repeat:
        students["adds random numbers"] = _changed(question, lambda part: part + torch.randn_like(part))
    if check.keeps_dtype:
        students["returns another dtype"] = _changed(question, lambda part: part.to(torch.float16))
    return students


def _changed(question: CodeQuestion, change: Callable[[torch.Tensor], torch.Tensor]) -> Function:
    """The reference with each returned part changed."""
    reference = question.reference()

    def student(*given: Any) -> Any:
        value = reference(*given)
        return tuple(map(change, value)) if isinstance(value, tuple) else change(value)

    return student


def _changing_inputs(question: CodeQuestion) -> Function:
    reference = question.reference()

    def student(*given: Any) -> Any:
        value = reference(*copied(given))
        for one in given:
            if isinstance(one, torch.Tensor):
                one.zero_()
        return value

    return student


def _raises(*given: Any) -> Any:
    raise ValueError
