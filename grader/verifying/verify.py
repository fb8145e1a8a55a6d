"""All proofs of one answer key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from grader.key.answer_key import AnswerKey
from grader.key.code import CodeQuestion
from grader.verifying import answers, functions, hidden, mistakes, names, submissions
from grader.verifying.proof import Proof
from grader.verifying.rehearsal import Rehearsal
from grader.verifying.tolerances import Margin, margins_of, tolerances_stand_clear
from grader.wording import counted, with_article


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
    margins = [tuple(margins_of(rehearsal)) for rehearsal in rehearsals]
    proofs = (proof for what, prove in _all_proofs(key, course, rehearsals, margins) for proof in _safely(what, prove))
    return Verified(key, (runs, *proofs), tuple(zip(rehearsals, margins, strict=True)))


def _all_proofs(
    key: AnswerKey, course: Path, rehearsals: Sequence[Rehearsal], margins: Sequence[Sequence[Margin]]
) -> list[tuple[str, Callable[[], Proof | list[Proof]]]]:
    """Each with what it is about."""
    parts = answers.parts_of_key(key)
    released = course / "exercises" / key.assignment
    return [
        ("names", lambda: names.names_are_told_apart(key)),
        ("right functions", lambda: functions.right_earns_everything(rehearsals)),
        ("empty functions", lambda: functions.nothing_earns_nothing(rehearsals)),
        ("mistakes", lambda: mistakes.each_costs_points(rehearsals)),
        ("names of mistakes", lambda: mistakes.each_is_named(rehearsals)),
        ("pairs of mistakes", lambda: mistakes.pairs_are_not_misnamed(rehearsals)),
        ("checks", lambda: functions.each_check_can_fail(rehearsals)),
        ("draws", lambda: functions.draws_agree(rehearsals)),
        ("tolerances", lambda: tolerances_stand_clear(rehearsals, margins)),
        ("answers", lambda: answers.answers_are_judged(parts)),
        ("whole submissions", lambda: submissions.submissions_are_graded(key, course)),
        ("what students see", lambda: hidden.nothing_private_shows(key.assignment, course)),
        ("public checks", lambda: hidden.public_checks_tell_no_answer(parts, released)),
    ]


def _safely(what: str, prove: Callable[[], Proof | list[Proof]]) -> list[Proof]:
    try:
        proved = prove()
    except Exception as error:
        told = f"Trying stopped with {type(error).__name__}: {error}. Mend what the key says of this."
        return [Proof(f"{what} can be tried", (told,))]
    return proved if isinstance(proved, list) else [proved]


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
    for _, probe in (trial for trials in rehearsal.trials for trial in trials):
        for name, part in probe.expected.tensors.items():
            if not isinstance(part, torch.Tensor):
                raise TypeError(f"`{name}` must be a tensor, and is {with_article(type(part).__name__)}")
    return rehearsal
