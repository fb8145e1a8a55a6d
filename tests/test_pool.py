"""Sandboxes are lent to one submission at a time, and more are started only if the work that is left pays for it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.pool import Sandboxes


def sandboxes(left: int, most: int = 4) -> Sandboxes:
    return Sandboxes("process", Limits(), most, left)


def made(pool: Sandboxes) -> int:
    return len(pool._made)


@pytest.mark.parametrize(("left", "expected"), [(1, 1), (8, 1), (20, 3), (1000, 4)])
def test_a_larger_class_gets_more_from_the_beginning(left: int, expected: int) -> None:
    """With a guess of 0.15 s a submission, another one is worth 1.2 s of work for each that there is."""
    with ThreadPoolExecutor(1) as threads:
        pool = sandboxes(left)
        pool.end()  # so that none is really started
        pool.start(threads)
    assert made(pool) == expected


def test_two_submissions_share_one_after_the_other() -> None:
    pool = sandboxes(left=2)
    with pool.lent() as first:
        pass
    with pool.lent() as second:
        assert first is second
    assert pool.left == 0


def test_slow_work_gets_another_one() -> None:
    pool = sandboxes(left=3)
    with pool.lent():
        pool._since -= 10  # no result for ten seconds
        with pool.lent():
            assert made(pool) == 2


def test_whoever_waits_gets_what_is_given_back() -> None:
    pool = sandboxes(left=2, most=1)
    given = threading.Event()

    def borrow() -> bool:
        with pool.lent():
            return given.is_set()

    with ThreadPoolExecutor(1) as threads:
        with pool.lent():
            waiting = threads.submit(borrow)
            assert not waiting.done()
            given.set()
        assert waiting.result(timeout=20)


def test_after_the_end_none_starts() -> None:
    pool = sandboxes(left=1)
    pool.end()
    with pool.lent() as sandbox, pytest.raises(WorkerBroken, match="the run was stopped"):
        sandbox.start()
