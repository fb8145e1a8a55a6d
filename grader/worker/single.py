"""A worker without fork (Windows): one process that gets ready, serves one submission, and is thrown away."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from grader.worker.limits import limit_child
from grader.worker.ready import get_ready
from grader.worker.wire import receive, send

TOKEN = "GRADER_TOKEN"


def main(told: str, folders: Sequence[Path]) -> NoReturn:
    """Call back the grader at the port that is told, with the token of the environment; serve once it says so."""
    link = socket.create_connection(("127.0.0.1", int(told)))
    send(link, {"token": os.environ.pop(TOKEN)})
    get_ready()
    send(link, {"op": "ready"})
    message, _ = receive(link)
    _serve(link, message["memory"], message["cpu_seconds"], folders[0])


def _serve(link: socket.socket, memory: int, cpu_seconds: int, folder: Path) -> NoReturn:
    from grader.worker.serve import serve

    try:
        own = tempfile.mkdtemp(dir=folder)
        os.chdir(own)
        sys.path.insert(0, own)
        limit_child(memory, cpu_seconds)
        send(link, {"op": "serving"})
        serve(link)
    finally:
        os._exit(1)
