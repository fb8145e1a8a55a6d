"""Say what a wrong number means: which mistake of the reference gives it, or which usual slip."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import torch

from grader.key.code import CodeQuestion
from grader.key.steps import RETURNED, TAKEN, Mistake
from grader.observing.numbers import Numbers, read_numbers, within
from grader.observing.returned import describe

Answer: TypeAlias = Callable[..., Any]
Known: TypeAlias = Collection[tuple[str, str]]  # ids of questions, names of mistakes found in them
MOST_MEANINGS = 2


def answer_numbers(answer: Answer, functions: Mapping[str, Callable[..., Any]]) -> Numbers:
    """Run an answer function on the functions it names. Raises what the answer function raises."""
    wanted = {name: _on_copies(functions[name]) for name in inspect.signature(answer).parameters}
    value = answer(**wanted)
    return read_numbers(describe(value.detach() if isinstance(value, torch.Tensor) else value))


def _on_copies(function: Callable[..., Any]) -> Callable[..., Any]:
    """Some mistakes change their inputs, and an answer's inputs serve again."""

    def run(*arguments: Any) -> Any:
        copies = (value.clone() if isinstance(value, torch.Tensor) else value for value in arguments)
        return function(*copies)

    return run


@dataclass
class Meanings:
    """What wrong numbers for one answer mean. What mistakes and rounding give is computed once, when first needed."""

    answer: Answer
    expected: Numbers
    questions: Mapping[str, CodeQuestion]
    decimals: int
    slack: float

    def said(self, given: Numbers, known: Known = ()) -> str:
        """The end of a sentence that begins "NAME = given", or "" when nothing known gives these numbers.

        `known` are the mistakes found in the student's functions: they explain before all others. Two meanings
        that give the same numbers are named together.
        """
        slips = [f": {said}" for said, candidate in _slips(self.expected) if self.same(given, candidate)]
        if slips:
            return slips[0]
        found = [(name, mistake) for name, mistake, numbers in self._mistaken if self.same(given, numbers)]
        own = [(name, mistake) for name, mistake in found if (name, mistake.name) in known]
        if not own and (rounded := self._rounded_to(given)):
            place = "1 decimal" if rounded == 1 else f"{rounded} decimals"
            return (
                f" comes from the right method, but numbers were rounded to {place} on the way; "
                f"keep more until the end, then give {self.decimals}."
            )
        found = [(name, mistake) for name, mistake in found if mistake.step not in (TAKEN, RETURNED)]  # not by hand
        said = list(dict.fromkeys(mistake.message for _, mistake in own or found))
        if not said or len(said) > MOST_MEANINGS:
            return ""
        place = f"the mistake in your {own[0][0]}()" if own else "this mistake"
        return f" follows from {place}: {' Or: '.join(said)}"

    def same(self, given: Numbers, candidate: Numbers) -> bool:
        """Whether all numbers are the same, within what rounding at the end can do."""
        pairs = zip(given.values, candidate.values, strict=False)
        close = all(within(*pair, self.decimals, self.slack) for pair in pairs)
        return len(given.values) == len(candidate.values) and close

    @property
    def asked(self) -> tuple[str, ...]:
        """The functions that the answer is computed with, by name."""
        return tuple(inspect.signature(self.answer).parameters)

    @cached_property
    def _mistaken(self) -> list[tuple[str, Mistake, Numbers]]:
        return [
            (name, mistake, numbers)
            for name in self.asked
            for mistake in self.questions[name].mistakes
            if (numbers := self._with(name, self.questions[name].with_mistakes([mistake]).reference()))
        ]

    @cached_property
    def _rounded(self) -> list[tuple[int, Numbers]]:
        """What the right method gives when all steps, or one of them, are rounded to so many decimals."""
        return [
            (decimals, numbers)
            for decimals in range(self.decimals - 1, 0, -1)
            for name in self.asked
            for steps in (None, *self.questions[name].chain.steps)
            if (numbers := self._with(name, self.questions[name].chain.rounded(decimals, steps).function()))
        ]

    def _rounded_to(self, given: Numbers) -> int | None:
        return next((decimals for decimals, numbers in self._rounded if self.same(given, numbers)), None)

    def _with(self, name: str, function: Callable[..., Any]) -> Numbers | None:
        """The answer with one function in place of the reference; None where it does not run on these numbers."""
        references = {other: question.reference() for other, question in self.questions.items()}
        try:
            return answer_numbers(self.answer, {**references, name: function})
        except Exception:
            return None


def _slips(expected: Numbers) -> Iterator[tuple[str, Numbers]]:
    values = expected.values
    yield "the sign is the wrong way round.", _like(expected, [-value for value in values])
    yield "that is a percentage; give the plain number.", _like(expected, [100 * value for value in values])
    if all(values):
        yield "that is the reciprocal: one divided by the answer.", _like(expected, [1 / value for value in values])
    if len(values) > 1:
        yield "the numbers are right, but stand in the reverse order.", _like(expected, list(reversed(values)))


def _like(numbers: Numbers, values: list[float]) -> Numbers:
    return Numbers(tuple(values), numbers.shape)
