"""Every attack of the corpus, for real: it gets what its honest answers deserve, and touches nobody and nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.grading.grade import Grading
from grader.grading.jobs import Graded, Plan, grade_entry
from grader.key import AnswerKey
from grader.reading.discover import discover
from grader.results import Result
from grader.sandbox.isolation import Isolation, bubblewrap_trouble
from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox
from tests.attacks.beside import NEIGHBOUR, NEIGHBOUR_SCORE, orphans_come_to_us, processes, soon
from tests.attacks.corpus import FILE, HALF, HALF_SAYS, HERE, SECONDS, Attack, corpus, honest_half, page

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "l10_attention"
SHARED = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home())  # other programs write there, too
OURS = ("solutions", "exercises", "grader", "tests/submissions")
ATTACKS = corpus()
ISOLATIONS: tuple[Isolation, ...] = ("bubblewrap", "process")
SLOW = {  # their worker is started anew, or they take seconds themselves
    "answer-imports-the-key",
    "answer-reads-processes",
    "files-attributes",
    "files-in-shared-memory",
    "machine-daemon",
    "machine-dotted-import",
    "machine-fork-bomb",
    "machine-fork-chain",
    "machine-fork-in-call",
    "machine-many-sleepers",
    "machine-memory-together",
    "machine-processor-time",
    "machine-session-of-its-own",
    "machine-shared-memory",
    "machine-threads-without-end",
}
assert {attack.name for attack in ATTACKS} >= SLOW
BOTH = [
    pytest.param(attack, "bubblewrap", id=attack.name, marks=pytest.mark.long if attack.name in SLOW else ())
    for attack in ATTACKS
]
BOTH += [
    pytest.param(attack, "process", id=f"{attack.name}-process", marks=pytest.mark.long)
    for attack in ATTACKS
    if not attack.process
]
GUARD = "only in the sandbox"  # what attacks raise that bubblewrap alone stops, when they are run elsewhere

pytestmark = pytest.mark.usefixtures(orphans_come_to_us.__name__)


# --- what there is before and after ---------------------------------------------------------------------------


def descriptors_and_threads() -> tuple[int, int, int]:
    return (
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        len(os.listdir("/proc/self/task")),
    )


def files() -> dict[str, Any]:
    """All of the course; and where other programs write, too, what has "attack" in its name."""
    found: dict[str, Any] = {}
    for top in (ROOT / name for name in OURS):
        for path in top.rglob("*"):
            if "__pycache__" not in path.parts:
                status = path.lstat()
                found[str(path)] = (status.st_mode, status.st_size, 0 if path.is_dir() else status.st_mtime_ns)
    for top in (*SHARED, Path.cwd()):
        found |= {str(path): None for path in top.iterdir() if "attack" in path.name.lower()}
    return found


# --- one attack between two honest submissions --------------------------------------------------------------------


@dataclass
class Batch:
    """A sandbox, and the folder in which its submissions stand."""

    folder: Path
    key: AnswerKey
    sandbox: Sandbox
    alone: dict[str, Any] = field(default_factory=dict)

    def grade(self, student: str, hand_in: Callable[[Path], None], seconds: float = SECONDS) -> list[Graded]:
        """What is found of a student beside another one, with so many seconds a question."""
        self.sandbox.limits = Limits(seconds)
        place = self.folder / "class"
        for name in (student, "zz-beside"):
            (place / name).mkdir(parents=True)
        (place / "zz-beside" / FILE).write_text("")
        hand_in(place / student)
        plan = Plan(1, self.sandbox.isolation, self.sandbox.limits, self.folder / "graded", fresh=True)
        try:
            with discover(ASSIGNMENT, [place]) as found:
                entries = [entry for entry in found.entries if entry.student != "zz-beside"]
                return [grade_entry(Grading(self.key, seconds), entry, self.sandbox, plan) for entry in entries]
        finally:
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def honest(self) -> dict[str, Any]:
        """The result of an honest submission, without its times."""
        (graded,) = self.grade("honest", lambda folder: folder.joinpath(FILE).write_text(NEIGHBOUR))
        return plain(graded.result)


def plain(result: Result) -> dict[str, Any]:
    without = result.to_json()
    for question in without["questions"]:
        del question["seconds"]
    return without


@pytest.fixture(scope="module")
def batches(tmp_path_factory: pytest.TempPathFactory, key: AnswerKey) -> Iterator[Callable[[Isolation], Batch]]:
    """By isolation; each starts with the honest submission that every other one is compared with."""
    made: dict[Isolation, Batch] = {}
    before = tempfile.tempdir
    tempfile.tempdir = str(tmp_path_factory.mktemp("temporary"))  # the slots' folders and whatever else

    def get(isolation: Isolation) -> Batch:
        if isolation not in made:
            folder = tmp_path_factory.mktemp(isolation)
            batch = made[isolation] = Batch(folder, key, Sandbox(isolation, Limits(SECONDS)))
            batch.alone = batch.honest()
        return made[isolation]

    yield get
    for batch in made.values():
        batch.sandbox.close()
    subprocess.run(["rm", "-rf", tempfile.tempdir], check=True)  # what is left may be deeper than pytest can delete
    tempfile.tempdir = before


def batch_of(isolation: Isolation, batches: Callable[[Isolation], Batch]) -> Batch:
    trouble = bubblewrap_trouble() if isolation == "bubblewrap" else None
    if trouble is not None:
        pytest.skip(f"no bubblewrap: {trouble}")
    return batches(isolation)


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_the_honest_half_gets_its_score(isolation: Isolation, batches: Callable[[Isolation], Batch]) -> None:
    batch = batch_of(isolation, batches)
    (graded,) = batch.grade("half", lambda folder: folder.joinpath(FILE).write_text(honest_half()))
    assert (graded.result.score, batch.alone["score"]) == (HALF, NEIGHBOUR_SCORE)
    for result in (graded.result.to_json(), batch.alone):
        assert {question["status"] for question in result["questions"]} >= {"passed", "partial", "failed"}


@pytest.mark.parametrize(("attack", "isolation"), BOTH)
def test_an_attack_gets_what_it_deserves_and_touches_nobody(
    attack: Attack, isolation: Isolation, batches: Callable[[Isolation], Batch]
) -> None:
    """The honest submission before it is the one of the attack before, or the one that a batch starts with."""
    batch = batch_of(isolation, batches)
    batch.sandbox.start()
    temporary = Path(tempfile.gettempdir())
    before, running = files(), processes()
    open_here = descriptors_and_threads(), len(os.listdir(temporary))
    _check_result(attack, isolation, batch.grade("attack", attack.hand_in, attack.seconds))
    assert batch.honest() == batch.alone, "the next submission got another result than alone"
    assert soon(lambda: processes() == running), f"left behind: {processes() - running}, gone: {running - processes()}"
    changed = {name for name, _ in files().items() ^ before.items()}
    assert not changed, "written or deleted"
    assert (descriptors_and_threads(), len(os.listdir(temporary))) == open_here
    assert os.listdir(batch.folder) == []


def _check_result(attack: Attack, isolation: Isolation, graded: Sequence[Graded]) -> None:
    """The score, no fault of ours, and words for what was stopped."""
    results = [one.result for one in graded]
    assert {result.status for result in results} == {"graded"}
    assert max(result.score for result in results) == attack.score, _earned(results)
    text = json.dumps([result.to_json() for result in results], ensure_ascii=False)
    assert [part for part in attack.parts if part not in text] == []
    announced = (*attack.parts, HALF_SAYS)
    assert [one for one in _lost(results) if not any(part in one for part in announced)] == [], "perhaps no attack"
    assert isolation != "bubblewrap" or GUARD not in text, "it did not even try"
    questions = [question for result in results for question in result.questions]
    assert "grader_error" not in {question.status for question in questions}
    assert all("stopped" in question.feedback for question in questions if question.status == "timed_out")
    assert any(one.problem for one in graded) == bool(attack.exit)


def _lost(results: Sequence[Result]) -> list[str]:
    """What is said of cells, functions and files that raised, were stopped or could not be read."""
    questions = [question for result in results for question in result.questions]
    lost = [question.feedback for question in questions if question.status in ("crashed", "timed_out")]
    return [*(message for result in results for message in result.messages), *lost]


def _earned(results: Sequence[Result]) -> list[tuple[str, float, str]]:
    return [(question.id, question.score, question.status) for result in results for question in result.questions]


# --- the corpus itself ------------------------------------------------------------------------------------------------


def test_there_are_at_least_sixty_attacks_each_with_a_name_of_its_own() -> None:
    assert len(ATTACKS) >= 60
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert len({attack.tries for attack in ATTACKS}) == len(ATTACKS)
    assert all(attack.score <= HALF for attack in ATTACKS)
    assert (HERE / "scripts").is_dir()


def test_the_page_of_attacks_is_current() -> None:
    assert (ROOT / "docs/attacks.md").read_text(encoding="utf-8") == page()
