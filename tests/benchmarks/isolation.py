"""What isolation costs, side by side in one run: a start, and each submission beyond what grading takes without it.

    make bench                                             or alone, about a minute:
    python tests/benchmarks/isolation.py --rounds 12

A right and a wrong notebook of lesson 10 are graded several times in a row in bubblewrap, then in a plain process, then
without isolation: there the same code loads them and calls their functions in this process, with no fork and no wire.
All three must give the same result. Times are wall time of reading, grading and storing, a row divided by its gradings,
so that what a slot does after a submission counts. A start ends when the worker could fork; importing torch is most of
it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from grader.grading.grade import Grading
from grader.grading.missing import cell_troubles
from grader.grading.scoring import Scoring
from grader.grading.store import write_result
from grader.key import load_key
from grader.observing.calling import call, safely_described
from grader.observing.outcome import Outcome
from grader.observing.returned import Returned
from grader.reading.discover import discover
from grader.reading.submission import Submission
from grader.results import Result
from grader.sandbox.isolation import Isolation, bubblewrap_trouble
from grader.sandbox.limits import Limits
from grader.sandbox.loaded import Value
from grader.sandbox.request import Request
from grader.sandbox.sandbox import Sandbox
from grader.worker.load import CellError, load

ROOT = Path(__file__).resolve().parent.parent.parent
ASSIGNMENT = "l10_attention"
STUDENTS = ("ada-all-right", "carla-unscaled")
STARTS, WARM_UP, IN_A_ROW = 5, 1, 6
MOST_TO_START, MOST_EACH = 3.0, 0.030  # seconds
Row = Callable[[Callable[[], Submission]], list[Result]]


@dataclass
class Unprotected:
    """What grading asks of a session, answered in this process."""

    submission: Submission
    names: Sequence[str]
    errors: list[CellError] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    lost: dict[int, Any] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    given_up: str = ""
    _holds: dict[str, Any] = field(default_factory=dict)

    def load(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            loaded = load(self.submission.cells, self.submission.kind, self._holds)
        self.errors, self.notes = loaded.errors, loaded.notes
        held = {name: self._holds[name] for name in self.names if name in self._holds}
        self.values = {name: _value(value) for name, value in held.items()}

    def begin_question(self) -> None:
        pass

    def end_calls(self) -> None:
        pass

    def end_scoring(self) -> None:
        pass

    def start_anew(self) -> bool:
        return False

    @property
    def at_work(self) -> bool:
        return True

    def call(self, name: str, arguments: Sequence[Any]) -> Outcome:
        return self._call(Request(name, arguments))

    def calls(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        return map(self._call, requests)

    def _call(self, asked: Request) -> Outcome:
        own = [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in asked.arguments]
        function = self._holds[asked.name]
        outcome = call(
            function, own, gradient=asked.gradient, after=asked.after, seed=asked.seed, forbids=asked.forbids
        )
        raised = outcome.raised
        if raised is None or raised.line is None:
            return outcome
        cell = f"cell {raised.cell}, " if self.submission.kind == "notebook" else ""
        return replace(outcome, raised=replace(raised, place=f"{cell}line {raised.line}"))


def _value(value: Any) -> Value:
    return Value(Returned("other", "function") if callable(value) else safely_described(value), callable(value))


def main() -> None:
    """Print both costs beside their limits; exit code 1 where one is above."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="rows of each notebook each way (default: 12)")
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    isolations: list[Isolation] = ["process"] if bubblewrap_trouble() else ["bubblewrap", "process"]
    if len(isolations) == 1:
        print(f"Nothing is measured in bubblewrap: {bubblewrap_trouble()}")
    starts = {isolation: _start(isolation) for isolation in isolations}
    print(f"{'the start of a worker':24}{'median':>10}{'slowest':>10}")
    for isolation, seconds in starts.items():
        print(f"{isolation:24}{statistics.median(seconds):8.2f} s{max(seconds):8.2f} s", flush=True)
    beyond = _measured(isolations, rounds)
    chosen = isolations[0]
    within = statistics.median(starts[chosen]) < MOST_TO_START and max(beyond[chosen]) < MOST_EACH
    limits = f"a start under {MOST_TO_START:g} s, each submission under {MOST_EACH * 1e3:g} ms more"
    print(f"{chosen}: {limits}: {'kept' if within else 'NOT KEPT'}")
    sys.exit(not within)


