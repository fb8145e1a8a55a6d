"""Proofs about whole submissions: the released exercise is worth nothing, the author's solutions everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.errors import CourseError
from grader.grading.grade import Grading
from grader.key.answer_key import AnswerKey
from grader.reading.entry import is_form
from grader.reading.lesson import question_notebook
from grader.reading.submission import Unreadable, read_submission
from grader.results import Result
from grader.sandbox.isolation import choose
from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox
from grader.verifying.proof import Proof
from grader.wording import counted

STUB = "the released exercise is not attempted and earns 0"
SOLUTION = "the notebook with solutions earns everything"


def submissions_are_graded(key: AnswerKey, course: Path) -> list[Proof]:
    """Both proofs, in one sandbox; each is left out where there is no such file."""
    released, source = course / "exercises" / key.assignment, course / "solutions" / key.assignment
    with Sandbox(choose("auto", course), Limits(key.seconds)) as sandbox:
        grading = Grading(key, key.seconds)
        return [_stub(grading, released, sandbox), _solution(grading, source, sandbox)]


def _stub(grading: Grading, released: Path, sandbox: Sandbox) -> Proof:
    forms = sorted(path for path in released.glob("*") if is_form(path) and not path.name.startswith("test_"))
    if not forms:
        return Proof(STUB, left_out=f"exercises/{released.name} holds no exercise yet; `grader release` makes it")
    failures: list[str] = []
    for path in forms:
        result = _graded(grading, path, sandbox)
        failures += [result] if isinstance(result, str) else _attempted(result)
    return Proof(STUB, tuple(failures), counted(len(forms), "file"))


def _attempted(result: Result) -> Iterator[str]:
    for question in result.questions:
        if question.status != "not_attempted" or question.score:
            yield (
                f"{result.source}: {question.title} is {question.status} as it is released, and earns "
                f"{question.score:g} points. Let its cell hold `raise NotImplementedError`, or None for each name."
            )


def _solution(grading: Grading, source: Path, sandbox: Sandbox) -> Proof:
    try:
        path = source / f"{question_notebook(source)}.ipynb"
    except CourseError:
        return Proof(SOLUTION, left_out=f"solutions/{source.name} holds no notebook that asks the key's questions yet")
    result = _graded(grading, path, sandbox)
    failures = [result] if isinstance(result, str) else list(_short(result))
    return Proof(SOLUTION, tuple(failures), f"{path.name}, {grading.key.points:g} points")


def _short(result: Result) -> Iterator[str]:
    """What is not right, question by question, and what else there is to say."""
    for question in result.questions:
        if question.status != "passed":
            said = " ".join(question.feedback.replace("**", "").split())
            yield f"{result.source}: {said} Mend the solution, or the key."
    yield from (f"{result.source}: {message}" for message in result.messages)


def _graded(grading: Grading, path: Path, sandbox: Sandbox) -> Result | str:
    try:
        return grading.grade(read_submission(path, "author"), sandbox)
    except Unreadable as error:
        return str(error)
