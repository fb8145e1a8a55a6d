"""What the student reads about one question, as markdown: the cause once, then what is and is not yet true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.key.steps import CODE, RETURNED
from grader.markdown import escaped
from grader.results import CheckResult, MistakeFound, Status

HEADS: dict[Status, str] = {
    "passed": "right",
    "partial": "partly right",
    "failed": "not right yet",
    "crashed": "stopped with an error",
    "timed_out": "ran too long",
    "not_attempted": "not attempted",
    "grader_error": "could not be graded",
}
SIZES = re.compile(r"\[[^\]]*\]|(?<![A-Za-z_])-?\d[\dx.e+-]*")  # shapes and numbers, but not those of a name


def feedback(
    title: str,
    status: Status,
    score: float,
    points: float,
    checks: Sequence[CheckResult],
    mistakes: Sequence[MistakeFound] = (),
    hint: str = "",
) -> str:
    """The whole text: verdict, the named mistakes or the causes, what holds and what does not, a question."""
    lines = [f"**{escaped(title)}**: {HEADS[status]}, {score:g} of {points:g} points."]
    if status in ("passed", "not_attempted"):
        return lines[0]
    lines += [escaped(" ".join(mistake.message for mistake in mistakes))] if mistakes else []
    # parts in the wrong place compare to nonsense, and how a program ends says all by itself
    if not any(mistake.step in (RETURNED, CODE) for mistake in mistakes):
        lines += map(escaped, causes(checks)[: 1 if mistakes else 3])
    lines += _listed("Not yet true:", _missed(checks))
    lines += _listed("True already:", [check.name for check in checks if check.status == "passed"])
    return "\n\n".join([*lines, *([f"Ask yourself: {escaped(hint)}"] if hint else [])])


def rule_feedback(title: str, points: float, checks: Sequence[CheckResult]) -> str:
    """The text where a rule of the question is broken; the first check tells of the rule."""
    head = f"**{escaped(title)}**: a rule of this question is broken, 0 of {points:g} points."
    lines = [head, *map(escaped, causes(checks)[:3])]
    lines += _listed("Not yet true:", _missed(checks))
    right = [check.name for check in checks if check.status == "passed"]
    lines += _listed("True already, and worth its points once the rule is kept:", right)
    return "\n\n".join(lines)


def _missed(checks: Sequence[CheckResult]) -> list[str]:
    """The checks that do not hold; a rule that could not be looked into, of which nothing is said, is none of them."""
    return [check.name for check in checks if check.status != "passed" and (check.max_points or check.message)]


def causes(checks: Sequence[CheckResult]) -> list[str]:
    """The messages of the failed checks, in their order; of those that differ in numbers only, the first."""
    told: dict[str, str] = {}
    for check in checks:
        if check.status != "passed" and check.message:
            told.setdefault(SIZES.sub("", check.message), check.message)
    return list(told.values())


def _listed(head: str, names: Sequence[str]) -> list[str]:
    return ["\n".join([head, "", *(f"- {escaped(name)}" for name in names)])] if names else []
