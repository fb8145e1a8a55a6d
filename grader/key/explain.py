"""Say what a wrong number means: which mistake of the reference gives it, or which usual slip."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias

import torch

from grader.key.code import CodeQuestion
from grader.key.steps import RETURNED, Mistake
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


def explain(
    given: Numbers,
    answer: Answer,
    expected: Numbers,
    questions: Mapping[str, CodeQuestion],
    decimals: int,
    slack: float,
    known: Known = (),
) -> str:
    """The end of a sentence that begins "NAME = given", or "" when nothing known gives these numbers.

    `known` are the mistakes found in the student's functions: they explain before all others. Two meanings
    that give the same numbers are named together.
    """

    def same(candidate: Numbers) -> bool:
        pairs = zip(given.values, candidate.values, strict=False)
        return len(given.values) == len(candidate.values) and all(within(*pair, decimals, slack) for pair in pairs)

    slips = [f": {said}" for said, candidate in _slips(expected) if same(candidate)]
    if slips:
        return slips[0]
    found = [(name, mistake) for name, mistake, candidate in _mistaken(answer, questions) if same(candidate)]
    own = [(name, mistake) for name, mistake in found if (name, mistake.name) in known]
    found = [(name, mistake) for name, mistake in found if mistake.step != RETURNED]  # nobody calculates so by hand
    said = list(dict.fromkeys(mistake.message for _, mistake in own or found))
    if not said or len(said) > MOST_MEANINGS:
        return ""
    place = f"the mistake in your {own[0][0]}()" if own else "this mistake"
    return f" follows from {place}: {' Or: '.join(said)}"


def _mistaken(answer: Answer, questions: Mapping[str, CodeQuestion]) -> Iterator[tuple[str, Mistake, Numbers]]:
    references = {name: question.reference() for name, question in questions.items()}
    for name in inspect.signature(answer).parameters:
        for mistake in questions[name].mistakes:
            function = questions[name].with_mistakes([mistake]).reference()
            try:
                yield name, mistake, answer_numbers(answer, {**references, name: function})
            except Exception:  # the mistake does not even run on these numbers, so it explains none
                continue


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
