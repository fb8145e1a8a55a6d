"""An answer key: the questions of one assignment, in order."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import torch

from grader.errors import CourseError
from grader.key.code import CodeQuestion, points_add_up
from grader.key.explain import Meanings, answer_numbers
from grader.key.steps import Chain
from grader.key.values import ChoicePart, NumberPart, TablePart, ValueQuestion
from grader.observing.forbidden import named

Question: TypeAlias = CodeQuestion | ValueQuestion
NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
SHORTEST_SECRET = 32  # bytes: `key` in every result is a hash of it, which must not be found by trying
SECRET = "secret.txt"  # beside the key: makes the scored inputs of this course its own


@dataclass
class AnswerKey:
    """The key of one assignment. `seconds` is the student time that each question may take.

    `digest` is the sha256 of the key's file, followed by the course's secret where there is one.
    """

    assignment: str
    title: str
    seconds: float = 10.0
    questions: list[Question] = field(default_factory=list)
    digest: str = ""
    secret: bytes = b""

    @property
    def points(self) -> float:
        return sum(question.points for question in self.questions)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that a student's work is asked for."""
        return tuple(name for question in self.questions for name in question.names)

    @property
    def code_questions(self) -> dict[str, CodeQuestion]:
        return {question.id: question for question in self.questions if isinstance(question, CodeQuestion)}

    def code(
        self,
        id: str,
        *,
        points: float,
        takes: str,
        returns: str,
        title: str = "",
        hint: str = "",
        axes: Mapping[str, str] | None = None,
        forbids: Sequence[str] | str = (),
    ) -> CodeQuestion:
        """A function `id(takes)` that returns a tensor, or a tuple of the tensors named in `returns`.

        `forbids` are dotted names of functions and classes that it must not call. Raises ValueError for a name
        that does not exist.
        """
        forbidden = tuple(forbids.split() if isinstance(forbids, str) else forbids)
        for name in forbidden:
            _check_forbidden(id, name)
        chain = Chain(takes.split(), returns.split())
        question = CodeQuestion(id, title or f"{id}()", points, chain, hint, axes or {}, forbids=forbidden)
        self.questions.append(question)
        return question

    def values(self, id: str, *, points: float, title: str, hint: str = "") -> ValueQuestion:
        """A question answered by names; add its parts with `numeric`, `choice` and `construct`."""
        question = ValueQuestion(id, title, points, hint)
        self.questions.append(question)
        return question

    def numeric(
        self,
        question: ValueQuestion,
        name: str,
        *,
        points: float,
        says: str,
        answer: Callable[..., Any],
        decimals: int = 4,
        slack: float = 0.0,
        carried: float = 0.0,
    ) -> NumberPart:
        """Numbers that `answer` computes from the references of the code questions it names.

        `carried`: the share of the points, 0 to 1, for numbers that are wrong only because they follow from the
        student's own function. Raises ValueError for another share.
        """
        if not 0 <= carried <= 1:
            raise ValueError(f"`{name}` carries a share of {carried:g} forward; give one from 0 to 1")
        questions = self.code_questions
        references = {id: code.reference() for id, code in questions.items()}
        expected = answer_numbers(answer, references)
        meanings = Meanings(answer, expected, questions, decimals, slack)
        part = NumberPart(name, points, says, answer, expected, decimals, slack, carried, meanings)
        question.parts.append(part)
        return part

    def choice(
        self,
        question: ValueQuestion,
        name: str,
        *,
        points: float,
        says: str,
        letters: str,
        right: str,
        why: Mapping[str, str] | None = None,
    ) -> ChoicePart:
        """One letter among `letters`; `why` says per wrong letter what it overlooks."""
        part = ChoicePart(name, points, says, letters, right, why or {})
        question.parts.append(part)
        return part

    def construct(
        self, question: ValueQuestion, name: str, *, points: float, says: str, shape: tuple[int, ...]
    ) -> Callable[[Callable[[torch.Tensor], str | None]], TablePart]:
        """Decorator: a table of `shape`; the function says what is wrong with one, or None."""

        def add(trouble: Callable[[torch.Tensor], str | None]) -> TablePart:
            part = TablePart(name, points, says, shape, trouble)
            question.parts.append(part)
            return part

        return add

    def check_points(self) -> None:
        """Raises ValueError when a question's checks are not worth its points."""
        for question in self.questions:
            points_add_up(question.points, [points for _, points in question.asks], f"the question `{question.id}`")


def _check_forbidden(id: str, name: str) -> None:
    try:
        named(name)
    except ValueError as error:
        raise ValueError(f"the question `{id}` forbids what it cannot: {error}") from None


def keys_in(keys: Path) -> list[str]:
    """The assignments that have an answer key, by name: files of figures stand there as well."""
    return sorted(file.stem for file in keys.glob("*.py") if (keys.parent / file.stem).is_dir())


def load_key(keys: Path, assignment: str) -> AnswerKey:
    """Read `keys/ASSIGNMENT.py`. Raises CourseError with a sentence that says what is wrong with it."""
    path = keys / f"{assignment}.py"
    if not NAME.fullmatch(assignment) or not path.is_file():
        known = keys_in(keys)
        there = f"there are: {', '.join(known)}" if known else f"no answer key stands in {keys}"
        raise CourseError(f"There is no assignment `{assignment[:100]}`; {there}. Run this in the course's folder.")
    key = _run(path, assignment)
    source, secret_file = path.read_bytes(), keys / SECRET
    secret = secret_file.read_bytes().strip() if secret_file.is_file() else b""
    if secret_file.is_file() and len(secret) < SHORTEST_SECRET:
        raise CourseError(f"{secret_file} is too easy to guess: put {SHORTEST_SECRET} random characters or more in it.")
    key.digest = hashlib.sha256(source + secret).hexdigest()
    key.secret = hashlib.sha256(secret + source).digest()
    return key


def _run(path: Path, assignment: str) -> AnswerKey:
    spec = importlib.util.spec_from_file_location(f"answer_key_{assignment}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        key = module.key
        key.check_points()
    except (Exception, SystemExit) as error:
        raise CourseError(f"The answer key {path} does not load: {type(error).__name__}: {error}") from error
    if not isinstance(key, AnswerKey):
        raise CourseError(f"The answer key {path} defines `key`, but it is no AnswerKey.")
    return key
