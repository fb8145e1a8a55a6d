"""All attacks in one run of `grader grade`, each between two honest students."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.sandbox.isolation import bubblewrap_trouble
from tests.attacks.beside import NEIGHBOUR, NEIGHBOUR_SCORE, orphans_come_to_us, processes, soon
from tests.attacks.corpus import FILE, HALF, Attack, corpus

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "l10_attention"
SECONDS = 3.0  # per question: what hangs is over soon, and honest work beside it is done
ATTACKS = corpus()

pytestmark = [pytest.mark.long, pytest.mark.usefixtures(orphans_come_to_us.__name__)]


@dataclass(frozen=True)
class Run:
    """One run of `grader grade`: what it should give each student, what it said and gave, and what it left."""

    expected: dict[str, float]
    code: int
    table: str
    said: str
    results: dict[str, dict[str, Any]]
    left: Counter[str]


def run_class(folder: Path, attacks: Sequence[Attack]) -> Run:
    """Grade each between two honest students, by the order of ids."""
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    expected = hand_in_all(folder / "class", attacks)
    before = processes()
    (folder / "temporary").mkdir()
    options = ("--isolation", "strict", "--jobs", "2", "--timeout", str(SECONDS))
    ran = subprocess.run(
        [sys.executable, "-m", "grader", "grade", ASSIGNMENT, "class", *options],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "temporary"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=540,
    )
    soon(lambda: processes() == before)
    stored = sorted((folder / "graded" / ASSIGNMENT).glob("*.json"))
    results = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in stored}
    return Run(expected, ran.returncode, ran.stdout, ran.stderr, results, processes() - before)


def hand_in_all(place: Path, attacks: Sequence[Attack]) -> dict[str, float]:
    """Attacks and honest students by turns; the score that each id must get."""
    expected: dict[str, float] = {}
    for number in range(2 * len(attacks) + 1):
        attack = attacks[number // 2] if number % 2 else None
        student = place / f"a{number:03}-{attack.name if attack else 'honest'}"
        student.mkdir(parents=True)
        if attack:
            attack.hand_in(student)
        else:
            (student / FILE).write_text(NEIGHBOUR.format(number))
        expected[student.name] = attack.score if attack else NEIGHBOUR_SCORE
    return expected


def test_a_class_of_attacks_and_honest_students_is_graded_to_its_end(tmp_path: Path) -> None:
    if trouble := bubblewrap_trouble():
        pytest.skip(f"no bubblewrap: {trouble}")
    attacks = [attack for attack in ATTACKS if not attack.exit]
    ran = run_class(tmp_path, attacks)
    assert ran.code == 0, ran.said
    assert "Traceback" not in ran.said
    assert not ran.left
    scores = {student: result["score"] for student, result in ran.results.items()}
    assert {student: scores.pop(student, None) for student in ran.expected} == ran.expected
    assert all(score <= HALF for score in scores.values()), "others that an attack handed in"
    assert len({graded_alike(result) for student, result in ran.results.items() if student.endswith("-honest")}) == 1
    assert nothing_that_a_terminal_acts_on(ran)
    assert whoever_was_stopped_is_told(ran)


def graded_alike(result: dict[str, Any]) -> str:
    """What is the same for equal work: all but the times."""
    return json.dumps([{**question, "seconds": 0} for question in result["questions"]])


def nothing_that_a_terminal_acts_on(ran: Run) -> bool:
    return {letter for letter in ran.table + ran.said if not letter.isprintable()} <= {"\n"}


def whoever_was_stopped_is_told(ran: Run) -> bool:
    questions = [question for result in ran.results.values() for question in result["questions"]]
    stopped = [question["feedback"] for question in questions if question["status"] == "timed_out"]
    return bool(stopped) and all("stopped" in text for text in stopped)


def test_what_cannot_be_read_is_named_and_costs_the_exit_code_only(tmp_path: Path) -> None:
    if trouble := bubblewrap_trouble():
        pytest.skip(f"no bubblewrap: {trouble}")
    unreadable = [attack for attack in ATTACKS if attack.exit]
    if not unreadable:
        pytest.skip("every attack can be read")
    ran = run_class(tmp_path, unreadable)
    assert ran.code == 1
    assert "Traceback" not in ran.said
    assert [attack.name for attack in unreadable if attack.name not in ran.said] == []
    assert nothing_that_a_terminal_acts_on(ran)
