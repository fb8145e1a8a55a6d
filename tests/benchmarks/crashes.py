"""Kill `grader grade` at a random moment, run it again, and compare with a run that nobody killed; 20 times over.

    python tests/benchmarks/crashes.py
    python tests/benchmarks/crashes.py --rounds 5 --students 50 --isolation process

Each round has a fresh folder with the same submissions. The moment is drawn: in one round of five within the first two
seconds, in the others some milliseconds after any number of results is stored. At the kill, each file that carries a
student's name is compared with the undisturbed run's; after the rerun, all of them. Exit code 1 where one differs, is
missing, or where the killed run left anything behind.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classes import ASSIGNMENT, course, without_seconds
from kills import GRADER, LOG, cold, kill, survivors, wait_until

from grader.sandbox.isolation import bubblewrap_trouble


@dataclass(frozen=True)
class Class:
    """The runs of one round stand in `folder`."""

    folder: Path
    isolation: str

    def run(self) -> subprocess.Popen[bytes]:
        options = ["--isolation", self.isolation, "--jobs", "2", "--quiet"]
        return cold(self.folder, [GRADER, "grade", ASSIGNMENT, "class", *options])

    def results(self) -> dict[str, dict[str, Any] | None]:
        """By file; None for half a one."""
        return {path.name: _read(path) for path in self._graded.glob("*.json")}

    def count(self) -> int:
        return len(list(self._graded.glob("*.json")))

    def unfinished(self) -> int:
        """Files that are being written, or were."""
        return sum(path.suffix != ".json" for path in self._graded.glob("*")) if self._graded.exists() else 0

    @property
    def _graded(self) -> Path:
        return self.folder / "graded" / ASSIGNMENT


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return without_seconds(path.read_text(encoding="utf-8"))
    except ValueError:
        return None


def main() -> None:
    """Print a line for each round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--isolation", choices=("strict", "process"), default="strict")
    options = parser.parse_args()
    if options.isolation == "strict" and bubblewrap_trouble():
        sys.exit(f"--isolation strict needs bubblewrap, and {bubblewrap_trouble()}")
    with tempfile.TemporaryDirectory(prefix="crashes-") as folder:
        sys.exit(_rounds(Path(folder), options))


def _rounds(folder: Path, options: argparse.Namespace) -> int:
    undisturbed = _undisturbed(_course(folder / "undisturbed", options))
    print(f"{options.students} submissions, {options.isolation}, seed {options.seed}")
    print("round  killed after  stored then  all whole  half-written  equal after the rerun  left behind")
    draw, bad = random.Random(options.seed), 0
    for number in range(1, options.rounds + 1):
        results = draw.randrange(options.students) if number % 5 else 0
        moment = results, draw.uniform(0, 0.05 if number % 5 else 2)
        line, well = _round(_course(folder / "round", options), moment, undisturbed)
        print(f"{number:5}  {line}", flush=True)
        bad += not well
        shutil.rmtree(folder / "round")
    print(f"{options.rounds - bad} of {options.rounds} rounds hold")
    return int(bad > 0)


def _round(killed: Class, moment: tuple[int, float], undisturbed: dict[str, Any]) -> tuple[str, bool]:
    results, later = moment
    started, run = time.monotonic(), killed.run()
    running = wait_until(lambda: killed.count() >= results or run.poll() is not None, 600, 0.01)
    time.sleep(later)
    seconds, running = time.monotonic() - started, running and run.poll() is None
    seen = kill(run)
    stored, unfinished = killed.results(), killed.unfinished()
    whole = sum(undisturbed.get(name) == result for name, result in stored.items())
    ended = killed.run().wait()
    after = killed.results()
    equal = sum(after.get(name) == result for name, result in undisturbed.items())
    left = [*survivors(killed.folder, seen), *(killed.folder / "tmp").iterdir(), *["half a file"] * killed.unfinished()]
    well = running and ended == 0 and whole == len(stored) and equal == len(undisturbed) == len(after) and not left
    line = f"{seconds:10.2f} s  {len(stored):11}  {'yes' if whole == len(stored) else 'NO':>9}  {unfinished:12}"
    told = [*map(str, left), *([] if running else ["the run had ended before it was killed"])]
    return f"{line}  {f'{equal} of {len(undisturbed)}':>21}  {', '.join(told) or 'nothing'}", well


def _undisturbed(one: Class) -> dict[str, Any]:
    if one.run().wait():
        sys.exit((one.folder / LOG).read_text())
    return one.results()


def _course(folder: Path, options: argparse.Namespace) -> Class:
    folder.mkdir()
    course(folder, options.students)
    return Class(folder, options.isolation)


if __name__ == "__main__":
    main()