def _start(isolation: Isolation) -> list[float]:
    taken = []
    for _ in range(STARTS):
        started = time.perf_counter()
        with Sandbox(isolation, Limits()) as sandbox:
            sandbox.start()
            taken.append(time.perf_counter() - started)
    return taken


def _measured(isolations: Sequence[Isolation], rounds: int) -> dict[str, list[float]]:
    """By isolation, for each notebook the seconds beyond what it takes without."""
    key = load_key(ROOT / "solutions/keys", ASSIGNMENT)
    grading = Grading(key, key.seconds)
    beyond: dict[str, list[float]] = {isolation: [] for isolation in isolations}
    with contextlib.ExitStack() as running:
        boxes = {name: running.enter_context(Sandbox(name, Limits(key.seconds))) for name in isolations}
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        ways: dict[str, Row] = {
            name: partial(_row, partial(_within, box, grading), folder) for name, box in boxes.items()
        }
        ways["none"] = partial(_row, partial(_without, grading), folder)
        print(f"\n{'a submission, median':24}" + "".join(f"{name:>14}" for name in ways))
        for student in STUDENTS:
            with _reading(student, key.names) as read:
                seconds = _in_turn(ways, read, rounds)
            print(f"{student:24}" + "".join(f"{seconds[name] * 1e3:11.1f} ms" for name in ways), flush=True)
            for name in isolations:
                beyond[name].append(seconds[name] - seconds["none"])
    print(f"{'beyond none, at most':24}" + "".join(f"{max(beyond[name]) * 1e3:11.1f} ms" for name in isolations))
    return beyond


def _in_turn(ways: Mapping[str, Row], read: Callable[[], Submission], rounds: int) -> dict[str, float]:
    """The median of each way; the first rounds, in which everything happens for the first time, do not count."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds + WARM_UP):
        results: list[Result] = []
        for name, row in ways.items():
            started = time.perf_counter()
            results += row(read)
            taken[name].append((time.perf_counter() - started) / IN_A_ROW)
        if len({str(_plain(result)) for result in results}) > 1:
            sys.exit(f"A notebook got different results in {', '.join(ways)}, so nothing was measured.")
    return {name: statistics.median(seconds[WARM_UP:]) for name, seconds in taken.items()}


def _row(grade: Callable[[Submission], Result], folder: Path, read: Callable[[], Submission]) -> list[Result]:
    results = []
    for _ in range(IN_A_ROW):
        results.append(grade(read()))
        write_result(folder, results[-1], 10.0)
    return results


def _within(sandbox: Sandbox, grading: Grading, work: Submission) -> Result:
    return grading.grade(work, sandbox)


def _without(grading: Grading, work: Submission) -> Result:
    session: Any = Unprotected(work, grading.key.names)
    session.load()
    code = grading.key.code_questions.values()
    scorings = {question.id: Scoring(question, grading.key.secret, work.digest) for question in code}
    questions = grading._questions(session, scorings)
    return grading.result(work, questions, (*work.messages, *cell_troubles(session)), "none")


def _plain(result: Result) -> Result:
    return replace(
        result, isolation="", questions=tuple(replace(question, seconds=0.0) for question in result.questions)
    )


@contextlib.contextmanager
def _reading(student: str, names: Sequence[str]) -> Iterator[Callable[[], Submission]]:
    """Reads a student's notebook, each time anew."""
    with discover(ASSIGNMENT, [ROOT / "tests/submissions" / ASSIGNMENT / student / "attention.ipynb"]) as found:
        yield lambda: found.entries[0].submission(names)


if __name__ == "__main__":
    main()
