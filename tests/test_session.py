"""Student code in its sandbox, for real: whatever it does costs at most what it was busy with."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.observing.calling import call
from grader.observing.match import same_outcome
from grader.observing.outcome import Outcome
from grader.observing.returned import MAX_ELEMENTS, Returned
from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session import Session

SessionOf = Callable[..., Session]
FINE = "def f(): return 'fine'"


@pytest.fixture
def outcome_of(session_of: SessionOf) -> Callable[..., Outcome]:
    """Runs cells in a session of their own and calls `f`."""

    def run(sandbox: Sandbox, *cells: str, arguments: tuple[object, ...] = (), **more: Any) -> Outcome:
        with session_of(sandbox, *cells, **more) as session:
            assert "f" in session.values, (session.errors, session.lost)
            return session.call("f", arguments)

    return run


OutcomeOf = Callable[..., Outcome]


# --- values come back ---------------------------------------------------------------------------------

KINDS = {
    "torch.arange(6.0).reshape(2, 3).mT": ("tensor", "Tensor"),
    "torch.nn.Parameter(torch.ones(2))": ("tensor", "Parameter"),
    "numpy.ones((2, 2))": ("array", "ndarray"),
    "numpy.float32(0.5)": ("array", "float32"),
    "2.5": ("number", "float"),
    "float('nan')": ("number", "float"),
    "float('inf')": ("number", "float"),
    "10 ** 400": ("number", "int"),
    "fractions.Fraction(2, 3)": ("number", "Fraction"),
    "True": ("bool", "bool"),
    "'words and \\ud800'": ("text", "str"),
    "None": ("none", "None"),
    "(1, [2, torch.ones(3)])": ("sequence", "tuple"),
    "collections.namedtuple('Three', 'a b c')(1, 2, 3)": ("sequence", "Three"),
    "{'output': torch.ones(2)}": ("dict", "dict"),
    "{1, 2}": ("other", "set"),
    "lambda: 1": ("other", "function"),
    "1 + 2j": ("other", "complex"),
}
EVALUATE = """
import collections, ctypes, fractions, numpy, torch
def f(text):
    return eval(text)
