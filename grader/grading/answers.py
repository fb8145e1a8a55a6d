"""Grade a question that is answered by what names hold."""

from __future__ import annotations

from grader.grading.carried import Own
from grader.grading.missing import missing
from grader.grading.sums import STATUS, summed_up
from grader.key.values import Part, ValueQuestion
from grader.results import CheckResult, QuestionResult


def grade_values(question: ValueQuestion, own: Own) -> QuestionResult:
    """Each name is a check of its own."""
    checks = tuple(_check(part, own) for part in question.parts)
    return summed_up(question.id, question.title, question.points, question.hint, checks)


def _check(part: Part, own: Own) -> CheckResult:
    value = own.session.values.get(part.name)
    if value is not None and value.tree.kind == "none":
        return CheckResult(part.says, "not_attempted", 0, part.points, f"{part.name} is still None.")
    finding = missing(own.session, part.name, function=False) if value is None else part.judge(value.tree, own.known)
    if finding is None:
        return CheckResult(part.says, "passed", part.points, part.points)
    if value is not None and finding.stage == "values" and (follows := own.follows(part, value.tree)):
        points = own.share(part)
        return CheckResult(part.says, "partial" if points else "failed", points, part.points, follows)
    return CheckResult(part.says, STATUS.get(finding.stage, "failed"), 0, part.points, finding.message)
