"""The process that grades a class for nbgrader: orders come in on standard input, results go out on standard output.

nbgrader's own process neither imports torch nor starts a worker. One JSON value a line: first the order, then one
folder a line; a line goes out for each folder as soon as it is graded. The end of the input ends everything.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO, cast

from grader.autograding.order import GradedFolder, Order
from grader.errors import CourseError
from grader.sandbox.isolation import Isolation
from grader.sandbox.limits import Limits
from grader.sandbox.pool import Sandboxes


def main() -> None:
    """Serve until the input ends."""
    out = _own_output()
    order = Order.from_json(json.loads(sys.stdin.readline()))
    lock = threading.Lock()

    def send(graded: GradedFolder) -> None:
        try:
            line = json.dumps(graded.to_json())
        except (TypeError, ValueError, RecursionError) as error:  # nbgrader waits for an answer, whatever it is
            line = json.dumps(GradedFolder(graded.folder, problem=f"{type(error).__name__}: {error}").to_json())
        with lock:
            out.write(line + "\n")
            out.flush()

    try:
        _serve(order, send)
    except CourseError as error:
        for line in sys.stdin:
            send(GradedFolder(json.loads(line), problem=str(error)))


def _serve(order: Order, send: Callable[[GradedFolder], None]) -> None:
    isolation = cast(Isolation, order.isolation)
    sandboxes = Sandboxes(isolation, Limits(), order.jobs, order.submissions)
    pool = ThreadPoolExecutor(order.jobs)
    sandboxes.start(pool)
    try:
        from grader.autograding.classroom import classroom  # imports torch, while the sandbox does so, too

        grading = classroom(order, isolation, sandboxes)
        for line in sys.stdin:
            pool.submit(lambda folder: send(grading.grade(folder)), Path(json.loads(line)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        sandboxes.end()
    os._exit(0)  # what is still being graded is for nobody


def _own_output() -> TextIO:
    """Standard output for answers alone: what else is printed goes where errors go."""
    out = cast(TextIO, os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    return out


if __name__ == "__main__":
    main()