"""


@pytest.mark.parametrize("text", KINDS)
def test_a_value_of_each_kind_comes_back(sandbox: Sandbox, outcome_of: OutcomeOf, text: str) -> None:
    outcome = outcome_of(sandbox, EVALUATE, arguments=(text,))
    assert outcome.ended == "returned"
    assert (outcome.value.kind, outcome.value.type) == KINDS[text]


HOSTILE = {
    "meta": "torch.ones(2, device='meta')",
    "sparse": "torch.ones(2, 2).to_sparse()",
    "complex": "torch.tensor([1 + 2j]).conj()",
    "quantized": "torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)",
    "nested": "torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])",
    "subclass": "torch.ones(2).as_subclass(type('Own', (torch.Tensor,), {}))",
    "too large": f"torch.ones(1).expand({MAX_ELEMENTS + 1})",
    "too large for any memory": "torch.ones(1).expand(2 ** 62)",
    "freed": "(lambda x: [x.untyped_storage().resize_(0), x][1])(torch.ones(100))",
    "a liar": "type('Liar', (), {'__class__': property(lambda self: torch.Tensor)})()",
    "a lying array": "type('L', (), {'__array_interface__': {'data': (1, 0), 'shape': (9,), 'typestr': '<f8'}})()",
    "an endless sequence": "type('L', (), {'__len__': lambda s: 2 ** 62, '__getitem__': lambda s, i: 1.0})()",
    "an endless array": "numpy.lib.stride_tricks.as_strided(numpy.ones(1), (2 ** 40,), (0,))",
    "a generator": "iter(lambda: 1, 2)",
    "a module": "torch",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_value_that_cannot_be_read_is_told_by_its_type(sandbox: Sandbox, outcome_of: OutcomeOf, name: str) -> None:
    outcome = outcome_of(sandbox, EVALUATE, arguments=(HOSTILE[name],))
    assert (outcome.ended, outcome.value.kind) == ("returned", "other")


STRUCTURES = {
    "a list in itself": "a = []\n    a.append(a)\n    return a",
    "a deep list": "a = []\n    for _ in range(100_000):\n        a = [a]\n    return a",
    "a long list": "return [0.0] * 1_000_000",
    "a claim of 2**62 items": "return type('L', (list,), {'__len__': lambda self: 2 ** 62})([1.0])",
    "a long text": "return 'x' * 50_000_000",
    "large tensors, each of them readable": f"return [torch.zeros({MAX_ELEMENTS}).double() for _ in range(3)]",
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_structure_of_any_size_comes_back_in_part(sandbox: Sandbox, outcome_of: OutcomeOf, name: str) -> None:
    outcome = outcome_of(sandbox, f"import torch\ndef f():\n    {STRUCTURES[name]}")
    assert outcome.ended == "returned"
    assert outcome.value.kind in ("sequence", "text", "other")


def test_lazy_views_come_back_with_their_own_values(sandbox: Sandbox, outcome_of: OutcomeOf) -> None:
    views = "z.conj().imag, z.conj().real, z.imag.expand(3)"
    code = f"import torch\ndef f():\n    z = torch.tensor([1 + 2j])\n    return {views}"
    values = [item.tensor for item in outcome_of(sandbox, code).value.items]
    assert [value.tolist() for value in values if value is not None] == [[-2.0], [1.0], [2.0, 2.0, 2.0]]


def test_a_call_in_the_sandbox_is_observed_as_one_outside(sandbox: Sandbox, session_of: SessionOf) -> None:
    def f(q: torch.Tensor, k: torch.Tensor, by: float) -> tuple[torch.Tensor, torch.Tensor]:
        k.detach().mul_(2)
        return q @ k.mT / by, q

    code = "def f(q, k, by):\n    k.detach().mul_(2)\n    return q @ k.mT / by, q"
    q, k, weigh = torch.rand(2, 3), torch.rand(4, 3), {0: torch.rand(2, 4)}
    outside = call(f, (q.clone(), k.clone(), 2.0), gradient=weigh, after=True)
    with session_of(sandbox, code, kind="script") as session:
        inside = session.call("f", (q, k, 2.0), gradient=weigh, after=True)
    assert same_outcome(outside, inside)
    assert len(inside.gradients) == 2
    assert len(inside.after) == 3


def test_names_that_are_not_there_are_left_out_and_functions_are_told(sandbox: Sandbox, session_of: SessionOf) -> None:
    cells = ("def f(): pass", "class g: pass", "number = 3", "nothing = None")
    with session_of(sandbox, *cells, names=("f", "g", "number", "nothing", "absent")) as session:
        assert set(session.values) == {"f", "g", "number", "nothing"}
        assert [session.values[name].callable for name in ("f", "g", "number", "nothing")] == [True, True, False, False]
        assert session.values["number"].tree == Returned("number", "int", number=3.0)


def test_chance_repeats_itself_on_a_regrade(sandbox: Sandbox, session_of: SessionOf) -> None:
    code = "import random, numpy, torch\ndef f(): return torch.rand(3), numpy.random.rand(2), random.random()"

    def drawn(seed: int) -> Outcome:
        with session_of(sandbox, "import torch\ntorch.rand(5)", code) as session:
            return session.call("f", (), seed=seed)

    assert same_outcome(drawn(0), drawn(0))
    assert not same_outcome(drawn(0), drawn(1))


# --- errors of the student's --------------------------------------------------------------------------


def test_an_exception_comes_back_with_the_student_s_own_line(sandbox: Sandbox, outcome_of: OutcomeOf) -> None:
    raised = outcome_of(sandbox, "import torch", "\ndef f():\n    return torch.ones(2) @ torch.ones(3)").raised
    assert raised is not None
    assert (raised.type, raised.cell, raised.line) == ("RuntimeError", 2, 3)
    assert raised.text == "return torch.ones(2) @ torch.ones(3)"


RAISING = {
    "a stub": ("raise NotImplementedError('not yet')", "NotImplementedError"),
    "sys.exit": ("sys.exit(3)", "SystemExit"),
    "exit": ("exit()", "SystemExit"),
    "input": ("return input('a number, please: ')", "RuntimeError"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "endless recursion": ("return f()", "RecursionError"),
    "50 GB": ("return torch.ones(50 * 2 ** 30, dtype=torch.uint8)", "RuntimeError"),
    "8 GB in Python": ("return bytearray(8 * 2 ** 30)", "MemoryError"),
    "megabytes of text": ("raise ValueError('x' * 50_000_000)", "ValueError"),
    "text that is no text": ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()", "Odd"),
    "half a character": ("raise ValueError('\\ud800')", "ValueError"),
}


@pytest.mark.parametrize("name", RAISING)
def test_an_error_of_the_student_s_ends_the_call_only(sandbox: Sandbox, session_of: SessionOf, name: str) -> None:
    line, kind = RAISING[name]
    code = f"import os, sys, torch\ndef f():\n    {line}\ndef g(): return 'fine'"
    with session_of(sandbox, code, names=("f", "g")) as session:
        outcome = session.call("f", ())
        assert outcome.raised is not None, outcome
        assert outcome.raised.type == kind
        assert len(outcome.raised.message) <= 2_000
        assert outcome.raised.stub == (name == "a stub")
        assert session.call("g", ()).value.text == "fine"


def test_an_error_in_a_cell_does_not_cost_the_next_one(sandbox: Sandbox, session_of: SessionOf) -> None:
    cells = ("import sys", "sys.exit(1)", "def broken(:", "raise ValueError('x' * 50_000_000)", "input()", FINE)
    with session_of(sandbox, *cells) as session:
        assert [error.type for error in session.errors] == ["SystemExit", "SyntaxError", "ValueError", "RuntimeError"]
        assert [error.cell for error in session.errors] == [2, 3, 4, 5]
        assert all(len(error.message) <= 2_000 for error in session.errors)
        assert session.lost == {}
        assert session.call("f", ()).value.text == "fine"


FLOODS = {
    "print": "for _ in range(200_000): print('x' * 100)",
    "stderr": "for _ in range(200_000): sys.stderr.write('x' * 100)",
    "file descriptors": "for _ in range(2_000): os.write(1, b'x' * 10_000); os.write(2, b'x' * 10_000)",
    "nowhere to print": "sys.stdout = sys.stderr = None; print('x')",
}


@pytest.mark.parametrize("name", FLOODS)
def test_what_is_printed_goes_nowhere(sandbox: Sandbox, outcome_of: OutcomeOf, name: str) -> None:
    flood = FLOODS[name]
    outcome = outcome_of(sandbox, "import os, sys", flood, f"def f():\n    {flood}\n    return 'fine'")
    assert outcome.value.text == "fine"


def test_notebook_lines_that_are_no_python_are_understood(sandbox: Sandbox, session_of: SessionOf) -> None:
    cells = (
        "!touch here",
        "%time a = 1",
        "%%time\nb = 2",
        "import asyncio\nc = await asyncio.sleep(0, 3)",
        "%matplotlib inline",
    )
    with session_of(sandbox, *cells, names=("a", "b", "c")) as session:
        assert session.errors == []
        assert {name: value.tree.number for name, value in session.values.items()} == {"a": 1, "b": 2, "c": 3}
        assert any("touch here" in note for _, note in session.notes)


# --- limits -------------------------------------------------------------------------------------------


ENDLESS = {
    "a loop": "while True: pass",
    "a long sleep": "time.sleep(1000)",
    "one that lets nothing through": "\n".join(
        ["while True:", "        try: time.sleep(1000)", "        except BaseException: pass"]
    ),
    "one that ignores signals": "[signal.signal(n, signal.SIG_IGN) for n in (2, 15, 24)]\n    while True: pass",
    "inside C": "sum(range(10 ** 15))",
    "a stopped process": "os.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_call_that_does_not_end_costs_its_question_only(sandbox: Sandbox, session_of: SessionOf, name: str) -> None:
    code = f"import os, signal, time\ndef f():\n    {ENDLESS[name]}\ndef g(): return 'fine'"
    with session_of(sandbox, code, names=("f", "g"), seconds=0.5) as session:
        session.begin_question()
        started = time.monotonic()
        assert session.call("f", ()).ended == "timed_out"
        assert session.call("f", ()).ended == "timed_out"
        assert session.call("g", ()).ended == "timed_out", "the question's time is spent"
        assert time.monotonic() - started < 5
        session.begin_question()
        assert session.call("g", ()).value.text == "fine"


def test_the_time_of_a_question_is_that_of_all_its_calls(sandbox: Sandbox, session_of: SessionOf) -> None:
    with session_of(sandbox, "import time\ndef f(): time.sleep(0.4)", seconds=1.0) as session:
        session.begin_question()
        assert [session.call("f", ()).ended for _ in range(4)][-1] == "timed_out"
        session.begin_question()
        assert session.call("f", ()).ended == "returned"


DEADLY = {
    "os._exit": "os._exit(0)",
    "a signal": "os.kill(os.getpid(), signal.SIGKILL)",
    "a segmentation fault": "ctypes.string_at(0)",
    "an abort": "os.abort()",
    "closed files": "os.closerange(3, 1000)",
}


@pytest.mark.parametrize("name", DEADLY)
def test_a_call_that_ends_the_process_costs_its_question_only(
    sandbox: Sandbox, session_of: SessionOf, name: str
) -> None:
    code = f"import ctypes, os, signal\ndef f():\n    {DEADLY[name]}\ndef g(): return 'fine'"
    with session_of(sandbox, code, names=("f", "g")) as session:
        session.begin_question()
        assert session.call("f", ()).ended == "died"
        session.begin_question()
        assert session.call("g", ()).value.text == "fine"


@pytest.mark.parametrize("line", ["os._exit(0)", "ctypes.string_at(0)", "while True: pass", "os.closerange(3, 1000)"])
def test_a_cell_that_ends_or_hangs_the_process_costs_that_cell_only(
    sandbox: Sandbox, session_of: SessionOf, line: str
) -> None:
    cells = ("import ctypes, os\nbefore = 1", f"lost = 1\n{line}", FINE)
    with session_of(sandbox, *cells, names=("before", "lost", "f"), seconds=0.7) as session:
        assert set(session.lost) == {2}
        assert set(session.values) == {"before", "f"}
        assert session.call("f", ()).value.text == "fine"


def test_many_cells_that_hang_do_not_take_for_ever(sandbox: Sandbox, session_of: SessionOf) -> None:
    started = time.monotonic()
    with session_of(sandbox, *["while True: pass"] * 30, FINE, seconds=0.2):
        assert time.monotonic() - started < 30


def test_memory_that_was_given_back_is_there_for_the_next_submission(sandbox: Sandbox, outcome_of: OutcomeOf) -> None:
    for _ in range(3):
        code = "import torch\nkept = torch.ones(2 ** 30, dtype=torch.uint8)\ndef f(): return kept.numel()"
        assert outcome_of(sandbox, code).value.number == 2**30


def test_the_worker_s_time_is_counted(sandbox: Sandbox, session_of: SessionOf) -> None:
    before = sandbox.cpu_seconds
    with session_of(sandbox, "x = sum(range(3_000_000))"):
        pass
    assert 0 < sandbox.cpu_seconds - before < 5


# --- nothing is left for the next submission --------------------------------------------------------------


def running(marker: str) -> list[int]:
    """The processes of this machine, inside of bubblewrap or not, with `marker` in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it comes true within two seconds: starting a process, or ending a namespace, takes a moment."""
    for _ in range(40):
        if holds():
            return True
        time.sleep(0.05)
    return holds()


@pytest.fixture
def marker() -> Iterator[str]:
    """A number of seconds that only this test sleeps."""
    name = f"98{uuid.uuid4().int % 10**12}"
    yield name
    for pid in running(name):
        os.kill(pid, 9)


STRAYS = {
    "a process of its own session": "subprocess.Popen(['sleep', '{}'], start_new_session=True)",
    "an orphan": (
        "pid = os.fork()\nif pid == 0:\n    subprocess.Popen(['sleep', '{}'])\n    os._exit(0)\nos.waitpid(pid, 0)"
    ),
    "a daemon": (
        "pid = os.fork()\nif pid == 0:\n    os.setsid()\n    if os.fork() == 0: os.execvp('sleep', ['sleep', '{}'])\n"
        "    os._exit(0)\nos.waitpid(pid, 0)"
    ),
    "a small fork bomb": (
        "for _ in range(3):\n    os.fork()\n"
        "if os.getpid() != first:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '{}'])"
    ),
}


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked for in /proc")
@pytest.mark.parametrize("name", STRAYS)
def test_processes_left_behind_are_gone_and_the_slot_with_them(
    sandbox: Sandbox, session_of: SessionOf, outcome_of: OutcomeOf, marker: str, name: str
) -> None:
    cell = "import os, subprocess\nfirst = os.getpid()\n" + STRAYS[name].format(marker)
    with session_of(sandbox, cell, FINE) as session:
        assert session.call("f", ()).value.text == "fine"
        slot = sandbox._slot
        assert slot is not None
    sandbox.settle()
    assert soon(lambda: not running(marker))
    assert sandbox._slot is not slot, "a slot that saw strays is thrown away"
    assert outcome_of(sandbox, FINE).value.text == "fine"


def test_threads_left_behind_are_gone_and_cost_nothing(
    sandbox: Sandbox, session_of: SessionOf, outcome_of: OutcomeOf
) -> None:
    code = (
        "import threading, time\nfor number in range(20):\n"
        "    threading.Thread(target=time.sleep, args=(1000,), daemon=number % 2 == 0).start()"
    )
    with session_of(sandbox, code, FINE) as session:
        assert session.call("f", ()).value.text == "fine"
        slot = sandbox._slot
    sandbox.settle()
    assert sandbox._slot is slot, "honest code leaves threads behind, and they die with the child"
    assert outcome_of(sandbox, FINE).value.text == "fine"


def test_a_child_that_kills_its_slot_harms_itself_only(
    sandbox: Sandbox, session_of: SessionOf, outcome_of: OutcomeOf
) -> None:
    code = "import os\ndef f(): os.kill(os.getppid(), 9); os._exit(0)"
    with session_of(sandbox, code, FINE.replace("f()", "g()"), names=("f", "g")) as session:
        session.begin_question()
        assert session.call("f", ()).ended == "died"
        session.begin_question()
        assert session.call("g", ()).value.text == "fine"
    assert outcome_of(sandbox, FINE).value.text == "fine"


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked for in /proc")
def test_a_child_that_kills_its_slot_does_not_outlive_it(sandbox: Sandbox, session_of: SessionOf, marker: str) -> None:
    """Without bubblewrap nothing else ends it, and it would run on for as long as the machine does."""
    call_itself = f"import ctypes\nctypes.CDLL(None).prctl(15, b'x{marker[:12]}', 0, 0, 0)\n"
    code = f"{call_itself}import os\ndef f():\n    os.kill(os.getppid(), 9)\n    while True: pass"
    with session_of(sandbox, code, seconds=1.0) as session:
        session.call("f", ())
    name = f"x{marker[:12]}"
    gone = soon(lambda: not named(name))
    for pid in named(name):
        os.kill(pid, 9)
    assert gone


def named(name: str) -> list[int]:
    """The processes that call themselves `name`."""
    found = []
    for process in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            if process.read_text().strip() == name:
                found.append(int(process.parent.name))
    return found


LEAVE = """
import os, tempfile
written = []
for place in {places}:
    path = os.path.join(place, {name!r})
    try:
        os.mkdir(path)
        open(os.path.join(path, "file"), "w").write("left")
        os.chmod(path, {mode})
        written.append(place)
    except OSError:
        pass
