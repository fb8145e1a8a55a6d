"""Large pages for a worker's memory, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

REPORT = """
import json, re
from pathlib import Path
from grader.worker.pages import use_large_pages

def huge():
    rollup = Path("/proc/self/smaps_rollup")
    return int(re.search(r"AnonHugePages: +(\\d+)", rollup.read_text())[1]) if rollup.exists() else 0

kept = [[number] for number in range(500_000)]
total, before = sum(map(sum, kept)), huge()
laid = use_large_pages()
print(json.dumps({"same": sum(map(sum, kept)) == total, "laid": laid, "before": before, "after": huge()}))
"""


def test_memory_is_laid_together_and_holds_what_it_held() -> None:
    done = subprocess.run([sys.executable, "-c", REPORT], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["same"]
    if not report["laid"]:
        pytest.skip("this kernel lays no pages together (Linux 6.1 and later do, if they have room)")
    assert report["after"] >= max(report["before"], 2048 * report["laid"])
