"""The process that grades a class for nbgrader: orders come in on standard input, results go out on standard output.

nbgrader's own process neither imports torch nor starts a worker. One JSON value a line: first the order, then one
folder a line; a line goes out for each folder as soon as it is graded. The end of the input ends everything.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO, cast

from grader.autograding.order import Graded, Order
from grader.errors import CourseError
from grader.sandbox.isolation import Requested, choose, warning
from grader.sandbox.pool import Sandboxes
from grader.sandbox.sandbox import Limits


def main() -> None:
    """Serve until the input ends."""
    out = _own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nbgrader hears Ctrl-C, and then ends the input
    order = Order.from_json(json.loads(sys.stdin.readline()))
    os.chdir(order.course)
    lock = threading.Lock()

    def send(graded: Graded) -> None:
        with lock:
            out.write(json.dumps(graded.to_json()) + "\n")
            out.flush()

    try:
        _serve(order, send)
    except CourseError as error:
        for line in sys.stdin:
            send(Graded(json.loads(line), problem=str(error)))


def _serve(order: Order, send: Callable[[Graded], None]) -> None:
    requested = cast(Requested, order.isolation)
    isolation = choose(requested)
    if told := warning(requested, isolation):
        print(told, file=sys.stderr)
    sandboxes = Sandboxes(isolation, Limits(), order.jobs, order.submissions)
    pool = ThreadPoolExecutor(order.jobs)
    sandboxes.start(pool)
    from grader.autograding.classroom import classroom  # imports torch, while the sandbox does so, too

    grading = classroom(order, isolation, sandboxes)
    for line in sys.stdin:
        pool.submit(lambda folder: send(grading.grade(folder)), Path(json.loads(line)))
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