def f(): return written
"""
FIND = """
import os, tempfile
found = []
for folder, folders, files in os.walk({root!r}):
    if {name!r} in folders: found.append(folder)
    folders[:] = [inner for inner in folders if inner not in ("proc", "sys", "usr", "site-packages", "lib")]
def f(): return found
"""
EVERYWHERE = (
    ".",
    "/tmp",
    "/dev",
    "/dev/shm",
    "/",
    "/etc",
    "/home",
    "/root",
    "/run",
    "/var/tmp",
    "/mnt",
    "/usr",
    "/proc",
)


@pytest.mark.parametrize("mode", [0o700, 0])
def test_files_left_behind_are_gone_in_bubblewrap(bubblewrapped: Sandbox, outcome_of: OutcomeOf, mode: int) -> None:
    name = f"left{uuid.uuid4().hex}"
    written = outcome_of(bubblewrapped, LEAVE.format(places=EVERYWHERE, name=name, mode=mode))
    assert "." in [item.text for item in written.value.items]
    found = outcome_of(bubblewrapped, FIND.format(root="/", name=name))
    assert [item.text for item in found.value.items] == []


@pytest.mark.parametrize("place", [".", "tempfile.gettempdir()", "os.path.expanduser('~')"])
def test_files_left_behind_are_gone(sandbox: Sandbox, outcome_of: OutcomeOf, place: str) -> None:
    name = f"left{uuid.uuid4().hex}"
    code = f"import os, tempfile\npath = os.path.join({place if place != '.' else repr(place)}, {name!r})\n"
    outcome_of(sandbox, code + "open(path, 'w').write('left')\ndef f(): return os.path.abspath(path)")
    look = code + "def f(): return os.path.exists(path)"
    try:
        assert outcome_of(sandbox, look).value.number == 0
    finally:
        (Path(tempfile.gettempdir()) / name).unlink(missing_ok=True)


PATCHES = [
    "import torch\ntorch.softmax = torch.Tensor.softmax = lambda *a, **k: 'patched'",
    "import builtins\nbuiltins.len = lambda *a: 'patched'\nbuiltins.patched = True",
    "import sys\nsys.modules['math'] = None\nsys.path.insert(0, '.')",
    "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.set_num_threads(7)",
    "import torch\ntorch.set_default_device('meta')",
    "import time, os\ntime.monotonic = time.perf_counter = lambda: 0\nos.environ['LEFT'] = 'patched'",
    "import grader.worker.serve, grader.observing.returned, grader.observing.calling\n"
    "grader.observing.returned.describe = grader.observing.calling.describe = lambda value: 'patched'\n"
    "grader.worker.serve.load = None",
]
UNPATCHED = """
import builtins, math, os, time, torch
def f():
    weights = torch.softmax(torch.ones(2, requires_grad=True), 0)
    assert len([1]) == 1 and not hasattr(builtins, "patched") and math.sqrt(4) == 2
    assert weights.requires_grad and weights.dtype == torch.float32 and weights.device.type == "cpu"
    assert torch.get_num_threads() == 1 and time.monotonic() > 0 and "LEFT" not in os.environ
    return "fine"
