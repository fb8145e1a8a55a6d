"""Where processes cannot fork, as on Windows, a submission gets a process of its own and the same grade."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.warm import warm

CLASS = "tests/submissions/l10_attention"
STUDENTS = ["ada-all-right", "carla-unscaled", "mats-endless-attention", "omar-os-exit"]
# What Windows lacks, taken away before anything of ours is imported. It stands in for Windows: nothing was run there.
WITHOUT = """
import os, signal, socket, sys
lacking = {os: "fork forkpty setsid killpg wait4 sched_getaffinity O_NONBLOCK O_NOFOLLOW memfd_create",
           signal: "SIGHUP SIGALRM setitimer", socket: "send_fds recv_fds"}
for place, names in lacking.items():
    for name in names.split():
        if hasattr(place, name):
            delattr(place, name)
"""
WITHOUT_MODULES = "for module in ('resource', 'pwd', 'grp'): sys.modules[module] = None\n"
BRACED = WITHOUT.replace("{", "{{").replace("}", "}}")  # it becomes a part of what is formatted
WORKER_TOO = f"import grader.sandbox.launch as launch\nlaunch.START = {BRACED!r} + launch.START\n"


def grade(root: Path, code: str) -> list[dict[str, Any]]:
    students = [str(root / CLASS / student) for student in STUDENTS]
    arguments = ["grade", "l10_attention", *students, "--fresh", "--timeout", "3", "--format", "json"]
    arguments += ["--isolation", "process"]
    run = f"{code}\nimport sys\nsys.argv = {['grader', *arguments]!r}\nfrom grader.cli import main\nmain()"
    command = [sys.executable, "-c", run] if code else warm("grader", *arguments)
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    for question in (question for result in results for question in result["questions"]):
        question.pop("seconds")
    return results


@pytest.mark.long
def test_grades_are_those_of_a_machine_that_forks(root: Path) -> None:
    without = grade(root, WITHOUT + WITHOUT_MODULES + WORKER_TOO)
    assert without == grade(root, "")
    assert [result["student"] for result in without] == STUDENTS
    assert without[0]["score"] == 100
    assert "was still running after 3 s" in json.dumps(without[2])


def test_a_worker_starts_without_the_modules_that_windows_lacks(root: Path) -> None:
    modules = "grader.worker.single, grader.worker.serve, grader.worker.removal, grader.sandbox.sandbox"
    subprocess.run([sys.executable, "-c", f"{WITHOUT}{WITHOUT_MODULES}import {modules}"], cwd=root, check=True)


def test_a_call_without_the_token_is_not_taken_for_the_worker(root: Path) -> None:
    stranger = """
import json, socket, struct, threading
real = socket.create_server
def create_server(*arguments):
    listener = real(*arguments)
    text = json.dumps({"token": "guessed", "op": "ready"}).encode()
    caller = socket.create_connection(listener.getsockname())
    caller.sendall(struct.pack("!II", len(text), 0) + text)
    kept.append(caller)
    return listener
kept = []
socket.create_server = create_server
from grader.sandbox.limits import Limits
from grader.sandbox.sandbox import Sandbox
with Sandbox("process", Limits()) as sandbox:
    sandbox.start()
    link = sandbox.fork(1.0)
    print(link.getpeername() != kept[0].getsockname(), sandbox.starts, len(kept))
"""
    done = subprocess.run([sys.executable, "-c", WITHOUT + stranger], cwd=root, capture_output=True, text=True)
    assert done.stdout == "True 1 1\n", done.stderr
