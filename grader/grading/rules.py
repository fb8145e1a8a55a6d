"""The rule of a question that it must not call some functions: looked for in the source, and while it was called."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from grader.grading.feedback import rule_feedback
from grader.key.code import CodeQuestion
from grader.observing.outcome import Called, Outcome
from grader.reading.submission import Submission
from grader.reading.uses import uses
from grader.results import CheckResult, QuestionResult
from grader.sandbox.session import Session
from grader.wording import joined


def written(question: CodeQuestion, session: Session) -> dict[str, str]:
    """The forbidden functions that the question's function names, each with the place, in words."""
    if not question.forbids:
        return {}
    stopped = {error.cell: error.line for error in session.errors if error.line is not None}
    stopped |= dict.fromkeys(session.lost, 0)
    found = uses(session.submission, question.id, question.forbids, stopped)
    return {use.name: _place(session.submission, use.cell, use.line) for use in found}


def called(question: CodeQuestion, outcomes: Iterable[Outcome]) -> list[Called]:
    """What the worker tells of forbidden functions; it may tell anything."""
    return [one for outcome in outcomes for one in outcome.forbidden if one.name in question.forbids]


def placed(submission: Submission, calls: Iterable[Called]) -> dict[str, str]:
    """The functions, each with the first place that was told, in words; "" where there is none."""
    found: dict[str, str] = {}
    for one in calls:
        found[one.name] = found.get(one.name) or _place(submission, one.cell, one.line)
    return found


def _place(submission: Submission, cell: int | None, line: int | None) -> str:
    known = next((one for one in submission.cells if one.number == cell), None)
    if known is None or line is None or not 0 <= line - known.line <= known.source.count("\n"):
        return ""
    where = f"cell {cell} of " if submission.kind == "notebook" else ""
    return f"{where}{submission.source}, line {line}"


def rule_checks(question: CodeQuestion, checks: Sequence[CheckResult], ran: bool) -> tuple[CheckResult, ...]:
    """The rule as the first check, kept; a function that never came back has the status of its checks here too."""
    if not question.forbids:
        return ()
    return (CheckResult(question.rule, "passed" if ran else checks[0].status, 0, 0),)


def broken(question: CodeQuestion, checks: Sequence[CheckResult], places: dict[str, str]) -> QuestionResult:
    """The question's result when its rule is broken: no points, whatever the checks say of the numbers."""
    message = _message(question, places)
    rule = CheckResult(question.rule, "failed", 0, 0, message)
    told = (rule, *(dataclasses.replace(check, points=0) for check in checks))
    text = rule_feedback(question.title, question.points, told)
    return QuestionResult(question.id, question.title, "failed", 0, question.points, told, feedback=text)


def _message(question: CodeQuestion, places: dict[str, str]) -> str:
    found = [name for name in question.forbids if name in places]
    used = joined([f"{name} ({places[name]})" if places[name] else name for name in found])
    text = f"{question.id}() uses {used}, which this question forbids: right numbers do not count here."
    return f"{text} Write the steps yourself."