"""


@pytest.mark.parametrize("patch", PATCHES)
def test_what_a_submission_patched_is_whole_again_for_the_next(
    sandbox: Sandbox, session_of: SessionOf, outcome_of: OutcomeOf, patch: str
) -> None:
    with session_of(sandbox, patch, FINE):
        pass
    outcome = outcome_of(sandbox, UNPATCHED)
    assert outcome.value.text == "fine", outcome.raised


def test_each_submission_has_names_of_its_own(sandbox: Sandbox, session_of: SessionOf) -> None:
    with session_of(sandbox, "f = 1"):
        pass
    with session_of(sandbox, "g = 1", names=("f", "g")) as session:
        assert set(session.values) == {"g"}


# --- what a worker can reach --------------------------------------------------------------------------------


READ = """
import os
def f(path):
    try:
        return str(os.listdir(path)) if os.path.isdir(path) else open(path).read(100)
    except OSError as error:
        return None
"""


def test_nothing_of_the_course_can_be_read_in_bubblewrap(
    bubblewrapped: Sandbox, session_of: SessionOf, root: Path, tmp_path: Path
) -> None:
    submission = tmp_path / "bob" / "attention.py"
    submission.parent.mkdir()
    submission.write_text("ANSWER = 1")
    paths = [root / "solutions", root / "solutions/keys/l10_attention.py", root / "exercises", root / "tests"]
    paths += [root / "README.md", root / "pyproject.toml", submission, tmp_path, Path("/etc/passwd")]
    assert all(path.exists() for path in paths[1:3])
    with session_of(bubblewrapped, READ) as session:
        for path in paths:
            assert session.call("f", (str(path),)).value.kind == "none", path


def test_the_home_folder_cannot_be_read_in_bubblewrap(bubblewrapped: Sandbox, session_of: SessionOf) -> None:
    with session_of(bubblewrapped, READ) as session:
        for path in Path.home().iterdir():
            if path.is_file():
                assert session.call("f", (str(path),)).value.kind == "none", path


def test_only_grader_and_python_can_be_read_in_bubblewrap(
    bubblewrapped: Sandbox, outcome_of: OutcomeOf, root: Path
) -> None:
    seen = outcome_of(bubblewrapped, READ, arguments=(str(root),)).value.text
    allowed = {"grader", Path(os.environ.get("VIRTUAL_ENV", ".venv")).name, ".venv"}
    assert set(json.loads(seen.replace("'", '"'))) <= allowed


def test_secrets_of_the_environment_are_not_told(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, outcome_of: OutcomeOf
) -> None:
    monkeypatch.setenv("COURSE_TOKEN", "s3cret-of-the-course")
    sandbox.close()  # the next one is started with the secret beside it
    code = """
