"""Proofs about what students can see: nothing private, and no public check that tells an answer."""

from __future__ import annotations

import math
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import grader
from grader.errors import CourseError
from grader.key.values import ChoicePart, NumberPart, Part
from grader.observing.returned import describe
from grader.releasing.leaks import package_files, scan, scan_beside
from grader.verifying.answers import shape_of, shaped
from grader.verifying.proof import Proof
from grader.wording import counted

PACKAGE = Path(grader.__file__).resolve().parent
Place: TypeAlias = tuple[str, tuple[int, ...]]  # of a public check: its question, and where it stands in the file
NOTHING_SHOWS = "nothing private is in the exercise or the grader"
NOTHING_TOLD = "public checks do not tell the answers"
TABLES = 4  # wrong tables of numbers that are tried


def nothing_private_shows(assignment: str, course: Path) -> Proof:
    """The leak scan of `grader release`, on the exercise as it stands and on the grader that goes with it."""
    source, released = course / "solutions" / assignment, course / "exercises" / assignment
    key = course / "solutions" / "keys" / f"{assignment}.py"
    files = package_files(PACKAGE)
    try:
        found = [f"exercises/{assignment}/{one}" for one in scan(released, source, key)] if released.is_dir() else []
        found += scan_beside(files, course / "solutions")
    except CourseError as error:
        found = [str(error)]
    advice = "Take it out, and run `grader release` again."
    notes = () if released.is_dir() else (f"exercises/{assignment} is not released yet: only the grader was looked at",)
    tried = counted(len(files) + sum(path.is_file() for path in released.glob("*")), "file")
    return Proof(NOTHING_SHOWS, tuple(f"{one}. {advice}" for one in found), tried, notes)


def public_checks_tell_no_answer(parts: Sequence[Part], released: Path) -> Proof:
    """Each public check of an answer lets some wrong answer pass: it looks at the form."""
    from grader.student.folder import test_files
    from grader.student.running import run_checks  # pytest, and only now

    files = test_files(released) if released.is_dir() else []
    if not files or not parts:
        return Proof(NOTHING_TOLD, left_out=f"exercises/{released.name} holds no public checks of answers yet")
    names = {part.name for part in parts}
    strict: dict[Place, str] = {}  # the name that each check asks for
    lenient: set[Place] = set()
    for answers in _wrong_rounds(parts):
        if strict and lenient >= set(strict):
            break
        with tempfile.TemporaryDirectory() as folder:
            copies = [Path(shutil.copy(file, folder)) for file in files]
            for file in files:
                Path(folder, file.name.removeprefix("test_")).write_text(answers, encoding="utf-8")
            checked = run_checks(copies)
        if checked.problem:
            return Proof(NOTHING_TOLD, (f"The public checks do not run: {checked.problem}",))
        for said in (said for lesson in checked.lessons for tally in lesson.run for said in tally.said):
            if said.name in names:
                strict[said.question, said.order] = said.name
                lenient |= {(said.question, said.order)} if said.status == "passed" else set()
    failures = [
        f"{name}: a public check refuses every wrong answer that was tried, so that trying tells the right one. "
        "Let it look at the form alone."
        for place, name in strict.items()
        if place not in lenient
    ]
    untold = [f"{name} has no public check of its form" for name in sorted(names - set(strict.values()))]
    return Proof(NOTHING_TOLD, tuple(dict.fromkeys(failures)), counted(len(strict), "check"), tuple(untold))


def _wrong_rounds(parts: Sequence[Part]) -> Iterator[str]:
    """Scripts that give every name a wrong answer, until each has had all of its own."""
    wrong = {part.name: list(wrong_answers(part)) or [None] for part in parts}
    for number in range(max(map(len, wrong.values()))):
        yield "".join(f"{name} = {values[number % len(values)]!r}\n" for name, values in wrong.items())


def wrong_answers(part: Part) -> Iterator[Any]:
    """Answers that are wrong and look like right ones: in their shape, as whole numbers, or in what they sum to."""
    if isinstance(part, ChoicePart):
        yield from (letter for letter in part.letters if letter != part.right)
        return
    shape = shape_of(part)
    right = flat_numbers(part)
    candidates = [*_near(right), *_random_tables(len(right))]
    yield from (shaped(values, shape) for values in candidates if part.judge(describe(shaped(values, shape))))


def flat_numbers(part: Part) -> list[float]:
    """The right numbers where they are known; else as many zeros."""
    if isinstance(part, NumberPart):
        return [round(value, part.decimals) for value in part.expected.values]
    return [0.0] * math.prod(shape_of(part))


def _near(right: list[float]) -> Iterator[list[float]]:
    yield [*right[1:], right[0]]
    yield right[::-1]
    yield [value + 1 for value in right]
    whole = len(right) * (len(right) + 1) / 2
    yield [(place + 1) / whole for place in range(len(right))]


def _random_tables(count: int) -> Iterator[list[float]]:
    draw = random.Random(count)
    yield from ([float(draw.randint(-3, 3)) for _ in range(count)] for _ in range(TABLES))
