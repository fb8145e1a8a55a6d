"""Large pages for a worker's memory, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LARGE = Path("/sys/kernel/mm/transparent_hugepage/enabled")
REPORT = """
import re
from pathlib import Path
from grader.worker.pages import use_large_pages

kept = [[number] for number in range(500_000)]
before = sum(map(sum, kept))
use_large_pages()
assert sum(map(sum, kept)) == before
rollup = Path("/proc/self/smaps_rollup")
print(re.search(r"AnonHugePages: +(\\d+)", rollup.read_text())[1] if rollup.exists() else "none")
"""


def test_memory_is_laid_together_and_holds_what_it_held() -> None:
    done = subprocess.run([sys.executable, "-c", REPORT], capture_output=True, text=True, check=True)
    if done.stdout.strip() == "none" or not LARGE.exists() or "[never]" in LARGE.read_text():
        pytest.skip("this kernel has no large pages")
    release = tuple(int(part) for part in Path("/proc/sys/kernel/osrelease").read_text().split(".")[:2])
    if release < (6, 1):
        pytest.skip("this kernel is older than 6.1, which brought what is asked of it")
    assert int(done.stdout) > 20_000