import os, glob
def f():
    seen = [str(dict(os.environ))]
    for path in glob.glob("/proc/[0-9]*/environ") if PROC else []:
        try: seen.append(open(path, errors="replace").read())
        except OSError: pass
    return [name for name in seen if "s3cret" in name or "COURSE_TOKEN" in name]
"""
    own_processes_only = sandbox.isolation == "bubblewrap"
    assert outcome_of(sandbox, f"PROC = {own_processes_only}", code).value.items == ()


def test_the_network_cannot_be_reached_in_bubblewrap(bubblewrapped: Sandbox, outcome_of: OutcomeOf) -> None:
    code = """
import socket
def f(port):
    tried = []
    for place in (("127.0.0.1", port), ("1.1.1.1", 53)):
        try: socket.create_connection(place, timeout=1).close(); tried.append("reached")
        except OSError: tried.append("refused")
    return tried
"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        tried = outcome_of(bubblewrapped, code, arguments=(server.getsockname()[1],)).value
    assert [item.text for item in tried.items] == ["refused", "refused"]


def test_other_processes_are_not_seen_in_bubblewrap(bubblewrapped: Sandbox, outcome_of: OutcomeOf) -> None:
    code = "import os\ndef f(): return len([name for name in os.listdir('/proc') if name.isdigit()]), os.getuid()"
    seen, user = outcome_of(bubblewrapped, code).value.items
    assert seen.number <= 4
    assert user.number != 0


