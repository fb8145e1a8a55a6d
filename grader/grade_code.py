"""Grade a question that is answered by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.diagnose import Diagnosis
from grader.feedback import feedback
from grader.key.code import CodeCheck, CodeQuestion, Probe
from grader.key.draw import secret_draw
from grader.key.judge import parts_right, run_probe
from grader.key.steps import Mistake
from grader.outcome import Finding, Outcome, Stage
from grader.results import CheckResult, MistakeFound, QuestionResult, Status, tidy_score
from grader.session import Session
from grader.unloaded import missing

STATUS: dict[Stage, Status] = {
    "not_attempted": "not_attempted",
    "load": "crashed",
    "crashed": "crashed",
    "died": "crashed",
    "timed_out": "timed_out",
}
ELSEWHERE = "This holds for some inputs, but not for all that were tried."


def grade_code(
    question: CodeQuestion, session: Session, secret: bytes, diagnosis: Callable[[], Diagnosis]
) -> QuestionResult:
    """Score on inputs drawn from the secret; when something is wrong, show and diagnose on fixed ones."""
    value = session.values.get(question.id)
    if value is None:
        finding = missing(session, question.id, function=True)
        return _result(question, [finding] * len(question.checks))
    if not value.callable:
        text = f"{question.id} should be a function, but after your cells ran it holds a {value.tree.type}."
        return _result(question, [Finding("type", text)] * len(question.checks))
    session.begin_question()
    caller = _caller(question, session)
    scored = [_scored(question, check, session, secret, caller) for check in question.checks]
    if not any(scored):
        return _result(question, scored)
    if _lost(scored):
        return _result(question, [finding and _unseen(finding) for finding in scored])
    return _explained(question, scored, diagnosis(), caller)


def _lost(findings: Sequence[Finding | None]) -> bool:
    """Whether more calls would tell nothing: never written, hanging, or ending the program."""
    stages = {finding.stage for finding in findings if finding}
    return stages == {"not_attempted"} or bool(stages & {"timed_out", "died"})


def _caller(question: CodeQuestion, session: Session) -> Callable[[Probe, int], Outcome]:
    def call(probe: Probe, seed: int) -> Outcome:
        return session.call(
            question.id, probe.arguments, gradient=probe.seeds, after=probe.check.unchanged, seed=seed
        )

    return call


def _scored(
    question: CodeQuestion,
    check: CodeCheck,
    session: Session,
    secret: bytes,
    caller: Callable[[Probe, int], Outcome],
) -> Finding | None:
    """The first miss of a check on inputs that nobody can know beforehand."""
    draw = secret_draw(secret, session.submission.digest, question.id, check.name)
    for probe in question.probes(check, draw):
        _, finding = run_probe(probe, caller)
        if finding is not None:
            return finding
    return None


def _explained(
    question: CodeQuestion,
    scored: Sequence[Finding | None],
    diagnosis: Diagnosis,
    caller: Callable[[Probe, int], Outcome],
) -> QuestionResult:
    """Messages come from fixed inputs alone: what was scored on must not be read off a sentence."""
    shown: dict[str, Finding] = {}
    outcomes = []
    for probe in diagnosis.probes:
        outcome, finding = run_probe(probe, caller)
        outcomes.append(outcome)
        if finding is not None:
            shown.setdefault(probe.check.name, finding)
    findings = [
        finding and (shown.get(check.name) or _unseen(finding))
        for check, finding in zip(question.checks, scored, strict=True)
    ]
    named = diagnosis.mistakes(outcomes)
    return _result(question, findings, _told(named), "" if named else _place(diagnosis.probes, outcomes))


def _unseen(finding: Finding) -> Finding:
    """What went wrong on scored inputs only: its kind, and nothing of the inputs."""
    told = finding.stage in ("not_attempted", "timed_out", "died")
    return finding if told else Finding(finding.stage, ELSEWHERE)


def _told(sets: Sequence[tuple[Mistake, ...]]) -> tuple[MistakeFound, ...]:
    """The mistakes of the first set; where another set cannot be told apart, it is told with it."""
    found: dict[str, MistakeFound] = {}
    for number, mistakes in enumerate(sets):
        for mistake in mistakes:
            message = mistake.message if number == 0 else f"Or: {mistake.message}"
            found.setdefault(mistake.message, MistakeFound(mistake.step, mistake.name, message))
    return tuple(found.values())


def _place(probes: Sequence[Probe], outcomes: Sequence[Outcome]) -> str:
    """ "scores and weights are right; output is not." from the calls that gave parts at all."""
    wrong: set[str] = set()
    names: dict[str, None] = {}
    for probe, outcome in zip(probes, outcomes, strict=True):
        right = parts_right(probe, outcome)
        names |= dict.fromkeys(right)
        wrong |= {name for name, is_right in right.items() if not is_right}
    fine = [name for name in reversed(names) if name not in wrong]
    bad = [name for name in names if name in wrong]
    if not fine or not bad:
        return ""
    return f"{_and(fine)} {_is(fine)} right; {_and(bad)} {_is(bad)} not."


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _result(
    question: CodeQuestion,
    findings: Sequence[Finding | None],
    mistakes: tuple[MistakeFound, ...] = (),
    place: str = "",
) -> QuestionResult:
    checks = tuple(
        CheckResult(
            check.name,
            STATUS.get(finding.stage, "failed") if finding else "passed",
            0 if finding else check.points,
            check.points,
            finding.message if finding else "",
        )
        for check, finding in zip(question.checks, findings, strict=True)
    )
    return summed_up(question.id, question.title, question.points, question.hint, checks, mistakes, place)


def summed_up(
    id: str,
    title: str,
    points: float,
    hint: str,
    checks: tuple[CheckResult, ...],
    mistakes: tuple[MistakeFound, ...] = (),
    place: str = "",
) -> QuestionResult:
    """A question's status, score and text from its checks."""
    status = overall(checks)
    score = tidy_score(sum(check.points for check in checks))
    hint = hint if status not in ("passed", "not_attempted") else ""
    text = feedback(title, status, score, points, checks, mistakes, place, hint)
    return QuestionResult(id, title, status, score, points, checks, mistakes, hint, text)


def overall(checks: Sequence[CheckResult]) -> Status:
    """Passed if all are, partial if any earned something, else the first failed check's status."""
    if all(check.status == "passed" for check in checks):
        return "passed"
    if any(check.points > 0 for check in checks):
        return "partial"
    statuses = [check.status for check in checks]
    for status in ("timed_out", "crashed"):
        if statuses[0] == status:
            return statuses[0]
    return "not_attempted" if all(status == "not_attempted" for status in statuses) else "failed"
