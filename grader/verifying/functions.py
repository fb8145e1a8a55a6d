"""Proofs about code questions: what is right earns everything, what is nothing earns nothing, each check can fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.key.code import CodeCheck
from grader.key.trials import missed_in
from grader.observing.outcome import Finding
from grader.verifying.proof import Proof
from grader.verifying.rehearsal import DRAWS, Function, Rehearsal
from grader.verifying.students import careless_students, null_students
from grader.wording import counted


def right_earns_everything(rehearsals: Sequence[Rehearsal]) -> Proof:
    """The references, and each other formulation that the author calls right, on every draw."""
    failures: list[str] = []
    number = 0
    for rehearsal in rehearsals:
        for what, function in _right(rehearsal).items():
            number += 1
            failures += list(_short_of_everything(rehearsal, what, function))[:3]
    tried = f"{counted(number, 'function')}, {_draws(rehearsals)}"
    return Proof("references and alternatives earn full marks", tuple(failures), tried)


def _right(rehearsal: Rehearsal) -> dict[str, Function]:
    others = {f"the alternative `{function.__name__}`": function for function in rehearsal.question.alternatives}
    return {"the reference": rehearsal.question.reference(), **others}


def _short_of_everything(rehearsal: Rehearsal, what: str, function: Function) -> Iterator[str]:
    """A rule that is broken; else each check that is missed, once."""
    question = rehearsal.question
    graded = rehearsal.graded(function)
    rule = next((check for check in graded.checks if check.name == question.rule and check.status != "passed"), None)
    if rule is not None:
        told = rule.message.partition(", which this question forbids")[0]
        yield f"{question.id}: {what} breaks the question's own rule: {told}. Write it in another way, or allow that."
        return
    told_checks: set[str] = set()
    for run in rehearsal.runs(function):
        for name, finding in missed_in(run).items():
            if name not in told_checks:
                told_checks.add(name)
                yield f'{question.id}: {what} fails "{name}". {finding.message} {_mend(what, finding)}'
    if not told_checks and graded.score != question.points:
        yield f"{question.id}: {what} earns {graded.score:g} of {question.points:g} points. {graded.feedback}"


def _mend(what: str, finding: Finding) -> str:
    if finding.stage == "values" and what != "the reference":
        return "Mend it, or give the check a wider tolerance."
    return f"Mend {what}, or the cases."


def nothing_earns_nothing(rehearsals: Sequence[Rehearsal]) -> Proof:
    """On every check, also after partial credit: judging again with a named mistake must not pay for no work."""
    failures = []
    for rehearsal in rehearsals:
        for does, student in null_students(rehearsal.question).items():
            earned = [
                check
                for draw in range(1, rehearsal.draws)
                for check in rehearsal.graded(student, draw).checks
                if check.points > 0
            ]
            for name in dict.fromkeys(check.name for check in earned):
                failures.append(f'{rehearsal.id}: a student who {does} passes "{name}". Add a case that this fails.')
    return Proof("students who do nothing earn nothing", tuple(failures), f"10 kinds, {counted(DRAWS - 1, 'draw')}")


def each_check_can_fail(rehearsals: Sequence[Rehearsal]) -> Proof:
    """For a mistake or a null student; what it asks besides right values, for one who does all but that."""
    failures: list[str] = []
    notes: list[str] = []
    number = 0
    for rehearsal in rehearsals:
        students = null_students(rehearsal.question).values()
        by_all = set.intersection(*(_passed(rehearsal, student) for student in students))
        by_mistakes = [rehearsal.fails(mistake) for mistake in rehearsal.question.mistakes]
        for check in rehearsal.question.checks:
            number += 1
            caught = any(fails[check.name] for fails in by_mistakes)
            if not caught and check.name in by_all:
                failures.append(f'{rehearsal.id}: nothing fails "{check.name}". Give it cases that can be failed.')
                continue
            if not caught:
                notes.append(f'{rehearsal.id}: no mistake fails "{check.name}"; add one that it is there for.')
            failures += _careless(rehearsal, check)
    return Proof("every check can fail", tuple(failures), counted(number, "check"), tuple(notes))


def _passed(rehearsal: Rehearsal, student: Function) -> set[str]:
    missed = missed_in(rehearsal.run(student, 0))
    return {check.name for check in rehearsal.question.checks if check.name not in missed}


def _careless(rehearsal: Rehearsal, check: CodeCheck) -> Iterator[str]:
    for does, student in careless_students(rehearsal.question, check).items():
        if check.name in _passed(rehearsal, student):
            yield f'{rehearsal.id}: a student who {does} passes "{check.name}". Add a case that shows it.'


def draws_agree(rehearsals: Sequence[Rehearsal]) -> Proof:
    """The same mistake costs every student the same, whatever their inputs are."""
    failures = []
    for rehearsal in rehearsals:
        for mistake in rehearsal.question.mistakes:
            for name, times in rehearsal.fails(mistake).items():
                if 0 < times < rehearsal.draws:
                    failures.append(
                        f'{rehearsal.id}: `{mistake.name}` fails "{name}" on {times} of {rehearsal.draws} draws, so '
                        "that luck decides. Draw inputs that show it each time, or that never do."
                    )
    return Proof("a mistake fails the same checks whatever the inputs", tuple(failures), _draws(rehearsals))


def _draws(rehearsals: Sequence[Rehearsal]) -> str:
    return counted(max((rehearsal.draws for rehearsal in rehearsals), default=0), "draw")