def test_the_machine_cannot_be_changed_in_bubblewrap(bubblewrapped: Sandbox, outcome_of: OutcomeOf) -> None:
    code = """
import ctypes, os, sys, torch, grader
libc = ctypes.CDLL(None, use_errno=True)
def f():
    changed = []
    kernel = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger")
    for path in (*kernel, torch.__file__, grader.__file__, sys.executable):
        try: open(path, "r+").close(); changed.append(path)
        except OSError: pass
    if libc.unshare(0x10000000) == 0: changed.append("a user namespace of its own")
    if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0: changed.append("a mount")
    return changed
"""
    assert [item.text for item in outcome_of(bubblewrapped, code).value.items] == []


def test_the_course_cannot_be_imported(sandbox: Sandbox, outcome_of: OutcomeOf) -> None:
    code = """
import importlib
def f():
    found = []
    for name in ("solutions", "solutions.keys.l10_attention", "l10_attention", "exercises", "tests", "conftest"):
        try: importlib.import_module(name); found.append(name)
        except ImportError: pass
    return found
"""
    assert [item.text for item in outcome_of(sandbox, code).value.items] == []


# --- time and grades -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["output = weights @ k", "scores = q @ k.mT; weights = scores.softmax(-1)"])
def test_a_slow_function_gets_the_grade_of_a_fast_one(
    any_sandbox: Sandbox, key: AnswerKey, session_of: SessionOf, line: str
) -> None:
    """As long as its time is enough to be scored, it is enough for all that grading does with it."""
    lines = [
        "import math, time, torch",
        "def attention(q, k, v):",
        "    time.sleep(PAUSE)",
        "    scores = q @ k.mT / math.sqrt(q.shape[-1])",
        "    weights = scores.softmax(-1)",
        "    output = weights @ v",
        f"    {line}",
        "    output = weights @ v" if "scores" in line else "",
        "    return output, scores, weights",
    ]
    found = []
    for pause in (0.0, 0.05):
        submission = session_of(any_sandbox, f"PAUSE = {pause}", "\n".join(lines)).submission
        result = Grading(key, 1.5).grade(submission, any_sandbox)
        graded = next(question for question in result.questions if question.id == "attention")
        found.append((graded.score, graded.status, [mistake.name for mistake in graded.mistakes]))
    assert found[0] == found[1]
    assert found[0][0] > 0


# --- a worker that lies -------------------------------------------------------------------------------------

