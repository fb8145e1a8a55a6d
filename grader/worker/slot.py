"""A slot: one process that has imported what students import, and forks a child for each submission.

The grader starts it with a control socket and with folders, which are all that a child can write to: a child starts
in a new folder within the first, and all are emptied after it. The grader sends {"op": "fork"} and then one
byte that carries an end of a fresh socket pair; {"op": "reap"} when it is done with the child.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from grader.worker.limits import guard_slot, limit_child
from grader.worker.traces import empty, entries, state
from grader.worker.wire import Closed, receive, send

NEEDED = ("numpy", "torch", "grader.worker.serve", "grader.worker.shell")
WELCOME = (  # save each child the import
    "grader.notebook",
    "IPython.core.application",
    "IPython.core.completerlib",
    "IPython.core.magics.execution",
    "IPython.core.magics.osm",
    "IPython.core.pylabtools",
    "pexpect",
)
PLOTS = ("matplotlib.backends.backend_agg", "matplotlib.pyplot", "PIL.JpegImagePlugin")  # once a child will plot


def main(control_fd: int, folders: Sequence[Path]) -> None:
    """Say "ready", then fork and reap as told until the control socket closes."""
    control = socket.socket(fileno=control_fd)
    _preload()
    guard_slot()
    kept, before = entries(folders), state(folders)
    send(control, {"op": "ready"})
    child = 0
    try:
        while True:
            message, _ = receive(control)
            if message["op"] == "fork":
                child = _fork(control, message, folders[0])
                send(control, {"op": "forked", "pid": child})
                continue
            told = _reap(child)
            told["strays"] += empty(folders, kept) + (state(folders) != before)
            send(control, {"op": "reaped", **told})
            child = 0
    except Closed:
        _reap(child)


def _preload() -> None:
    for name in NEEDED:
        importlib.import_module(name)
    _import(WELCOME)
    _warm_up()
    # an editable install puts the course's own folder on the path; nothing of it is a student's to import
    homes = tuple(str(Path(home).resolve()) for home in (sys.prefix, sys.base_prefix))
    sys.path[:] = [place for place in sys.path if str(Path(place).resolve()).startswith(homes)]
    gc.collect()
    gc.freeze()  # collecting in a child would touch, and so copy, all that it shares with the slot


def _import(names: Sequence[str]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _warm_up() -> None:
    """Do once what torch does slowly the first time. No backward: it starts threads, and a child forked from
    a process whose torch has threads would hang.
    """
    import torch

    from grader.observing.calling import call
    from grader.worker.pack import pack, unpack
    from grader.worker.shell import warm_up

    warm_up()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    for dtype in (torch.float32, torch.float64):
        table = torch.randn(3, 3, dtype=dtype)
        weights = torch.einsum("ik,jk->ij", table, (table @ table.mT) / 2.0).softmax(dim=-1)
        unpack(pack({"t": weights}))
        str(weights.std())
    call(lambda: (weights, 1.0), ())


def _fork(control: socket.socket, message: dict[str, Any], folder: Path) -> int:
    _, fds, _, _ = socket.recv_fds(control, 1, 1)
    if message["plots"]:
        _import(PLOTS)
    own = tempfile.mkdtemp(dir=folder)  # here: if it cannot be made, that is the slot's end and no student's
    pid = os.fork()
    if pid == 0:
        _become_child(control, fds[0], message, own)
    os.close(fds[0])
    return pid


def _become_child(control: socket.socket, fd: int, message: dict[str, Any], own: str) -> NoReturn:
    """Own session, own folder, no way back to the slot's socket; then serve."""
    from grader.worker.serve import serve

    try:
        control.close()
        os.setsid()
        os.chdir(own)
        sys.path.insert(0, own)  # what %%writefile wrote can be imported
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        limit_child(message["memory"], message["cpu_seconds"])
        link = socket.socket(fileno=fd)
        send(link, {"op": "serving"})
        serve(link)
    finally:
        os._exit(1)


def _reap(child: int) -> dict[str, Any]:
    """Kill the child and all it started; say how it ended, what it cost and how many others there were.

    `strays` counts what stays of a submission: the grader then throws the slot away.
    """
    told: dict[str, Any] = {}
    if child:
        _kill_group(child)
        _, status, usage = os.wait4(child, 0)
        told |= {"status": status, "cpu": usage.ru_utime + usage.ru_stime}
    return told | {"strays": _end_strays()}


def _kill_group(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _end_strays() -> int:
    """Orphans come to the slot (it is their subreaper): kill and wait until none is left."""
    count = 0
    for _ in range(1_000):
        strays = _children()
        if not strays:
            break
        for pid in strays:
            _kill_group(pid)
        for pid in strays:
            try:
                os.waitpid(pid, 0)
                count += 1
            except ChildProcessError:
                pass
    return count


def _children() -> list[int]:
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return [int(pid) for pid in text.split()]
    except OSError:  # no /proc: macOS
        return []
