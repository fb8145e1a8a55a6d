"""Points, statuses and texts of a question from those of its checks."""

from __future__ import annotations

from collections.abc import Sequence

from grader.grading.feedback import feedback
from grader.key.code import CodeCheck
from grader.observing.outcome import Finding, Stage
from grader.results import CheckResult, MistakeFound, QuestionResult, Status, tidy_score

STATUS: dict[Stage, Status] = {
    "not_attempted": "not_attempted",
    "load": "crashed",
    "crashed": "crashed",
    "died": "crashed",
    "timed_out": "timed_out",
}


def check_result(check: CodeCheck, finding: Finding | None) -> CheckResult:
    """A check's points: all of them, or none and the sentence that says why."""
    if finding is None:
        return CheckResult(check.name, "passed", check.points, check.points)
    status = STATUS.get(finding.stage, "failed")
    return CheckResult(check.name, status, 0, check.points, finding.message)


def summed_up(
    id: str,
    title: str,
    points: float,
    hint: str,
    checks: tuple[CheckResult, ...],
    mistakes: tuple[MistakeFound, ...] = (),
) -> QuestionResult:
    """A question's status, score and text from its checks."""
    status = overall(checks)
    score = tidy_score(sum(check.points for check in checks))
    hint = hint if status not in ("passed", "not_attempted") else ""
    text = feedback(title, status, score, points, checks, mistakes, hint)
    return QuestionResult(id, title, status, score, points, checks, mistakes, hint, text)


def overall(checks: Sequence[CheckResult]) -> Status:
    """Passed if all are, partial if any earned something, else the first failed check's status."""
    if all(check.status == "passed" for check in checks):
        return "passed"
    if any(check.points > 0 for check in checks):
        return "partial"
    statuses = [check.status for check in checks if check.status != "passed"]
    for status in ("timed_out", "crashed"):
        if statuses[0] == status:
            return statuses[0]
    return "not_attempted" if all(status == "not_attempted" for status in statuses) else "failed"
