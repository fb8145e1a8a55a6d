"""A slot: one process that has imported what students import, and forks a child for each submission.

The grader starts it with a control socket and with folders, which are all that a child can write to: a child starts
in a new folder within the first, and all are emptied after it. The grader sends {"op": "fork"} and then one
byte that carries an end of a fresh socket pair; {"op": "allow"} when the child may use processor time anew;
{"op": "reap"} when it is done with the child. While a child lives, the slot watches what it and all that it started
use together.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from grader.worker import namespace, seccomp
from grader.worker.child import serve_child
from grader.worker.household import Household
from grader.worker.limits import guard_slot
from grader.worker.ready import get_ready, get_ready_to_plot
from grader.worker.removal import end_group, remove
from grader.worker.traces import OWN_NAMESPACE, empty, mounts, state
from grader.worker.watch import LOOK, Watch, resident
from grader.worker.wire import Closed, receive, send


def main(told: str, folders: Sequence[Path]) -> None:
    """Say "ready", then fork and reap as told by the control socket, whose descriptor is told, until that closes."""
    control = socket.socket(fileno=int(told))
    confined = os.environ.get("GRADER_ISOLATION") == OWN_NAMESPACE
    household = Household(namespace.enter() if confined else 0)  # now, while the process is small
    get_ready()
    guard_slot()
    slot = _Slot(control, folders, household, confined)
    try:
        send(control, {"op": "ready"})
        slot.serve()
    except Closed:
        pass
    finally:
        slot.reap()
        if not confined:
            remove(folders[0])  # whoever made it may have been killed


class _Slot:
    def __init__(self, control: socket.socket, folders: Sequence[Path], household: Household, confined: bool) -> None:
        self.control = control
        self.folders = folders
        self.household = household
        self.confined = confined
        self.kept = mounts(folders)
        empty(folders, self.kept)  # IPython made its folders: whatever is there is not for two submissions
        self.before = state(folders)
        self.child = 0
        self.watch: Watch | None = None
        self.over = ""
        self.ended = 0  # processes beside the child, before a question

    def serve(self) -> NoReturn:
        """Do as told. Raises Closed when nobody tells any more."""
        while True:
            self._look_while_waiting()
            message, _ = receive(self.control)
            if message["op"] == "fork":
                self._fork(message)
                send(self.control, {"op": "forked"})
            elif message["op"] == "allow":
                self._allow(message["cpu"], message["alone"])
                send(self.control, {"op": "allowed", "over": self.over})
            else:
                told = self.reap()
                told["strays"] += empty(self.folders, self.kept) + (state(self.folders) != self.before)
                send(self.control, {"op": "reaped", **told})

    def reap(self) -> dict[str, Any]:
        """Kill the child and all it started; say how it ended, what it cost and whether anything is left.

        `strays` counts what stays of a submission: the grader then throws the slot away.
        """
        told: dict[str, Any] = {"over": self.over}
        strays = len(self._others()) + self.ended + bool(self.over)
        if self.child:
            end_group(self.child)
            _, _, usage = os.wait4(self.child, 0)
            told["cpu"] = usage.ru_utime + usage.ru_stime
        strays += self.household.end()
        self.child, self.watch, self.over, self.ended = 0, None, "", 0
        return told | {"strays": strays}

    def _allow(self, cpu: float, alone: bool) -> None:
        """Processor time anew; `alone`: for the child, without what it left running and would be blamed for."""
        for pid in self._others() if alone else ():
            end_group(pid)
            self.ended += 1
        if self.watch is not None:
            self.watch.allow(cpu, self.household.living())

    def _others(self) -> set[int]:
        return set(self.household.living()) - {self.child}

    def _look_while_waiting(self) -> None:
        """Until the grader says something, end all that exceeds a limit; again and again, if they multiply."""
        while not select.select([self.control], [], [], LOOK if self.watch else None)[0]:
            if self.watch is not None:
                self.over = self.over or self.watch.over(self.household.living())
                if self.over:
                    self.household.kill()

    def _fork(self, message: dict[str, Any]) -> None:
        _, fds, _, _ = socket.recv_fds(self.control, 1, 1)
        if not fds:
            raise Closed("the grader ended while it asked for a child")
        if message["plots"]:
            get_ready_to_plot()
        # Here, since a folder that cannot be made is the slot's end and no student's.
        own = tempfile.mkdtemp(dir=self.folders[0])
        self.child = os.fork()
        if self.child == 0:
            _become_child(self.control, fds[0], message, own, self.confined)
        os.close(fds[0])
        if sys.platform == "linux":
            self.watch = Watch(
                memory=message["memory_together"],
                processes=message["processes"],
                threads=message["threads"],
                cpu=message["cpu"],
                shared=resident(),
                first=self.household.first,
                folders=self.folders if self.confined else (),
            )


def _become_child(control: socket.socket, fd: int, message: dict[str, Any], own: str, confined: bool) -> NoReturn:
    """Own session, no way back to the slot's socket, nothing to print on; then serve."""
    try:
        control.close()
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        refuse = seccomp.refuse_calls if confined else _refuse_calls_if_possible
        serve_child(socket.socket(fileno=fd), own, message["memory"], message["cpu_seconds"], refuse)
    finally:
        os._exit(1)


def _refuse_calls_if_possible() -> None:
    """Where the kernel has no filters, or ours know no numbers, a plain process goes on without."""
    with contextlib.suppress(OSError):
        if seccomp.supported():
            seccomp.refuse_calls()
