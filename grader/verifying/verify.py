"""All proofs of one answer key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.key.answer_key import AnswerKey
from grader.key.code import CodeQuestion
from grader.verifying import answers, functions, hidden, mistakes, submissions
from grader.verifying.proof import Proof, counted
from grader.verifying.rehearsal import Rehearsal
from grader.verifying.tolerances import Margin, margins_of, tolerances_stand_clear


@dataclass(frozen=True)
class Verified:
    """The proofs of a key, and what its table shows: each code question that runs, with the margins of its checks."""

    key: AnswerKey
    proofs: tuple[Proof, ...]
    measured: tuple[tuple[Rehearsal, tuple[Margin, ...]], ...]

    @property
    def holds(self) -> bool:
        return all(proof.holds for proof in self.proofs)


def verify(key: AnswerKey, course: Path) -> Verified:
    """Prove what can be proved of a key; nothing is stored. Whatever the key does, this ends in sentences."""
    rehearsals, runs = _rehearsed(key)
    parts = answers.parts_of_key(key)
    proofs = [runs, *_of_functions(rehearsals)]
    margins = [tuple(margins_of(rehearsal)) for rehearsal in rehearsals]
    proofs.append(tolerances_stand_clear(rehearsals, margins))
    proofs.append(answers.answers_are_judged(parts))
    proofs += submissions.submissions_are_graded(key, course)
    proofs.append(hidden.nothing_private_shows(key.assignment, course))
    proofs.append(hidden.public_checks_tell_no_answer(parts, course / "exercises" / key.assignment))
    return Verified(key, tuple(proofs), tuple(zip(rehearsals, margins, strict=True)))


def _of_functions(rehearsals: Sequence[Rehearsal]) -> list[Proof]:
    return [
        functions.right_earns_everything(rehearsals),
        functions.nothing_earns_nothing(rehearsals),
        mistakes.each_costs_points(rehearsals),
        mistakes.each_is_named(rehearsals),
        mistakes.pairs_are_not_misnamed(rehearsals),
        functions.each_check_can_fail(rehearsals),
        functions.draws_agree(rehearsals),
    ]


def _rehearsed(key: AnswerKey) -> tuple[list[Rehearsal], Proof]:
    """The code questions whose cases and reference run, and the proof that all do."""
    rehearsals: list[Rehearsal] = []
    failures = []
    for question in key.code_questions.values():
        try:
            rehearsals.append(_rehearsal(question, key))
        except Exception as error:
            failures.append(
                f"{question.id}: its reference does not run on its cases: {type(error).__name__}: {error}. "
                "Mend the steps or the cases; until then nothing else is tried of it."
            )
    number = counted(len(key.code_questions), "question")
    return rehearsals, Proof("references run on their cases", tuple(failures), number)


def _rehearsal(question: CodeQuestion, key: AnswerKey) -> Rehearsal:
    rehearsal = Rehearsal(question, key.secret)
    rehearsal.graded(question.reference())  # what the reference returns may be no tensor at all
    return rehearsal
