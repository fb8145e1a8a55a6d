"""Proofs that need nothing to run: names are told apart, and everything asked is worth something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.key.answer_key import AnswerKey
from grader.key.code import CodeQuestion
from grader.verifying.proof import Proof
from grader.wording import counted


def names_are_told_apart(key: AnswerKey) -> Proof:
    """Questions, the names they ask for, checks and mistakes; each check is worth points."""
    failures = [f"`{name}` is asked for twice. Give each question names of its own." for name in _twice(key.names)]
    failures += [f"The question id `{id}` stands twice. Rename one." for id in _twice(one.id for one in key.questions)]
    for question in key.questions:
        for name in _twice(name for name, _ in question.asks):
            failures.append(f'{question.id}: two checks are called "{name}". Say what each is about.')
        if isinstance(question, CodeQuestion):
            failures += _of_function(question)
        elif not question.asks:
            failures.append(f"{question.id}: nothing is asked. Add a name by key.numeric, choice or construct.")
    tried = f"{counted(len(key.questions), 'question')}, {key.points:g} points"
    return Proof("names are told apart, and checks are worth points", tuple(failures), tried)


def _of_function(question: CodeQuestion) -> Iterator[str]:
    for name in _twice(mistake.name for mistake in question.mistakes):
        yield f"{question.id}: two mistakes are called `{name}`. Rename one."
    for check in question.checks:
        if check.points <= 0:
            yield f'{question.id}: "{check.name}" is worth {check.points:g} points. Give it more than 0.'


def _twice(names: Iterable[str]) -> list[str]:
    """The names that stand more than once, each once."""
    listed = list(names)
    return [name for name in dict.fromkeys(listed) if listed.count(name) > 1]
