"""Runs of `grader grade` that are killed: started in a course's folder, watched from outside, ended by SIGKILL.

All that a run starts can be told from the rest of the machine: its temporary folder and its bubblewrap stand in the
course's own folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil

GRADER = Path(sys.executable).parent / "grader"
LOG = "log.txt"  # in the course's folder: what its runs said
# Importing torch takes most of a start. This process does it once, and each run is a fork of it.
WARM = """
import json, os, signal, sys, tempfile
import grader.commands
from grader.cli import main
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
for line in sys.stdin:
    folder, environment, arguments = json.loads(line)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.chdir(folder)
        os.environ.update(environment)
        tempfile.tempdir = None
        log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for standard in (1, 2):
            os.dup2(log, standard)
        try:
            main(arguments)
        finally:
            os._exit(0)
    print(pid, flush=True)
"""


def environment(folder: Path) -> dict[str, str]:
    """Where a run finds bubblewrap and makes temporary files: in the course's own folder."""
    programs, temporary = folder / "bin", folder / "tmp"
    programs.mkdir(exist_ok=True)
    temporary.mkdir(exist_ok=True)
    bubblewrap = shutil.which("bwrap")
    if bubblewrap and not (programs / "bwrap").exists():
        (programs / "bwrap").symlink_to(bubblewrap)
    return {"PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}", "TMPDIR": str(temporary)}


def cold(folder: Path, command: Sequence[str | Path]) -> psutil.Popen:
    """A command of the course, as it is typed."""
    with (folder / LOG).open("ab") as log:
        return psutil.Popen(
            [str(word) for word in command],
            cwd=folder,
            env=os.environ | environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


@contextlib.contextmanager
def warm() -> Iterator[Callable[[Path, Sequence[str]], psutil.Process]]:
    """A function that starts `grader` with some arguments in a course's folder, without the import of torch."""
    source = subprocess.Popen([sys.executable, "-c", WARM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert source.stdin is not None
    assert source.stdout is not None
    assert source.stdout.readline() == "ready\n"
    send, answers = source.stdin, source.stdout

    def start(folder: Path, arguments: Sequence[str]) -> psutil.Process:
        send.write(json.dumps([str(folder), environment(folder), list(arguments)]) + "\n")
        send.flush()
        return psutil.Process(int(answers.readline()))

    try:
        yield start
    finally:
        source.kill()
        source.wait()
        send.close()
        answers.close()


def started_by(run: psutil.Process) -> set[psutil.Process]:
    """Everything that a run has started and that lives."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return set(run.children(recursive=True))
    return set()


def kill(run: psutil.Process) -> set[psutil.Process]:
    """SIGKILL; what the run had started by then."""
    seen = started_by(run)
    with contextlib.suppress(psutil.NoSuchProcess):
        run.kill()
    if isinstance(run, psutil.Popen):
        run.wait()
    else:
        wait_until(lambda: not lives(run), 10.0)
    return seen


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def survivors(folder: Path, seen: set[psutil.Process], seconds: float = 20.0) -> list[str]:
    """What still lives, after some seconds at most, of what the course's runs had started."""
    wait_until(lambda: not _living(folder, seen), seconds)
    return [repr(process) for process in _living(folder, seen)]


def _living(folder: Path, seen: set[psutil.Process]) -> set[psutil.Process]:
    named = {process for process in psutil.process_iter() if str(folder) in " ".join(_words(process))}
    return {process for process in seen | named if lives(process)}


def _words(process: psutil.Process) -> list[str]:
    try:
        return [*process.cmdline(), process.cwd()]
    except psutil.Error:
        return []


def wait_until(true: Callable[[], bool], seconds: float, step: float = 0.002) -> bool:
    """Whether it became true in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(step)
    return True


def stopped_where(run: psutil.Process, true: Callable[[], bool], go_on: Callable[[], bool], step: float) -> bool:
    """Stop a run again and again, until it stands still where something is true; whether it does."""
    while go_on() and lives(run):
        run.send_signal(signal.SIGSTOP)
        if true():
            return True
        run.send_signal(signal.SIGCONT)
        time.sleep(step)
    return False
