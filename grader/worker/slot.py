"""A slot: one process that has imported what students import, and forks a child for each submission.

The grader starts it with a control socket and with folders, which are all that a child can write to: a child starts
in a new folder within the first, and all are emptied after it. The grader sends {"op": "fork"} and then one
byte that carries an end of a fresh socket pair; {"op": "allow"} when the child may use processor time anew;
{"op": "reap"} when it is done with the child. While a child is at work, the slot watches what it and all that it
started use together.

A child is forked before it is asked for, while nobody waits, and only when nothing is left of the one before it.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys
import tempfile
from collections.abc import Collection, Sequence
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
        slot.fork_ahead()
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
        self.gate: socket.socket | None = None  # to a child that was not asked for yet
        self.watch: Watch | None = None
        self.over = ""
        self.ended = 0  # processes beside the child, before a question

    def serve(self) -> NoReturn:
        """Do as told. Raises Closed when nobody tells any more."""
        while True:
            self._look_while_waiting()
            message, _ = receive(self.control)
            if message["op"] == "fork":
                self._begin(message)
                send(self.control, {"op": "forked"})
            elif message["op"] == "allow":
                self._allow(message["cpu"], message["alone"])
                send(self.control, {"op": "allowed", "over": self.over})
            else:
                told = self.reap()
                told["strays"] += empty(self.folders, self.kept) + (state(self.folders) != self.before)
                send(self.control, {"op": "reaped", **told})
                if not told["strays"]:
                    self.fork_ahead()

    def fork_ahead(self) -> None:
        """Have a child that waits until it is asked for."""
        # Here, since a folder that cannot be made is the slot's end and no student's.
        own = tempfile.mkdtemp(dir=self.folders[0])
        self.gate, theirs = socket.socketpair()
        with theirs:
            self.child = os.fork()
            if self.child == 0:
                self.gate.close()
                _become_child(self.control, theirs, own, self.confined)

    def reap(self) -> dict[str, Any]:
        """Kill the child and all it started; say how it ended, what it cost and whether anything is left.

        `strays` counts what stays of a submission: the grader then throws the slot away.
        """
        told: dict[str, Any] = {"over": self.over}
        strays = len(self._others(self.household.living())) + self.ended + bool(self.over)
        if self.child:
            end_group(self.child)
            _, _, usage = os.wait4(self.child, 0)
            told["cpu"] = usage.ru_utime + usage.ru_stime
        strays += self.household.end()
        if self.gate is not None:
            self.gate.close()
        self.child, self.gate, self.watch, self.over, self.ended = 0, None, None, "", 0
        return told | {"strays": strays}

    def _allow(self, cpu: float, alone: bool) -> None:
        """Processor time anew; `alone`: for the child, without what it left running and would be blamed for."""
        living = self.household.living()
        for pid in self._others(living) if alone else ():
            end_group(pid)
            self.ended += 1
        if self.watch is not None:
            self.watch.allow(cpu, living)

    def _others(self, living: Collection[int]) -> set[int]:
        return set(living) - {self.child}

    def _look_while_waiting(self) -> None:
        """Until the grader says something, end all that exceeds a limit; again and again, if they multiply."""
        while not select.select([self.control], [], [], LOOK if self.watch else None)[0]:
            if self.watch is not None:
                self.over = self.over or self.watch.over(self.household.living())
                if self.over:
                    self.household.kill()

    def _begin(self, message: dict[str, Any]) -> None:
        """Have the child that waits go on, with its limits and its end of the socket pair."""
        _, fds, _, _ = socket.recv_fds(self.control, 1, 1)
        if not fds:
            raise Closed("the grader ended while it asked for a child")
        if message["plots"] and get_ready_to_plot():
            self.reap()
        if self.gate is None:
            self.fork_ahead()
        assert self.gate is not None
        with self.gate:
            send(self.gate, message)
            socket.send_fds(self.gate, [b"."], fds)
        self.gate = None
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


def _become_child(control: socket.socket, gate: socket.socket, own: str, confined: bool) -> NoReturn:
    """Own session, no way back to the slot's socket, nothing to print on; then wait to be asked for, and serve."""
    try:
        control.close()
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        os.close(nowhere)
        with gate:
            message, _ = receive(gate)
            _, fds, _, _ = socket.recv_fds(gate, 1, 1)
        refuse = seccomp.refuse_calls if confined else _refuse_calls_if_possible
        serve_child(socket.socket(fileno=fds[0]), own, message["memory"], message["cpu_seconds"], refuse)
    finally:
        os._exit(1)


def _refuse_calls_if_possible() -> None:
    """Where the kernel has no filters, or ours know no numbers, a plain process goes on without."""
    with contextlib.suppress(OSError):
        if seccomp.supported():
            seccomp.refuse_calls()
