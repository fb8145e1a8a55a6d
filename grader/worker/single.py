"""A worker without fork (Windows): one process that gets ready, serves one submission, and is thrown away."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from grader.worker.child import serve_child
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
    try:
        serve_child(link, tempfile.mkdtemp(dir=folders[0]), message["memory"], message["cpu_seconds"])
    finally:
        os._exit(1)
