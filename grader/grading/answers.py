"""Grade a question that is answered by what names hold."""

from __future__ import annotations

from grader.grading.missing import missing
from grader.grading.sums import STATUS, summed_up
from grader.key.explain import Known
from grader.key.values import Part, ValueQuestion
from grader.results import CheckResult, QuestionResult
from grader.sandbox.session import Session


def grade_values(question: ValueQuestion, session: Session, known: Known) -> QuestionResult:
    """Each name is a check of its own. `known` are the mistakes found in the student's functions."""
    checks = tuple(_check(part, session, known) for part in question.parts)
    return summed_up(question.id, question.title, question.points, question.hint, checks)


def _check(part: Part, session: Session, known: Known) -> CheckResult:
    value = session.values.get(part.name)
    if value is not None and value.tree.kind == "none":
        return CheckResult(part.says, "not_attempted", 0, part.points, f"{part.name} is still None.")
    finding = missing(session, part.name, function=False) if value is None else part.judge(value.tree, known)
    if finding is None:
        return CheckResult(part.says, "passed", part.points, part.points)
    return CheckResult(part.says, STATUS.get(finding.stage, "failed"), 0, part.points, finding.message)
