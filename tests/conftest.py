"""What several tests share: where things stand, the real key, and sandboxes that are started once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from grader.key import AnswerKey, load_key
from grader.reading.submission import Cell, Submission
from grader.sandbox.isolation import Isolation, bubblewrap_trouble
from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session import Session

OpenSession = Callable[..., Session]
ROOT = Path(__file__).resolve().parent.parent


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """What `-n auto` means."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    """Small tensors gain nothing by threads, and several test processes would starve each other."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def root() -> Path:
    """The course's folder."""
    return ROOT


@pytest.fixture(scope="session")
def key() -> AnswerKey:
    """The real key of lesson 10."""
    return load_key(ROOT / "solutions/keys", "l10_attention")


@pytest.fixture(scope="session")
def sandboxes() -> Iterator[Callable[[Isolation], Sandbox]]:
    """Sandboxes by isolation, started when first asked for and shared: what one test leaves behind must not
    be there for the next, which is what they promise for submissions.
    """
    made: dict[Isolation, Sandbox] = {}

    def get(isolation: Isolation) -> Sandbox:
        if isolation not in made:
            made[isolation] = Sandbox(isolation, Limits())
        return made[isolation]

    yield get
    for sandbox in made.values():
        sandbox.close()


# Where there is bubblewrap, the same in plain processes is for the long tests.
@pytest.fixture(params=["bubblewrap", pytest.param("process", marks=() if bubblewrap_trouble() else pytest.mark.long)])
def sandbox(request: pytest.FixtureRequest, sandboxes: Callable[[Isolation], Sandbox]) -> Sandbox:
    """A sandbox of each isolation that this machine has."""
    return _existing(request.param, sandboxes)


@pytest.fixture
def bubblewrapped(sandboxes: Callable[[Isolation], Sandbox]) -> Sandbox:
    """A sandbox in bubblewrap."""
    return _existing("bubblewrap", sandboxes)


@pytest.fixture
def any_sandbox(sandboxes: Callable[[Isolation], Sandbox]) -> Sandbox:
    """The best sandbox that this machine has."""
    return sandboxes("process" if bubblewrap_trouble() else "bubblewrap")


@pytest.fixture(scope="session")
def session_of() -> OpenSession:
    """Makes a session of some cells in a sandbox; the function asked for is `f`."""

    def make(
        sandbox: Sandbox, *sources: str, names: tuple[str, ...] = ("f",), seconds: float = 60.0, kind: str = "notebook"
    ) -> Session:
        # a minute, where the test is about something else: a busy machine has needed five seconds to fill a gigabyte
        return Session(sandbox, work(*sources, kind=kind), names, seconds)

    return make


def work(*sources: str, kind: str = "notebook") -> Submission:
    """A submission of some cells."""
    cells = tuple(Cell(number, source, 1) for number, source in enumerate(sources, start=1))
    name = "attention.ipynb" if kind == "notebook" else "attention.py"
    digest = hashlib.sha256(repr(sources).encode()).hexdigest()
    return Submission("alice", name, "notebook" if kind == "notebook" else "script", cells, digest, ())


def _existing(isolation: Isolation, sandboxes: Callable[[Isolation], Sandbox]) -> Sandbox:
    trouble = bubblewrap_trouble() if isolation == "bubblewrap" else None
    if trouble is not None:
        pytest.skip(f"no bubblewrap: {trouble}")
    return sandboxes(isolation)
