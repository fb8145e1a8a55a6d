"""Questions answered by what a name holds: numbers, a choice, or a table that does what is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from grader.key.explain import Known, Meanings
from grader.observing.compare import spoken
from grader.observing.numbers import NotNumbers, Numbers, read_numbers, right_decimals, within
from grader.observing.outcome import Finding
from grader.observing.returned import Returned


class Part(Protocol):
    """One name of a question. `judge` says what is wrong with what it holds, or None; `known` are the mistakes
    found in the student's functions.
    """

    @property
    def name(self) -> str: ...
    @property
    def points(self) -> float: ...
    @property
    def says(self) -> str: ...
    def judge(self, tree: Returned, known: Known = ()) -> Finding | None: ...


@dataclass
class ValueQuestion:
    """Names that hold answers; each is a check of its own."""

    id: str
    title: str
    points: float
    hint: str = ""
    parts: list[Part] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    @property
    def asks(self) -> tuple[tuple[str, float], ...]:
        """What is checked, and for how many points each."""
        return tuple((part.says, part.points) for part in self.parts)


@dataclass(frozen=True)
class NumberPart:
    """Numbers to some decimals. `answer` is a function of the references of code questions, by name.

    `slack` is what rounding the displayed intermediate figures by hand can add to the error; `carried` is the share
    of the points, 0 to 1, for a wrong answer that follows from the student's own function.
    """

    name: str
    points: float
    says: str
    answer: Callable[..., Any]
    expected: Numbers
    decimals: int = 4
    slack: float = 0.0
    carried: float = 0.0
    meanings: Meanings | None = field(default=None, compare=False)

    def judge(self, tree: Returned, known: Known = ()) -> Finding | None:
        """Right, or the first of: no numbers, another count, fewer decimals, a known slip, wrong."""
        try:
            given = read_numbers(tree)
        except NotNumbers as wrong:
            return Finding("type", f"{self.name} {wrong}.")
        if len(given.values) != len(self.expected.values):
            return Finding("shape", f"{self.name} holds {_numbers(len(given.values))}; {self._wanted()}.")
        pairs = list(zip(given.values, self.expected.values, strict=True))
        wrong_ones = [pair for pair in pairs if not within(*pair, self.decimals, self.slack)]
        if not wrong_ones:
            return None
        return Finding("values", self._wrong(given, wrong_ones, known))

    def _wrong(self, given: Numbers, wrong_ones: Sequence[tuple[float, float]], known: Known) -> str:
        fewer = [right_decimals(value, answer, self.decimals) for value, answer in wrong_ones]
        if all(count is not None for count in fewer):
            count = min(count for count in fewer if count is not None)
            is_right = f"is right to {count} {'decimal' if count == 1 else 'decimals'}"
            return f"{self.name} = {given} {is_right}; this question asks for {self.decimals}."
        meaning = self.meanings.said(given, known) if self.meanings is not None else ""
        if meaning:
            return f"{self.name} = {given}{meaning}"
        right = len(given.values) - len(wrong_ones)
        some = f"; {right} of its {len(given.values)} numbers {'is' if right == 1 else 'are'} right" if right else ""
        return f"{self.name} = {given} is not the answer{some}."

    def _wanted(self) -> str:
        return f"this question asks for {_numbers(len(self.expected.values))}"


@dataclass(frozen=True)
class ChoicePart:
    """One letter among some. `why` says, per wrong letter, what choosing it overlooks."""

    name: str
    points: float
    says: str
    letters: str
    right: str
    why: Mapping[str, str] = field(default_factory=dict)

    def judge(self, tree: Returned, known: Known = ()) -> Finding | None:
        letter = tree.text.strip().upper()
        if tree.kind != "text":
            return Finding("type", f'{self.name} holds {spoken(tree)}; a letter in quotes is expected, such as "A".')
        if len(letter) != 1 or letter not in self.letters:
            choices = ", ".join(self.letters)
            return Finding("type", f"{self.name} = {tree.text[:40]!r} is none of the choices {choices}.")
        if letter == self.right:
            return None
        return Finding("values", f'{self.name} = "{letter}" is not the answer. {self.why.get(letter, "")}'.strip())


@dataclass(frozen=True)
class TablePart:
    """A table of the given shape that does what is asked: any right one counts.

    `trouble` takes it as a float64 tensor and returns what is wrong with it, or None.
    """

    name: str
    points: float
    says: str
    shape: tuple[int, ...]
    trouble: Callable[[torch.Tensor], str | None]

    def judge(self, tree: Returned, known: Known = ()) -> Finding | None:
        try:
            given = read_numbers(tree)
        except NotNumbers as wrong:
            return Finding("type", f"{self.name} {wrong}.")
        if given.shape != self.shape:
            text = f"{self.name} has shape {list(given.shape)}; a table of shape {list(self.shape)} is expected."
            return Finding("shape", text)
        said = self.trouble(torch.tensor(given.values, dtype=torch.float64).reshape(self.shape))
        return None if said is None else Finding("values", said)


def _numbers(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"
