"""What naming the mistake costs, and how often it names it: the labelled cases of attention, and lesson 10's class.

    python tests/benchmarks/diagnosis.py

Each faulty case is graded several times in turn, with and without a name being looked for, what the mistakes do known
from before; a case's difference is that of its medians, and what counts is the median over the cases. Without a name
there is no search among the mistakes and the steps by themselves, no program that starts anew, and no judging again
with the mistake so that one cause costs once. Showing what is wrong is there both ways. Each is told by itself, too:
judging again takes nobody's time as long as the child of the submission is still ending. Exit code 1 where what
diagnosis adds is above its limit.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from grader.grading import functions, naming
from grader.grading.diagnose import Diagnosis
from grader.grading.grade import Grading
from grader.grading.naming import Named
from grader.key import load_key
from grader.reading.submission import read_submission
from grader.sandbox.isolation import bubblewrap_trouble
from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests/cases/attention"
ROUNDS = 8
MOST = 0.005  # seconds that diagnosis may add to a submission
SEARCH, STEPS = "the search among mistakes", "the search among steps by themselves"
ANEW, AGAIN = "programs that start anew", "judging again"
spent: dict[str, list[float]] = defaultdict(list)


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose times are kept."""

    def run(*arguments: Any, **more: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*arguments, **more)
        finally:
            spent[name].append(time.perf_counter() - started)

    return run


def main() -> None:
    """Print medians and slowest in milliseconds."""
    torch.set_num_threads(1)
    Diagnosis.mistakes = timed(SEARCH, Diagnosis.mistakes)  # type: ignore[method-assign]
    functions.still_missed = timed(AGAIN, functions.still_missed)
    naming.steadiness = timed(ANEW, naming.steadiness)
    naming.given_its_own = timed(STEPS, naming.given_its_own)
    looks = {True: functions.named, False: lambda *_: Named()}
    key = load_key(ROOT / "solutions/keys", "l10_attention")
    grading = Grading(key, 2.0)
    labels = [json.loads(line) for line in (CASES / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    faulty = [
        label["id"] for label in labels if label["label"] == "faulty" and "infinite_loop" not in label["faults"]
    ]
    taken: dict[tuple[bool, str], list[float]] = defaultdict(list)
    with Sandbox("process" if bubblewrap_trouble() else "bubblewrap", Limits(2.0)) as sandbox:
        for round in range(ROUNDS + 1):
            for with_names, look in looks.items():
                functions.named = look
                for name in faulty:
                    started = time.perf_counter()
                    grading.grade(read_submission(CASES / f"{name}.py", name), sandbox)
                    taken[with_names, name].append(time.perf_counter() - started)
            if round == 0:
                first = sum(sum(spent[name]) for name in (SEARCH, STEPS, AGAIN))
                print(f"the first time, in which what mistakes do is computed: {first:.2f} s")
                spent.clear()
                taken.clear()
    added = [statistics.median(taken[True, name]) - statistics.median(taken[False, name]) for name in faulty]
    print(f"{'ms':40}{'median':>10}{'slowest':>10}")
    for name in (SEARCH, STEPS, ANEW, AGAIN):
        _tell(name, spent[name] or [0.0])
    _tell("a submission without a name", [statistics.median(taken[False, name]) for name in faulty])
    _tell("what diagnosis adds to it", added)
    within = statistics.median(added) < MOST
    print(f"what diagnosis adds to a submission under {MOST * 1e3:g} ms: {'kept' if within else 'NOT KEPT'}")
    sys.exit(not within)


def _tell(name: str, seconds: Sequence[float]) -> None:
    print(f"{name:40}{statistics.median(seconds) * 1e3:10.2f}{max(seconds) * 1e3:10.2f}")


if __name__ == "__main__":
    main()
