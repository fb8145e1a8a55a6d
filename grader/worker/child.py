"""What a process does that becomes a submission's child, forked or not: its own folder, its limits, then it serves."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import NoReturn

from grader.worker.limits import limit_child
from grader.worker.wire import send


def serve_child(
    link: socket.socket, own: str, memory: int, cpu_seconds: int, refuse_calls: Callable[[], None] = lambda: None
) -> NoReturn:
    """Go to the folder `own`, take the limits, and serve. From "serving" on, what goes wrong is the student's."""
    from grader.worker.serve import serve

    os.chdir(own)
    sys.path.insert(0, own)  # what %%writefile wrote can be imported
    limit_child(memory, cpu_seconds)
    refuse_calls()
    send(link, {"op": "serving"})
    serve(link)
