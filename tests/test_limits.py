"""Every limit is reached by code that exceeds it, which costs that question or cell, and nothing else."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.observing.returned import MAX_DEPTH, MAX_ELEMENTS
from grader.reading.submission import Unreadable, read_submission
from grader.sandbox.isolation import Isolation
from grader.sandbox.limits import Limits
from grader.sandbox.notebook_run import run_notebook
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session import Session
from tests.conftest import OpenSession, work
from tests.test_session import running
from tests.variants import variants

SECONDS = 15.0  # a busy machine starts seventy processes in more than two
HEAD = "import ctypes, os, signal, subprocess, sys, threading, time\nimport torch\n"
FINE = "\ndef fine(): return 'fine'"

# what exceeds a limit for good: the slot or the grader ends it. (limits, code of f, how it ended, what is said)
ENDED: dict[str, tuple[Limits, str, str, str]] = {
    "wall time": (Limits(1.0), "time.sleep(60)", "timed_out", "was still running after 1 s and was stopped"),
    "processor time of one process": (
        Limits(cpu=0.02),
        "while True: pass",
        "timed_out",
        "used more than 0.3 s of processor time and was stopped",
    ),
    "processor time of several processes": (
        Limits(cpu=0.02),
        "for _ in range(7):\n        if os.fork() == 0:\n            while True: pass\n    time.sleep(60)",
        "timed_out",
        "used more than 0.3 s of processor time and was stopped",
    ),
    "processes": (
        Limits(),
        "for _ in range(70): subprocess.Popen(['sleep', '60'])\n    time.sleep(60)",
        "died",
        "started more than 64 processes or 256 threads and was stopped",
    ),
    "processes that fork themselves": (Limits(), "while True: os.fork()", "died", "and was stopped"),
    "threads": (
        Limits(),
        "threading.stack_size(2**18)\n    for _ in range(300):\n"
        "        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n    time.sleep(60)",
        "died",
        "started more than 64 processes or 256 threads and was stopped",
    ),
    "memory of several processes": (
        Limits(memory_together=2**29),
        "for _ in range(3):\n        if os.fork() == 0:\n            x = b'x' * (200 * 2**20)\n"
        "            time.sleep(60)\n    time.sleep(60)",
        "died",
        "used more than 0.5 GB of memory with all its processes and files and was stopped",
    ),
    "memory that is shared": (
        Limits(memory_together=2**29),
        "import mmap\n    kept = [mmap.mmap(-1, 200 * 2**20) for _ in range(4)]\n"
        "    for one in kept: one.write(b'x' * len(one))\n    time.sleep(60)",
        "died",
        "used more than 0.5 GB of memory",
    ),
    "memory behind a thread that ended": (
        Limits(memory_together=2**29),
        "held = []\n    def hold():\n        held.append(b'x' * (700 * 2**20))\n        time.sleep(60)\n"
        "    if os.fork() == 0:\n        threading.Thread(target=hold).start()\n"
        "        ctypes.CDLL(None).syscall(60 if os.uname().machine == 'x86_64' else 93, 0)\n    time.sleep(60)",
        "died",
        "used more than 0.5 GB of memory",
    ),
    "shared memory whose pages were let go": (
        Limits(memory_together=2**29),
        "import mmap\n    kept = []\n    if os.fork() == 0:\n        for _ in range(7):\n"
        "            kept.append(mmap.mmap(-1, 100 * 2**20))\n            kept[-1].write(b'x' * len(kept[-1]))\n"
        "            kept[-1].madvise(mmap.MADV_DONTNEED)\n        time.sleep(60)\n    time.sleep(60)",
        "died",
        "used more than 0.5 GB of memory",
    ),
}
# what is refused where it is asked for: an error like any other
RAISED = {
    "memory of one process": ("return len(bytearray(3 * 2**30))", "MemoryError"),
    "memory of one tensor": ("return torch.zeros(3 * 2**30, dtype=torch.uint8)", "RuntimeError"),
    "open files": ("kept = [open(os.devnull) for _ in range(300)]", "OSError"),
    "file size": (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n    with open('f', 'wb') as f:\n"
        "        for _ in range(300): f.write(bytes(2**20))",
        "OSError",
    ),
}


def session(sandbox: Sandbox, code: str, seconds: float = SECONDS) -> Session:
    return Session(sandbox, work(f"{HEAD}def f():\n    {code}{FINE}"), ("f", "fine"), seconds)


def question(opened: Session, name: str) -> Any:
    opened.begin_question()
    return opened.call(name, ())


@pytest.fixture(autouse=True)
def _usual_limits(any_sandbox: Sandbox) -> Iterator[None]:
    """A sandbox is shared by tests, its limits are not."""
    yield
    any_sandbox.limits = Limits()


TRIED_FIRST = ("wall time", "processor time of several processes", "processes", "threads", "memory that is shared")


@pytest.mark.parametrize("name", variants(ENDED, short=TRIED_FIRST))
def test_what_exceeds_a_limit_for_good_costs_its_question_and_says_so(name: str, bubblewrapped: Sandbox) -> None:
    bubblewrapped.limits, code, ended, said = ENDED[name]
    started = time.monotonic()
    with session(bubblewrapped, code, bubblewrapped.limits.seconds if name == "wall time" else SECONDS) as opened:
        outcome = question(opened, "f")
        assert (outcome.ended, said in outcome.note) == (ended, True), outcome
        assert question(opened, "fine").value.text == "fine"
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("name", RAISED)
def test_what_a_limit_refuses_raises_and_costs_its_call_only(name: str, sandbox: Sandbox) -> None:
    code, error = RAISED[name]
    with session(sandbox, code) as opened:
        outcome = question(opened, "f")
        assert outcome.raised is not None, outcome
        assert outcome.raised.type == error
        assert question(opened, "fine").value.text == "fine"


def test_files_in_memory_are_limited_and_wiped(bubblewrapped: Sandbox) -> None:
    fill = (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n    for place in ('/tmp', '/dev/shm'):\n"
        "        for number in range(9):\n            with open(f'{place}/{number}', 'wb') as f:\n"
        "                for _ in range(250): f.write(bytes(2**20))"
    )
    with session(bubblewrapped, fill) as opened:
        outcome = question(opened, "f")
        assert outcome.raised is not None, outcome
        assert "No space left" in outcome.raised.message
    look = (
        "return str((os.listdir('/dev/shm'), [os.statvfs(p).f_blocks - os.statvfs(p).f_bfree for p in ('/dev/shm',)]))"
    )
    with session(bubblewrapped, look) as opened:
        assert question(opened, "f").value.text == "([], [0])"


def test_a_returned_value_is_read_up_to_its_limits(sandbox: Sandbox) -> None:
    with session(sandbox, f"return torch.zeros({MAX_ELEMENTS + 1})") as opened:
        assert "too many to read" in question(opened, "f").value.note
    with session(sandbox, f"x = 1.0\n    for _ in range({MAX_DEPTH + 2}): x = [x]\n    return x") as opened:
        tree = question(opened, "f").value
        for _ in range(MAX_DEPTH + 1):
            tree = tree.items[0]
        assert "nested too deeply" in tree.note


def test_processes_that_share_what_they_hold_meet_no_limit(bubblewrapped: Sandbox) -> None:
    forks = "for _ in range(40):\n        if os.fork() == 0: time.sleep(60)\n    time.sleep(2)\n    return 'forty'"
    with session(bubblewrapped, forks) as opened:
        assert question(opened, "f").value.text == "forty"


def test_calls_that_follow_have_processor_time_of_their_own(bubblewrapped: Sandbox) -> None:
    bubblewrapped.limits = Limits(cpu=0.08)  # 1.2 s
    busy = "end = time.process_time() + 0.8\n    while time.process_time() < end: pass\n    return 'done'"
    with session(bubblewrapped, busy) as opened:
        for _ in range(3):
            assert question(opened, "f").value.text == "done"


def test_what_a_question_leaves_running_costs_no_other(bubblewrapped: Sandbox) -> None:
    bubblewrapped.limits = Limits(cpu=0.02)
    busy = "for _ in range(4):\n        if os.fork() == 0:\n            while True: pass\n    return 'left'"
    with session(bubblewrapped, busy) as opened:
        question(opened, "f")
        time.sleep(1.0)  # the grader thinks
        assert question(opened, "fine").value.text == "fine"


@pytest.mark.parametrize("limits", ["processor time of one process", "processes"])
def test_a_plain_process_is_told_the_same_of_a_limit(limits: str, sandboxes: Callable[[Isolation], Sandbox]) -> None:
    plain = sandboxes("process")
    plain.limits, code, ended, said = ENDED[limits]
    try:
        with session(plain, code) as opened:
            outcome = question(opened, "f")
            assert (outcome.ended, said in outcome.note) == (ended, True), outcome
            assert question(opened, "fine").value.text == "fine"
    finally:
        plain.limits = Limits()


def test_cells_that_hang_again_and_again_are_why_nothing_could_be_tried(bubblewrapped: Sandbox, key: AnswerKey) -> None:
    cells = ["import os; os._exit(0)"] * 14 + ["def project(x, table):\n    return x @ table.mT"]
    result = Grading(key, SECONDS).grade(work(*cells), bubblewrapped)
    told = next(question for question in result.questions if question.id == "project")
    assert told.status == "crashed"
    assert "was not tried, since your code had hung or ended the program 12 times" in told.feedback
    assert not any("the rest was graded" in message for message in result.messages)


def test_a_slot_that_is_killed_from_outside_costs_nobody_a_point(
    bubblewrapped: Sandbox, key: AnswerKey, root: Path
) -> None:
    right = (root / "tests/submissions/l10_attention/ben-all-right-script/attention.py").read_text(encoding="utf-8")
    submission = work("# %%\n" + right + "\n# %%\nimport time\ntime.sleep(1.5)\n", kind="script")
    bubblewrapped.start()
    slot = bubblewrapped._slot
    assert slot is not None
    kill = threading.Timer(0.7, slot.launched.process.kill)
    kill.start()
    result = Grading(key, SECONDS).grade(submission, bubblewrapped)
    kill.join()
    assert (result.score, result.messages) == (100, ())
    assert bubblewrapped._slot is not slot


def test_what_a_cell_puts_out_is_cut(sandbox: Sandbox) -> None:
    loud = "print('x' * 50_000_000)\nimport os\nfor _ in range(400): os.write(1, b'y' * 100_000)"
    first, second = run_notebook(sandbox, [loud, "print('fine')"], {}, 10.0)
    assert len(json.dumps(first.outputs)) < 2_000_000
    assert "fine" in json.dumps(second.outputs)


def test_a_cell_that_exceeds_a_limit_is_told_and_the_next_one_runs(bubblewrapped: Sandbox) -> None:
    many = "import subprocess, time\nfor _ in range(70): subprocess.Popen(['sleep', '60'])\ntime.sleep(60)"
    lost, following = run_notebook(bubblewrapped, [many, "print('fine')"], {}, 5.0)
    assert lost.lost == "started more than 64 processes or 256 threads and was stopped"
    assert "fine" in json.dumps(following.outputs)


def test_more_cells_than_anybody_writes_are_refused(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": [], "execution_count": None}
    path = tmp_path / "attention.ipynb"
    path.write_text(json.dumps({"cells": [cell] * 5_001, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    with pytest.raises(Unreadable, match="more than 5,000 cells"):
        read_submission(path, "ada")


def test_a_process_that_multiplies_leaves_nothing(bubblewrapped: Sandbox, session_of: OpenSession) -> None:
    marker = f"bomb-{os.getpid()}-{time.monotonic_ns()}"
    bomb = f"import os\nos.environ['{marker}'] = 'here'\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    with session_of(bubblewrapped, bomb, "def f(): return 'fine'", seconds=2.0) as opened:
        assert opened.call("f", ()).value.text == "fine"
        assert list(opened.lost) == [1]
    assert running(marker) == []


def test_honest_use_of_processes_threads_and_sockets_meets_no_limit(sandbox: Sandbox) -> None:
    cells = [
        "import socket, subprocess, sys, threading, torch",
        "print(subprocess.run(['echo', 'from a program'], capture_output=True, text=True).stdout)",
        "!echo from a shell",
        "data = torch.utils.data.TensorDataset(torch.arange(8.0))\n"
        "loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=2)\n"
        "print(sum(batch[0].sum() for batch in loader))",
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(32) as pool: print(sum(pool.map(abs, range(100))))",
        "torch.set_num_threads(8)\nprint((torch.ones(300, 300) @ torch.ones(300, 300)).sum())",
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname()).sendall(b'hello')\nprint(server.accept()[0].recv(5))",
    ]
    runs = run_notebook(sandbox, cells, {}, 20.0)
    assert [run.lost for run in runs] == [""] * len(cells)
    said = json.dumps([run.outputs for run in runs])
    for text in ("from a program", "from a shell", "tensor(28.)", "4950", "tensor(27000000.)", "b'hello'"):
        assert text in said


def test_code_that_kills_all_it_can_reach_ends_itself_only(bubblewrapped: Sandbox, key: AnswerKey, root: Path) -> None:
    """Its slot cannot be named from within, so a right submission keeps all its points."""
    right = root / "tests/submissions/l10_attention/ben-all-right-script/attention.py"
    kill = "\n# %%\nimport os, signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
    kill += "    except (OSError, ValueError): pass\nfor pid in (os.getppid(), -1, 1, 2):\n    os.kill(pid, 9)\n"
    submission = work("# %%\n" + right.read_text(encoding="utf-8"), kill, kind="script")
    bubblewrapped.start()
    starts = bubblewrapped.starts
    result = Grading(key, SECONDS).grade(submission, bubblewrapped)
    assert result.score == 100
    assert any("ended the whole program" in message for message in result.messages)
    assert bubblewrapped.starts == starts
