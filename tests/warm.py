"""Programs of this environment without their imports: a process has them done, and each run is a fork of it.

Importing torch, or nbgrader, takes most of a command's time. `warm(program, *arguments)` is a command line for
`subprocess`, with which everything holds that holds of the program itself: folder, environment, standard streams, exit
code, and signals that can be caught. What only a start of Python reads (PYTHONHASHSEED, options of `python`), and whom
SIGKILL kills, is not the same: then, and once for each kind of command, start the program itself.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
# By program: what it imports in any case. `grader.pytest_plugin` is not there, for pytest has to import it itself.
NEEDED = {
    "grader": ("grader.cli", "grader.commands"),
    "nbgrader": (
        "nbgrader.apps.nbgraderapp",
        "nbgrader.converters",
        "nbgrader.api",
        "nbconvert.exporters",
        "grader.autograding.config",
    ),
    "pytest": ("numpy", "torch", "_pytest.config", "grader.student.work", "IPython"),
}


def warm(program: str, *arguments: str) -> list[str]:
    """A command line of `grader`, `nbgrader` or `pytest`: a path runs that script, a name is what -m has."""
    return [sys.executable, "-I", "-S", __file__, _source(Path(program).name), program, *arguments]


@functools.cache
def _source(program: str) -> str:
    """Where a process listens that has the imports of a program; it ends with this one."""
    folder = tempfile.mkdtemp(prefix="warm-")
    address = f"{folder}/source"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, __file__, "--serve", address, *NEEDED[program]]
    environment = plain | {"PYTHONPATH": str(ROOT)}
    source = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment)
    assert source.stdin is not None
    assert source.stdout is not None
    assert source.stdout.readline() == b"ready\n"

    def end(pid: int = os.getpid()) -> None:
        if pid == os.getpid():  # no fork of this one
            source.kill()
            source.wait()
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return address


# --- whoever is started by a test ---------------------------------------------------------------------------------


def ask(address: str, command: list[str]) -> int:
    """Have the command run with what this process has, and end as it does."""
    link = socket.socket(socket.AF_UNIX)
    link.connect(address)
    request = json.dumps([os.getcwd(), dict(os.environ), command]).encode()
    socket.send_fds(link, [len(request).to_bytes(8, "big")], [0, 1, 2])
    link.sendall(request)
    pid = int.from_bytes(_exactly(link, 8), "big")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    code = os.waitstatus_to_exitcode(int.from_bytes(_exactly(link, 8), "big"))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _exactly(link: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = link.recv(size - len(data))
        if not piece:
            sys.exit("the process that has the imports has ended")
        data += piece
    return data


# --- the process that has the imports -------------------------------------------------------------------------------


def serve(address: str, needed: list[str]) -> list[str]:
    """Import, and have a fork for each that asks; returns in each fork, with its command line."""
    import gc
    import importlib
    import select

    for name in needed:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # to collect in a fork would copy what it shares
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for the forks
    print("ready", flush=True)
    while True:
        if sys.stdin.fileno() in select.select([listener, sys.stdin.fileno()], [], [])[0]:
            os._exit(0)  # nobody is there any more
        link, _ = listener.accept()
        with link:
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return _told(link)


def _told(link: socket.socket) -> list[str]:
    """Fork once more, for somebody has to wait for the program; returns in the fork."""
    size, streams, _, _ = socket.recv_fds(link, 8, 3)
    folder, environment, command = json.loads(_exactly(link, int.from_bytes(size, "big")))
    pid = os.fork()
    if pid:
        for descriptor in (0, 1, 2, *streams):
            os.close(descriptor)  # whoever reads what the program writes waits for its end
        link.sendall(pid.to_bytes(8, "big"))
        link.sendall(os.waitpid(pid, 0)[1].to_bytes(8, "big"))
        os._exit(0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    return list(command)


def become(command: list[str]) -> None:
    """Be the program: as at a start of Python with this environment."""
    import random
    import runpy
    import warnings

    random.seed()
    tempfile.tempdir = None
    warnings.resetwarnings()
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.filterwarnings("ignore", category=category, append=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        kept = errors or ("backslashreplace" if name == "stderr" else "strict")
        buffered = {"buffering": 1} if name == "stderr" else {}
        mode = "w" if number else "r"
        stream = open(number, mode, encoding=encoding or "utf-8", errors=kept, closefd=False, **buffered)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    program, *arguments = command
    sys.argv = [program, *arguments]
    path = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    kept_path = [place for place in sys.path if place not in (str(ROOT), str(Path(__file__).parent))]
    sys.path[:] = [str(Path(program).parent) if "/" in program else os.getcwd(), *path, *kept_path]
    if "/" in program:
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)


def end(run: Callable[[], None]) -> NoReturn:
    """Run, and end as Python does; but what the imports have made is not taken apart, which takes half a second."""
    import threading

    code: object = 0
    try:
        run()
    except SystemExit as ended:
        code = ended.code or 0
        if not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads that are no daemons
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 120
    os._exit(int(code))


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        wanted = serve(sys.argv[2], sys.argv[3:])
        end(lambda: become(wanted))
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
