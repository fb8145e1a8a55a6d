"""10,000 gradings in one run of `grader grade`: do memory, descriptors, threads and processes stay as they are?

    python tests/benchmarks/flat.py
    python tests/benchmarks/flat.py --students 2000 --format table

Every 100 results the grader and its workers (all of its processes that outlive a submission) are looked at from
outside; a line shows the medians of five such looks. Memory is what is resident (RSS): what a process has for itself
alone changes with each child that shares it. One submission in 400 leaves a process behind, so that its worker is
replaced. Exit code 1 where the last thousand holds more than the first.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import psutil
from classes import ASSIGNMENT, course
from kills import GRADER, LOG, cold

LOOK, LINE, COMPARED = 100, 500, 1000  # results
READINGS, APART = 5, 0.02  # seconds; the least of them counts: what is open for a moment is not held
# What the last thousand may hold more than the first: MB (of each student the command remembers that it was graded,
# for its closing words), and what is open for a moment at each reading.
SLACK = {"memory": 12.0, "descriptors": 2, "threads": 1, "processes": 1}
LEAVES_A_PROCESS = "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\n"
HEAD = "graded   grader: MB   fds  threads   workers:  processes      MB   fds  threads"


@dataclass(frozen=True)
class Use:
    """What processes hold, all together. `memory` in MB."""

    processes: float = 0
    memory: float = 0
    descriptors: float = 0
    threads: float = 0


@dataclass(frozen=True)
class Look:
    """The run after `graded` results."""

    graded: int
    grader: Use
    workers: Use

    def line(self) -> str:
        one, rest = self.grader, self.workers
        return (
            f"{self.graded:6}{one.memory:13.1f}{one.descriptors:6g}{one.threads:9g}"
            f"{rest.processes:22g}{rest.memory:8.1f}{rest.descriptors:6g}{rest.threads:9g}"
        )


def main() -> None:
    """Print a line every 500 results, then the verdict."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=10_000)
    parser.add_argument("--format", choices=("table", "json", "jsonl"), default="table")
    parser.add_argument("--isolation", choices=("auto", "strict", "process"), default="auto")
    options = parser.parse_args()
    if options.students < 2 * COMPARED:
        parser.error(f"--students must be {2 * COMPARED} at least: the first {COMPARED} are compared with the last.")
    with tempfile.TemporaryDirectory(prefix="flat-") as folder:
        _class(Path(folder), options.students)
        sys.exit(_verdict(_run(Path(folder), options)))


def _class(folder: Path, students: int) -> None:
    for number, student in enumerate(course(folder, students)):
        if number % 400 == 199:
            with (folder / "class" / student / "attention.py").open("a") as script:
                script.write(LEAVES_A_PROCESS)


def _run(folder: Path, options: argparse.Namespace) -> list[Look]:
    out = ["--format", options.format, "--output", "results.txt", "--quiet"]
    run = cold(folder, [GRADER, "grade", ASSIGNMENT, "class", "--isolation", options.isolation, *out])
    graded, looks = folder / "graded" / ASSIGNMENT, []
    print(f"{options.students} submissions, --format {options.format}, --isolation {options.isolation}\n{HEAD}")
    for following in range(LOOK, options.students, LOOK):
        while run.poll() is None and _results(graded) < following:
            time.sleep(0.05)
        if run.poll() is not None:
            break
        looks.append(_look(run, following))
        if following % LINE == 0:
            print(_median(looks[-LINE // LOOK :]).line(), flush=True)
    if run.wait():
        sys.exit(f"grader grade ended with {run.returncode}:\n{(folder / LOG).read_text()[-2000:]}")
    return looks


def _results(graded: Path) -> int:
    return len(os.listdir(graded)) if graded.exists() else 0


def _look(run: psutil.Popen, graded: int) -> Look:
    seen: list[dict[int, Use]] = []
    for _ in range(READINGS):
        seen.append({one.pid: use for one in (run, *run.children(recursive=True)) if (use := _use(one))})
        time.sleep(APART)
    lasting = {pid: _lasting([look[pid] for look in seen]) for pid in set.intersection(*map(set, seen))}
    grader = lasting.pop(run.pid)
    return Look(graded, grader, Use(*map(sum, zip(*map(astuple, lasting.values()), strict=True))))


def _use(process: psutil.Process) -> Use | None:
    try:
        return Use(1, process.memory_info().rss / 1e6, process.num_fds(), process.num_threads())
    except psutil.Error:
        return None


def _lasting(uses: list[Use]) -> Use:
    return Use(*map(min, zip(*map(astuple, uses), strict=True)))


def _median(looks: Sequence[Look]) -> Look:
    middle = [
        Use(*map(statistics.median, zip(*(astuple(getattr(look, who)) for look in looks), strict=True)))
        for who in ("grader", "workers")
    ]
    return Look(looks[-1].graded, *middle)


def _verdict(looks: Sequence[Look]) -> int:
    count = COMPARED // LOOK
    first, last, grown = _median(looks[:count]), _median(looks[-count:]), []
    for who in ("grader", "workers"):
        for what, slack in SLACK.items():
            then, now = (getattr(getattr(look, who), what) for look in (first, last))
            print(f"{what} of the {who}: {then:g} in the first {COMPARED}, {now:g} in the last")
            grown += [f"{what} of the {who}"] if now > then + slack else []
    print(f"NOT FLAT: {', '.join(grown)}" if grown else "flat")
    return int(bool(grown))


if __name__ == "__main__":
    main()
