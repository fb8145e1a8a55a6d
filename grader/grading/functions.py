"""Grade a question that is answered by a function."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.grading.calls import caller_of
from grader.grading.credit import Rescore, still_missed
from grader.grading.diagnose import Diagnosis
from grader.grading.missing import missing
from grader.grading.naming import Named, named
from grader.grading.observed import ended_by
from grader.grading.rules import broken, called, placed, rule_checks, written
from grader.grading.scoring import Scoring, light
from grader.grading.sums import check_result, summed_up
from grader.key.code import CodeQuestion, Probe
from grader.key.judge import parts_right
from grader.key.trials import observe
from grader.observing.compare import right_and_not, spoken
from grader.observing.outcome import Finding, Outcome, Stage
from grader.reading.attempt import cell_of, untouched
from grader.results import CheckResult, MistakeFound, QuestionResult
from grader.sandbox.child import SlotGone
from grader.sandbox.limits import WorkerBroken
from grader.sandbox.session import Session

ELSEWHERE: dict[Stage, str] = {
    "crashed": "It raises an error for some of the inputs that were tried; try other numbers of rows and columns.",
    "shape": "The shape is wrong for some of the inputs that were tried; try other numbers of rows and columns.",
    "dtype": "The dtype is wrong for some of the inputs that were tried; try float32 and float64.",
    "nan": "Some of the inputs that were tried give NaN or infinity; try larger numbers.",
}
SOMEWHERE = "It holds for some of the inputs that were tried, but not for all; try other sizes and other numbers."


@dataclass(frozen=True)
class Draft:
    """A question's result in which each check that was missed costs. `final` is the one in which a cause that was named
    costs once: a second step, since that takes no calls and the child can end meanwhile.
    """

    result: QuestionResult
    credited: Callable[[], QuestionResult] | None = None

    def final(self) -> QuestionResult:
        return self.result if self.credited is None else self.credited()


def grade_code(question: CodeQuestion, session: Session, scoring: Scoring, diagnosis: Callable[[], Diagnosis]) -> Draft:
    """Score on inputs drawn from the secret; when something is wrong, show and diagnose on fixed ones."""
    value = session.values.get(question.id)
    if value is None:
        finding = missing(session, question.id, function=True)
        cell = cell_of(session.submission, question.id)
        errors = [error.type for error in session.errors if error.cell == cell and finding.stage == "load"]
        return _all_missed(question, finding, ended_by([finding], errors))
    if not value.callable:
        text = f"{question.id} should be a function, but after your cells ran it holds {spoken(value.tree)}."
        return _all_missed(question, Finding("type", text))
    session.begin_question()
    forbidden: set[str] = set()
    scored = scoring.missed(caller_of(question, session, forbidden))
    if len(scored) == len(question.checks) and _unwritten(question, session, scored):
        return _all_missed(question, Finding("not_attempted", f"{question.id}() is not written yet."))
    places = dict.fromkeys(forbidden, "") | written(question, session)
    if places:
        return _rule_broken(question, session, scored, places, diagnosis)
    if not scored or _lost(scored):
        unseen = {name: _unseen(finding) for name, finding in scored.items()}
        return Draft(_result(question, unseen, ended_by(unseen.values()), ran=not _lost(scored)))
    return _explained(question, session, scored, diagnosis(), scoring.missed_again)


def _all_missed(question: CodeQuestion, finding: Finding, told: tuple[MistakeFound, ...] = ()) -> Draft:
    return Draft(_result(question, {check.name: finding for check in question.checks}, told, ran=False))


def _unwritten(question: CodeQuestion, session: Session, scored: Mapping[str, Finding]) -> bool:
    """Whether a body of `pass`, `...` or a docstring alone is why nothing comes back: as good as the stub."""
    nothing = {finding.stage for finding in scored.values()} == {"type"}
    seen = cell_of(session.submission, question.id) is not None
    return nothing and seen and question.id in untouched(session.submission, (question.id,))


def _lost(findings: Mapping[str, Finding]) -> bool:
    """Whether more calls would tell nothing: never written, hanging, or ending the program."""
    stages = {finding.stage for finding in findings.values()}
    return stages == {"not_attempted"} or bool(stages & {"timed_out", "died"})


def _explained(
    question: CodeQuestion, session: Session, scored: Mapping[str, Finding], diagnosis: Diagnosis, rescore: Rescore
) -> Draft:
    """Messages come from fixed inputs alone: what was scored on must not be read off a sentence.

    What is called here to explain has its own allowance of time, so that a slow function is told as much as a fast one.
    """
    findings, outcomes = _shown(question, session, scored, diagnosis)
    found = _named(question, session, diagnosis, findings, outcomes)
    place = "" if found.told else _place([probe for _, probe in diagnosis.probes], outcomes)
    result = _result(question, _placed(findings, place), found.told)

    def credited() -> QuestionResult:
        return _result(question, still_missed(diagnosis, found.variant, findings, rescore), found.told)

    return Draft(result, credited if found.variant else None)


def _named(
    question: CodeQuestion,
    session: Session,
    diagnosis: Diagnosis,
    findings: Mapping[str, Finding],
    outcomes: Sequence[Outcome],
) -> Named:
    """A name is an extra: a fault of ours in finding one must not cost the question's grade."""
    try:
        return named(question, session, diagnosis, findings, outcomes)
    except (SlotGone, WorkerBroken):
        raise
    except Exception:
        return Named()