# The student's code shares its process with the worker, so it can find the link and say anything on it.
LINK = """
import json, os, socket, struct, time
def find():
    for fd in range(3, 200):
        try:
            link = socket.socket(fileno=os.dup(fd))
            link.getpeername()
            return link
        except OSError:
            pass
def frame(message, blob=b""):
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("!II", len(text), len(blob)) + text + blob
link = find()
loaded = {"op": "loaded", "errors": [], "notes": [], "values": {}}
error = {"cell": 1, "line": 1, "type": "E", "message": "m", "text": ""}
def header(text): return struct.pack("<Q", len(text)) + text
"""
LIES = {
    "values that are a list": "frame({**loaded, 'values': [1]})",
    "values that are none": "frame({**loaded, 'values': None})",
    "a value that is a number": "frame({**loaded, 'values': {'f': 1}})",
    "a value with a tensor that is not there": (
        "frame({**loaded, 'values': {'f': {'kind': 'tensor', 'tensor': 't7'}}})"
    ),
    "no op": "frame({})",
    "an op that is a list": "frame({'op': []})",
    "an endless cell": 'frame(b\'{"op": "cell", "cell": Infinity}\')',
    "a cell that is a text": "frame({'op': 'cell', 'cell': 'x'})",
    "a cell that is not there": "frame({'op': 'cell', 'cell': 99}) + b'xxxxxxxx'",
    "ten thousand cells": "frame({'op': 'cell', 'cell': 1}) * 10_000",
    "errors that are a number": "frame({**loaded, 'errors': 5})",
    "errors that are numbers": "frame({**loaded, 'errors': [5]})",
    "errors with other fields": "frame({**loaded, 'errors': [{'a': 1}]})",
    "an error whose message is a number": ("frame({**loaded, 'errors': [{**error, 'message': 5}]})"),
    "an error whose type is a list": ("frame({**loaded, 'errors': [{**error, 'type': [1]}]})"),
    "an error whose line is a text": ("frame({**loaded, 'errors': [{**error, 'line': 'x', 'cell': 'y'}]})"),
    "an error of megabytes": (
        "frame({**loaded, 'errors': [{**error, 'type': 'x' * 10_000_000, 'text': 'y' * 10_000_000}]})"
    ),
    "notes that are a number": "frame({**loaded, 'notes': 5})",
    "notes of megabytes": "frame({**loaded, 'notes': ['x' * 10_000_000]})",
    "garbage": "b'x' * 1000",
    "an enormous frame": "struct.pack('!II', 2 ** 32 - 1, 0)",
    "deep JSON": "frame(b'[' * 100_000)",
    "bytes that are no tensors": "frame(loaded, b'garbage garbage')",
    "tensors larger than they are": (
        'frame(loaded, header(b\'{"t0":{"dtype":"F64","shape":[99999999],"data_offsets":[0,8]}}\') + b\'12345678\')'
    ),
    "tensors of an odd dtype": (
        "frame({**loaded, 'values': {'f': {'kind': 'tensor', 'tensor': 't0'},"
        " 'UNIFORM_AVERAGE': {'kind': 'tensor', 'tensor': 't0'}}},"
        ' header(b\'{"t0":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}\') + b\'12\')'
    ),
    "complex tensors": (
        "frame({**loaded, 'values': {'UNIFORM_AVERAGE': {'kind': 'tensor', 'tensor': 't0'}}},"
        ' header(b\'{"t0":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}\') + b\'12345678\')'
    ),
    "outcomes that are none": (
        "frame({**loaded, 'values': {'attention': {'kind': 'other', 'callable': True}}})"
        " + frame({'ended': 'returned', 'value': None, 'after': 5, 'gradients': None, 'note': []})"
    ),
    "an exception that is none": (
        "frame({**loaded, 'values': {'attention': {'kind': 'other', 'callable': True}}})"
        " + frame({'ended': 'raised', 'raised': 5})"
    ),
    "an exception of odd fields": (
        "frame({**loaded, 'values': {'attention': {'kind': 'other', 'callable': True}}})"
        " + frame({'ended': 'raised', 'raised': {'type': 5, 'message': ['x'], 'cell': [], 'line': {}, 'text': None,"
        " 'stub': 1, 'tensors': [], 'near': ''}})"
    ),
    "shapes that are none": (
        "frame({**loaded, 'values': {'attention': {'kind': 'other', 'callable': True}}})"
        " + frame({'ended': 'raised', 'note': '', 'forbidden': [], 'raised': {'type': 'E', 'message': '', 'cell': 1,"
        " 'line': 1, 'text': '', 'stub': False, 'near': 'a b', 'tensors': [['q', 5, None]] * 10**5}})"
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_whatever_a_worker_says_the_submission_gets_a_result(
    any_sandbox: Sandbox, key: AnswerKey, session_of: SessionOf, outcome_of: OutcomeOf, name: str
) -> None:
    lie = f"link.sendall({LIES[name]})\nlink.close()\nos._exit(0)"
    honest = "V_ROW_WEIGHTS = 'C'"
    submission = session_of(any_sandbox, LINK, lie, honest).submission
    result = Grading(key, 0.7).grade(submission, any_sandbox)
    assert result.status == "graded"
    assert {question.status for question in result.questions} & {"grader_error"} == set()
    assert result.score <= 3
    assert len(json.dumps(result.to_json())) < 1_000_000
    assert outcome_of(any_sandbox, FINE).value.text == "fine"


def test_bytes_that_trickle_from_a_worker_do_not_move_its_deadline(any_sandbox: Sandbox, session_of: SessionOf) -> None:
    lie = "for byte in frame({**loaded, 'notes': ['x' * 1000]}):\n    link.sendall(bytes([byte])); time.sleep(0.05)"
    started = time.monotonic()
    with session_of(any_sandbox, LINK, lie, FINE, seconds=0.7) as session:
        assert time.monotonic() - started < 10
        assert set(session.lost) == {2}
        assert session.call("f", ()).value.text == "fine"


# --- a worker that cannot be had ------------------------------------------------------------------------------


def test_a_worker_that_does_not_start_is_our_fault_and_says_why(
    monkeypatch: pytest.MonkeyPatch, key: AnswerKey, session_of: SessionOf, tmp_path: Path
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho torch is not installed >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(broken))
    with Sandbox("process", Limits()) as sandbox:
        with pytest.raises(WorkerBroken, match="torch is not installed"):
            sandbox.start()
        result = Grading(key, 1.0).grade(session_of(sandbox, FINE).submission, sandbox)
    assert (result.status, result.score) == ("grader_error", 0)
    assert {question.status for question in result.questions} == {"grader_error"}
    assert "torch is not installed" in result.questions[0].feedback
    assert "our mistake, not yours" in result.questions[0].feedback


def test_a_closed_sandbox_leaves_neither_process_nor_folder(session_of: SessionOf, outcome_of: OutcomeOf) -> None:
    with Sandbox("process", Limits()) as sandbox:
        assert outcome_of(sandbox, FINE).value.text == "fine"
        slot = sandbox._slot
        assert slot is not None
        folder = slot.launched.folder
        assert folder is not None
    assert not folder.exists()
    assert slot.launched.process.returncode is not None


# --- what can be changed of the slot itself ---------------------------------------------------------------------------

CHANGES_OF_THE_SLOT = {
    "the folder's mode": "import os\nos.chdir('/')\nos.chmod(ROOT, 0o500)",
    "an attribute of the folder": "import os\nos.setxattr(ROOT, 'user.left', b'left')",
    "its limits": "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (64, 64))",
    "its priority": "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "its processors": "import os\nos.sched_setaffinity(os.getppid(), {min(os.sched_getaffinity(0))})",
    "a folder deeper than can be deleted": "import os\nfor _ in range(1500): os.mkdir('d'); os.chdir('d')",
}
SEEN = """
import os, resource
def f():
    scheduling = os.getpriority(os.PRIO_PROCESS, 0), len(os.sched_getaffinity(0))
    return str((scheduling, resource.getrlimit(resource.RLIMIT_NOFILE), os.stat(ROOT).st_mode, os.listxattr(ROOT)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what Linux offers")
@pytest.mark.parametrize("name", CHANGES_OF_THE_SLOT)
def test_what_a_child_changes_of_its_slot_is_gone_for_the_next(
    sandbox: Sandbox, outcome_of: OutcomeOf, name: str
) -> None:
    root = "import os, tempfile\nROOT = tempfile.gettempdir()\n"
    before = outcome_of(sandbox, root + SEEN).value.text
    outcome_of(sandbox, root + CHANGES_OF_THE_SLOT[name] + "\n" + FINE)
    assert outcome_of(sandbox, root + SEEN).value.text == before
    assert outcome_of(sandbox, FINE).value.text == "fine"


def test_what_a_later_load_raises_is_not_told(any_sandbox: Sandbox, session_of: SessionOf) -> None:
    """It could be the inputs of a call that ended the first load's process."""
    cells = "def f(): os._exit(0)\ndef g(): return 1", "import os"
    with session_of(any_sandbox, *cells, names=("f", "g")) as session:
        session.begin_question()
        session.call("f", ())
        session.submission = session_of(any_sandbox, "def g(): return 1", "raise ValueError('inputs')").submission
        session.begin_question()
        assert session.call("g", ()).value.number == 1
        assert session.errors == []


def test_a_compiled_function_is_called_as_it_is_written(any_sandbox: Sandbox, session_of: SessionOf) -> None:
    """What torch imports for it takes seconds."""
    with session_of(any_sandbox, "import torch\n@torch.compile\ndef f(): return 'fine'", seconds=30.0) as session:
        assert session.call("f", ()).value.text == "fine"


def test_a_file_that_a_cell_writes_can_be_imported(any_sandbox: Sandbox, session_of: SessionOf) -> None:
    cells = ("%%writefile helper.py\nX = 'fine'", "from helper import X\ndef f(): return X")
    with session_of(any_sandbox, *cells) as session:
        session.begin_question()
        assert session.call("f", ()).value.text == "fine"
