"""The grader's end of a slot for one child, where processes cannot fork (Windows): grader/worker/single.py."""

from __future__ import annotations

import contextlib
import secrets
import socket
import time
from typing import Any

from grader.sandbox.forking import REAP_SECONDS, START_SECONDS
from grader.sandbox.isolation import Isolation
from grader.sandbox.launch import Launched
from grader.sandbox.limits import Limits
from grader.worker.single import TOKEN
from grader.worker.wire import Closed, TooSlow, receive, roomy, send

LOOK = 0.5  # seconds between two looks whether a process that does not call is still there


class SingleSlot:
    """A process that becomes its only child, and is thrown away with it. Each submission pays for a start."""

    def __init__(self, isolation: Isolation) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._link: socket.socket | None = None
        self._token = secrets.token_hex(16)
        port = self._listener.getsockname()[1]
        try:
            self.launched = Launched(isolation, "single", str(port), secrets={TOKEN: self._token})
        except BaseException:
            self._listener.close()
            raise

    def ready(self) -> None:
        """Wait until it calls back, with its token, and has imported what it needs. Raises Closed or TooSlow."""
        deadline = time.monotonic() + START_SECONDS
        while self._link is None:
            self._link = self._called(deadline)
        receive(self._link, deadline)

    def fork(self, limits: Limits, seconds: float, plots: bool) -> socket.socket:
        """The link to the one child. Raises Closed when it was given out before."""
        link, self._link = self._link, None
        if link is None:
            raise Closed("its one child is gone")
        send(link, {"op": "begin", "memory": limits.memory, "cpu_seconds": limits.backstop})
        receive(link, time.monotonic() + REAP_SECONDS)
        return link

    def ask_for(self, cpu: float, alone: bool) -> None:
        """Processor time is not counted here; what counts is the time that passes."""

    def allow(self, cpu: float, alone: bool) -> bool:
        """There is always enough."""
        return True

    def release(self) -> None:
        """There is nothing that could be done while nobody waits."""

    def reap(self) -> dict[str, Any]:
        """Nothing of it can be used again."""
        return {"strays": 1}

    def end(self) -> None:
        """Kill the process."""
        self.launched.end()
        self._listener.close()
        if self._link is not None:
            self._link.close()

    def _called(self, deadline: float) -> socket.socket | None:
        """A link to whoever calls and knows the token; None if somebody else did, or nobody for a while."""
        if self.launched.process.poll() is not None:
            raise Closed("it ended")
        if time.monotonic() > deadline:
            raise TooSlow
        self._listener.settimeout(LOOK)
        try:
            link, _ = self._listener.accept()
        except TimeoutError:
            return None
        except OSError as gone:
            raise Closed(str(gone)) from gone
        with contextlib.suppress(Closed, TooSlow):
            message, _ = receive(link, time.monotonic() + REAP_SECONDS, cap=1_000)
            if secrets.compare_digest(str(message.get("token")), self._token):
                return roomy(link)[0]
        link.close()
        return None