def _shown(
    question: CodeQuestion, session: Session, scored: Mapping[str, Finding], diagnosis: Diagnosis
) -> tuple[dict[str, Finding], list[Outcome]]:
    """What the fixed inputs say of each check that was missed, and what came of each call."""
    session.begin_question()
    caller = caller_of(question, session, set())
    shown: dict[str, Finding] = {}
    outcomes = []
    for seen in observe(diagnosis.probes, caller):
        shown = seen.missed() | shown
        outcomes.append(light(seen).outcome)
    return _random_first({name: shown.get(name) or _unseen(finding) for name, finding in scored.items()}), outcomes


def _rule_broken(
    question: CodeQuestion,
    session: Session,
    scored: Mapping[str, Finding],
    places: dict[str, str],
    diagnosis: Callable[[], Diagnosis],
) -> Draft:
    """Where the source does not say on which line, a call with fixed inputs does: lines can spell scored inputs too."""
    if _lost(scored):
        findings = {name: _unseen(finding) for name, finding in scored.items()}
    else:
        findings, outcomes = _shown(question, session, scored, diagnosis())
        seen = placed(session.submission, called(question, outcomes))
        places = seen | {name: place or seen.get(name, "") for name, place in places.items()}
    return Draft(broken(question, _check_results(question, findings), places))


def _placed(findings: Mapping[str, Finding], place: str) -> dict[str, Finding]:
    """The first finding, and all that say the same, begin with up to where the work is right."""
    if not place:
        return dict(findings)
    first = next(iter(findings.values())).message
    alike = {name: finding for name, finding in findings.items() if finding.message == first}
    placed = {name: dataclasses.replace(finding, message=f"{place} {first}") for name, finding in alike.items()}
    return dict(findings) | placed


def _random_first(findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Where two equal calls differ, that is the cause of wrong values too, and the one to tell."""
    repeat = next((finding for finding in findings.values() if finding.stage == "repeat"), None)
    caused = ("values", "gradient") if repeat else ()
    return {name: repeat if repeat and finding.stage in caused else finding for name, finding in findings.items()}


def _unseen(finding: Finding) -> Finding:
    """What went wrong on scored inputs only: its kind, and nothing of the inputs."""
    told = finding.stage in ("not_attempted", "timed_out", "died")
    return finding if told else Finding(finding.stage, ELSEWHERE.get(finding.stage, SOMEWHERE))


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
    return right_and_not(fine, bad)


def _result(
    question: CodeQuestion,
    findings: Mapping[str, Finding],
    mistakes: tuple[MistakeFound, ...] = (),
    ran: bool = True,
) -> QuestionResult:
    checks = _check_results(question, findings)
    rules = rule_checks(question, checks, ran)
    return summed_up(question.id, question.title, question.points, question.hint, (*rules, *checks), mistakes)


def _check_results(question: CodeQuestion, findings: Mapping[str, Finding]) -> tuple[CheckResult, ...]:
    return tuple(check_result(check, findings.get(check.name)) for check in question.checks)
