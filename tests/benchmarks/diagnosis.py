"""What naming the mistake costs, and how often it names it: the labelled cases of attention, and lesson 10's class.

    python tests/benchmarks/diagnosis.py

Each faulty case is graded several times, its mistakes known from before. What diagnosis adds to a submission is the
search among the key's mistakes, given what the function did; where nothing is found, the search among the steps by
themselves and a few programs that start anew; and judging again with the mistake, so that one cause costs once. Showing
what is wrong, with the calls made for that, is told beside it: all but the last of those calls, which is there to tell
mistakes apart, would be made without a name, too. Exit code 1 where what diagnosis adds is above its limit in the
median.
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
MOST = 0.005  # seconds that diagnosis may add to a submission
SEARCH, STEPS, AGAIN = "the search among mistakes", "the search among steps by themselves", "judging again"
ANEW = "programs that start anew"
ADDED, SHOWN = "what diagnosis adds in all", "showing what is wrong, with the search"
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
    functions._explained = timed(SHOWN, functions._explained)
    functions.still_missed = timed(AGAIN, functions.still_missed)
    naming.steadiness = timed(ANEW, naming.steadiness)
    naming.given_its_own = timed(STEPS, naming.given_its_own)
    key = load_key(ROOT / "solutions/keys", "l10_attention")
    grading = Grading(key, 2.0)
    labels = [json.loads(line) for line in (CASES / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    faulty = [label for label in labels if label["label"] == "faulty" and "infinite_loop" not in label["faults"]]
    with Sandbox("process" if bubblewrap_trouble() else "bubblewrap", Limits(2.0)) as sandbox:
        for round in range(ROUNDS + 1):
            for label in faulty:
                before = {name: len(spent[name]) for name in (SEARCH, STEPS, ANEW, AGAIN)}
                grading.grade(read_submission(CASES / f"{label['id']}.py", label["id"]), sandbox)
                spent[ADDED].append(sum(sum(spent[name][count:]) for name, count in before.items()))
            if round == 0:
                print(f"the first time, in which what mistakes do is computed: {sum(spent[ADDED]):.2f} s")
                spent.clear()
    print(f"{'ms':40}{'median':>10}{'slowest':>10}")
    for name in (SEARCH, STEPS, ANEW, AGAIN, ADDED, SHOWN):
        seconds = spent[name] or [0.0]
        print(f"{name:40}{statistics.median(seconds) * 1e3:10.2f}{max(seconds) * 1e3:10.2f}")
    within = statistics.median(spent[ADDED]) < MOST
    print(f"what diagnosis adds to a submission under {MOST * 1e3:g} ms: {'kept' if within else 'NOT KEPT'}")
    sys.exit(not within)


if __name__ == "__main__":
    main()
