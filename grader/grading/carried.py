"""Error carried forward: a wrong number that is what the student's own function gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from grader.key.arguments import widened
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


@dataclass
class Own:
    """The student's functions as answers can be computed with them, and what came of their questions, by id."""

    session: Session
    graded: Mapping[str, QuestionResult]
    _lost: bool = False  # a call that did not come back: nothing more is tried

    @property
    def known(self) -> Known:
        """The mistakes found in them."""
        return {(one.id, mistake.name) for one in self.graded.values() for mistake in one.mistakes}

    @property
    def wrong(self) -> list[str]:
        """The functions that are there, come back, and are not right."""
        values = self.session.values
        there = [name for name in self.graded if name in values and values[name].callable]
        return [name for name in there if self.graded[name].status in ("partial", "failed", "crashed")]

    def follows(self, part: Part, tree: Returned) -> str:
        """What a part's wrong answer follows from, as a sentence; "" where it follows from no function of theirs."""
        if not isinstance(part, NumberPart) or part.meanings is None or self._lost:
            return ""
        asked = part.meanings.asked
        if len(asked) != 1 or asked[0] not in self.wrong:  # what another reference gives is not for a student's process
            return ""
        try:
            given = read_numbers(tree)
            numbers = self._numbers(part, asked[0])
        except (NotNumbers, NoAnswer):
            return ""
        return self._sentence(part, given, asked[0]) if part.meanings.same(given, numbers) else ""

    def share(self, part: Part) -> float:
        """The points for an answer that follows; none where the function is right in nothing that could be named."""
        if not isinstance(part, NumberPart) or part.meanings is None:
            return 0.0
        function = self.graded[part.meanings.asked[0]]
        return part.carried * part.points if function.score or function.mistakes else 0.0

    def _numbers(self, part: NumberPart, name: str) -> Numbers:
        assert part.meanings is not None
        try:
            self.session.begin_question()
            reference = part.meanings.questions[name].reference()
            return answer_numbers(part.answer, {name: self._function(name, reference)})
        except (SlotGone, WorkerBroken) as error:
            if part.carried:
                raise
            self._lost = True
            raise NoAnswer from error
        except Exception as error:
            raise NoAnswer from error

    def _function(self, name: str, reference: Callable[..., Any]) -> Callable[..., Any]:
        """The student's function, as far as it gives what the reference gives in shape: an answer counts on that, and
        would make tables of any size of what does not fit.
        """

        def function(*arguments: Any) -> Any:
            outcome = self.session.call(name, arguments)
            self._lost = self._lost or outcome.ended in ("timed_out", "died")
            if outcome.ended != "returned":
                raise NoAnswer
            return _like(outcome.value, reference(*widened(arguments)))

        return function

    def _sentence(self, part: NumberPart, given: Numbers, name: str) -> str:
        mistakes = self.graded[name].mistakes
        why = f": {mistakes[0].message}" if mistakes else ", which is not right yet."
        return f"{part.name} = {given} follows from your {name}(){why} Mend that, and this follows."


def _like(tree: Returned, wanted: Any) -> Any:
    """What came back, in the form and the shapes that are wanted. Raises NoAnswer for others."""
    if isinstance(wanted, tuple) and tree.kind == "sequence" and len(tree.items) == len(wanted):
        return tuple(map(_like, tree.items, wanted))
    if isinstance(wanted, torch.Tensor) and tree.tensor is not None and tree.tensor.shape == wanted.shape:
        return tree.tensor.to(wanted.dtype)
    raise NoAnswer
