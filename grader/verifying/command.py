"""What `grader verify` does, step by step."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from rich.console import Console

from grader.errors import CourseError
from grader.key import load_key
from grader.key.answer_key import keys_in
from grader.verifying.table import show
from grader.verifying.verify import verify

KEYS = Path("solutions/keys")


def verify_command(assignments: Sequence[str]) -> int:
    """Verify the keys of these assignments, or all, and print what is found: 0 when every proof holds, else 1.

    Raises CourseError.
    """
    torch.set_num_threads(1)
    names = list(dict.fromkeys(assignments)) or keys_in(KEYS)
    if not names:
        raise CourseError(f"No answer key stands in {KEYS}. Run this in the course's folder.")
    keys = [load_key(KEYS, name) for name in names]
    holds = True
    for key in keys:
        with _at_work(f"verifying {key.assignment}"):
            verified = verify(key, Path())
        show(Console(file=sys.stdout, highlight=False), verified)
        holds = holds and verified.holds
    return 0 if holds else 1


@contextlib.contextmanager
def _at_work(text: str) -> Iterator[None]:
    console = Console(stderr=True)
    with console.status(text) if console.is_terminal else contextlib.nullcontext():
        yield
