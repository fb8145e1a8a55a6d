"""Error carried forward: a wrong number that is what the student's own function gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.key.explain import Known, answer_numbers
from grader.key.values import NumberPart, Part
from grader.observing.numbers import NotNumbers, Numbers, read_numbers
from grader.observing.returned import Returned
from grader.results import QuestionResult
from grader.sandbox.child import SlotGone
from grader.sandbox.limits import WorkerBroken
from grader.sandbox.session import Session


class NoAnswer(Exception):
    """The student's function gave nothing that a number could follow from."""


@dataclass(frozen=True)
class Own:
    """The student's functions as answers can be computed with them, and what came of their questions, by id."""

    session: Session
    graded: Mapping[str, QuestionResult]

    @property
    def known(self) -> Known:
        """The mistakes found in them."""
        return {(one.id, mistake.name) for one in self.graded.values() for mistake in one.mistakes}

    @property
    def wrong(self) -> list[str]:
        """The functions that are there, and not right."""
        values = self.session.values
        return [
            name
            for name, result in self.graded.items()
            if result.status not in ("passed", "not_attempted", "grader_error")
            and name in values
            and values[name].callable
        ]

    def follows(self, part: Part, tree: Returned) -> str:
        """What a part's wrong answer follows from, as a sentence; "" where it follows from no function of theirs."""
        if not isinstance(part, NumberPart) or part.meanings is None:
            return ""
        names = [name for name in part.meanings.asked if name in self.wrong]
        if not names:
            return ""
        try:
            given = read_numbers(tree)
            numbers = self._numbers(part, names)
        except (NotNumbers, NoAnswer):
            return ""
        return self._sentence(part, names[0]) if part.meanings.same(given, numbers) else ""

    def _numbers(self, part: NumberPart, names: Sequence[str]) -> Numbers:
        assert part.meanings is not None
        self.session.begin_question()
        functions = {name: question.reference() for name, question in part.meanings.questions.items()}
        own = {name: self._function(name) for name in names}
        try:
            return answer_numbers(part.answer, functions | own)
        except (SlotGone, WorkerBroken):
            raise
        except Exception as error:  # what came back can be anything, and the answer expects tensors of some shape
            raise NoAnswer from error

    def _function(self, name: str) -> Callable[..., Any]:
        def function(*arguments: Any) -> Any:
            outcome = self.session.call(name, arguments)
            if outcome.ended != "returned":
                raise NoAnswer
            return _value(outcome.value)

        return function

    def _sentence(self, part: NumberPart, name: str) -> str:
        mistakes = self.graded[name].mistakes
        why = f": {mistakes[0].message}" if mistakes else ", which is not right yet."
        return f"{part.name} follows from your {name}(){why} Mend that, and this follows."


def _value(tree: Returned) -> Any:
    if tree.tensor is not None:
        return tree.tensor.to(torch.float64) if tree.tensor.is_floating_point() else tree.tensor
    if tree.kind == "sequence":
        return tuple(map(_value, tree.items))
    if tree.kind == "number":
        return tree.number
    raise NoAnswer
