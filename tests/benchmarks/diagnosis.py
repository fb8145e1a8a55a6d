"""What naming the mistake costs, and how often it names it: the labelled cases of attention, and lesson 10's class.

    python tests/benchmarks/diagnosis.py

Each faulty case is graded several times, its mistakes known from before. Two times are measured in each grading: the
search among the key's mistakes, given what the function did; and all that explaining adds, with the calls that are made
for it alone. Exit code 1 where the median of the search is above its limit.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from grader.grading import functions, naming
from grader.grading.diagnose import Diagnosis
from grader.grading.grade import Grading
from grader.key import load_key
from grader.reading.submission import read_submission
from grader.sandbox.isolation import bubblewrap_trouble
from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests/cases/attention"
ROUNDS = 8
MOST = 0.005  # seconds that the search may add to a submission
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
    Diagnosis.mistakes = timed("the search among mistakes", Diagnosis.mistakes)  # type: ignore[method-assign]
    functions._explained = timed("all that explains a function", functions._explained)
    functions.still_missed = timed("judging again with the mistake", functions.still_missed)
    naming.given_its_own = timed("steps by themselves", naming.given_its_own)
    key = load_key(ROOT / "solutions/keys", "l10_attention")
    grading = Grading(key, 2.0)
    labels = [json.loads(line) for line in (CASES / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    faulty = [label for label in labels if label["label"] == "faulty" and "infinite_loop" not in label["faults"]]
    with Sandbox("process" if bubblewrap_trouble() else "bubblewrap", Limits(2.0)) as sandbox:
        for round in range(ROUNDS + 1):
            for label in faulty:
                grading.grade(read_submission(CASES / f"{label['id']}.py", label["id"]), sandbox)
            if round == 0:
                print(f"the first time, in which what mistakes do is computed: {sum(map(sum, spent.values())):.2f} s")
                spent.clear()
    print(f"{'ms a wrong function':34}{'median':>10}{'slowest':>10}")
    for name, seconds in spent.items():
        print(f"{name:34}{statistics.median(seconds) * 1e3:10.2f}{max(seconds) * 1e3:10.2f}")
    within = statistics.median(spent["the search among mistakes"]) < MOST
    print(f"the search under {MOST * 1e3:g} ms: {'kept' if within else 'NOT KEPT'}")
    sys.exit(not within)


if __name__ == "__main__":
    main()
