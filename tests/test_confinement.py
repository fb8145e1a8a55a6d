"""What a child may not ask of the kernel, whom it can name, and that neither depends on who starts the grader."""

from __future__ import annotations

import errno
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import CourseError
from grader.observing.outcome import Outcome
from grader.sandbox.isolation import _bubblewrap, bubblewrap_trouble, choose, exposed, warning
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session import Session
from grader.worker import seccomp

COLUMN = list(seccomp.ARCHITECTURES).index(platform.machine()) if seccomp.supported() else 0
CALLS = {name: numbers[COLUMN] for name, numbers in seccomp.REFUSED.items() if numbers[COLUMN] is not None}
STATUS = """
def f():
    wanted = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    lines = [line.split() for line in open("/proc/self/status")]
    return {line[0][:-1]: line[1] for line in lines if line[0][:-1] in wanted}
"""

pytestmark = pytest.mark.skipif(not seccomp.supported(), reason="what the kernel of Linux offers on these processors")


@pytest.fixture
def returned(session_of: Callable[..., Session]) -> Callable[..., Outcome]:
    """What `f` of a submission returns."""

    def run(sandbox: Sandbox, code: str) -> Outcome:
        with session_of(sandbox, code) as session:
            return session.call("f", ())

    return run


def test_calls_that_could_harm_the_machine_are_refused(sandbox: Sandbox, returned: Callable[..., Outcome]) -> None:
    """Each with arguments that mean nothing: a call that is let through fails with another error."""
    code = f"""
import ctypes
def f():
    libc = ctypes.CDLL(None, use_errno=True)
    errors = []
    for number in {list(CALLS.values())}:
        libc.syscall(number, -1, -1, -1, -1, -1, -1)
        errors.append(ctypes.get_errno())
    return errors
"""
    errors = [item.number for item in returned(sandbox, code).value.items]
    assert dict(zip(CALLS, errors, strict=True)) == dict.fromkeys(CALLS, float(errno.EPERM))


FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "bluetooth": 31, "packet": 17, "alg": 38, "vsock": 40}


def test_sockets_that_know_no_namespace_are_refused(sandbox: Sandbox, returned: Callable[..., Outcome]) -> None:
    code = f"""
import errno, socket
def f():
    tried = []
    for number in {list(FAMILIES.values())}:
        try:
            socket.socket(number, socket.SOCK_RAW if number == 16 else socket.SOCK_STREAM, 0).close()
            tried.append("made")
        except OSError as error:
            tried.append(errno.errorcode[error.errno])
    return tried
"""
    tried = [item.text for item in returned(sandbox, code).value.items]
    assert dict(zip(FAMILIES, tried, strict=True)) == dict(zip(FAMILIES, ["made"] * 4 + ["EPERM"] * 4, strict=True))


def test_a_child_has_no_privilege_and_can_get_none(bubblewrapped: Sandbox, returned: Callable[..., Outcome]) -> None:
    value = returned(bubblewrapped, STATUS).value
    status = dict(zip(value.keys, [item.text for item in value.items], strict=True))
    none = dict.fromkeys(["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"], "0" * 16)
    assert status == none | {"NoNewPrivs": "1", "Seccomp": "2"}


def test_a_slot_keeps_no_privilege_either(bubblewrapped: Sandbox) -> None:
    bubblewrapped.start()
    slot = bubblewrapped._slot
    assert slot is not None
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        if _descends(int(lines["Pid"]), slot.launched.process.pid) and lines["Name"].startswith("python"):
            found.append((lines["CapPrm"], lines["CapEff"], lines["CapBnd"]))
    assert found == [("0" * 16,) * 3] * len(found)
    assert len(found) >= 2, "the slot, and the first process of its children's namespace"


def _descends(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def test_no_other_process_can_be_named_from_within(bubblewrapped: Sandbox, returned: Callable[..., Outcome]) -> None:
    """By no number below those of the next thousand processes: not by a signal, a priority or a limit."""
    code = """
import os, resource
def f():
    named = []
    for pid in [p for p in range(1, 2000) if p != os.getpid()]:
        try: os.kill(pid, 0); named.append(pid)
        except ProcessLookupError: pass
        try: resource.prlimit(pid, resource.RLIMIT_NOFILE); named.append(pid)
        except ProcessLookupError: pass
        except PermissionError: named.append(pid)
    return named, os.getppid()
"""
    named, parent = returned(bubblewrapped, code).value.items
    assert {item.number for item in named.items} == {1.0}, "the first process of the namespace, which is immune"
    assert parent.number == 0


def test_nothing_of_another_process_can_be_opened(bubblewrapped: Sandbox, returned: Callable[..., Outcome]) -> None:
    """What /proc shows of those outside the children's namespace is their names, and nothing behind them."""
    code = """
import os
def f():
    own, opened, seen = os.readlink("/proc/self"), [], 0
    for pid in [name for name in os.listdir("/proc") if name.isdigit() and name != own]:
        seen += 1
        for name, mode in (("mem", "rb"), ("mem", "r+b"), ("environ", "rb"), ("maps", "rb"), ("auxv", "rb")):
            try: open(f"/proc/{pid}/{name}", mode).read(1); opened.append(f"{pid}/{name}")
            except OSError: pass
        links = ["root", "cwd", "exe", *(f"ns/{name}" for name in ("pid", "mnt", "user"))]
        for name in links + [f"fd/{number}" for number in range(64)]:
            try: opened.append(f"{pid}/{name} " + os.readlink(f"/proc/{pid}/{name}"))
            except OSError: pass
    return seen, opened
"""
    seen, opened = returned(bubblewrapped, code).value.items
    assert [item.text for item in opened.items] == []
    assert seen.number == 2, "the slot, and the first process of its children's namespace"


def test_nothing_that_stays_can_be_changed(bubblewrapped: Sandbox, returned: Callable[..., Outcome]) -> None:
    """Devices are the machine's own, and their owner's to change where root grades."""
    code = """
import os
def f():
    changed = []
    places = [os.path.join(top, name) for top in ("/dev", "/dev/pts") for name in os.listdir(top)]
    for place in [place for place in (*places, "/", "/dev", "/usr", "/proc/sys") if place != "/dev/shm"]:
        if os.path.islink(place): continue
        mode = os.stat(place).st_mode & 0o7777  # the same again: a test may harm nobody either
        for change in (lambda: os.chmod(place, mode), lambda: os.utime(place), lambda: os.chown(place, -1, -1)):
            try: change(); changed.append(place)
            except OSError: pass
    os.write(os.open("/dev/null", os.O_WRONLY), b"still a device")
    return changed, len(os.urandom(4)), len(os.openpty())
"""
    changed, *fine = returned(bubblewrapped, code).value.items
    assert [item.text for item in changed.items] == []
    assert [item.number for item in fine] == [4, 2]


def test_no_file_in_any_folder_reaches_the_next_submission(sandbox: Sandbox, returned: Callable[..., Outcome]) -> None:
    """Not in IPython's folder either, from which it would run code."""
    leave = """
import os, tempfile
def f():
    top, left = tempfile.gettempdir(), 0
    for folder, folders, _ in os.walk(top):
        try: open(os.path.join(folder, "left.py"), "w").close(); left += 1
        except OSError: pass
    return left
"""
    look = """
import os, tempfile
def f():
    own = os.getcwd()
    return [path for path, _, files in os.walk(tempfile.gettempdir()) if path != own and (files or "python" in path)]
"""
    assert returned(sandbox, leave).value.number >= 1
    assert [item.text for item in returned(sandbox, look).value.items] == []


def test_a_course_that_would_be_in_sight_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if bubblewrap_trouble() is not None:
        pytest.skip("no bubblewrap")
    assert exposed(tmp_path) is None
    for place in ("/usr/src/app", "/usr/local/share/nbgrader/exchange", "/opt/course", "/srv"):
        assert exposed(Path(place)) is None
    monkeypatch.setattr("sys.prefix", str(tmp_path))  # a virtual environment in the course's own folder
    told = exposed(tmp_path / "course")
    assert told is not None
    assert str(tmp_path) in told
    with pytest.raises(CourseError, match="your course lies in"):
        choose("strict", tmp_path)
    assert choose("auto", tmp_path) == "process"
    assert "your course lies in" in warning("auto", "process", tmp_path)


PROBE = """
import os, sys
sys.path.insert(0, sys.argv[1])
from grader.worker import namespace, seccomp
from grader.worker.household import Household
household = Household(namespace.enter())
pid = os.fork()
if pid == 0:
    try:
        seccomp.refuse_calls()
        try: os.kill(-1, 9)
        except ProcessLookupError: pass
        print(os.getppid(), os.getuid(), flush=True)
    finally:
        os._exit(3)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(code, household.living(), household.end())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs a Python that everybody may start")
def test_an_ordinary_user_gets_the_same_confinement_as_root(root: Path) -> None:
    if bubblewrap_trouble() is not None:
        pytest.skip("no bubblewrap")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # a folder of pytest's is for its owner alone
        shutil.copytree(root / "grader/worker", Path(folder, "grader/worker"))
        command = [*_bubblewrap([Path(folder)]), "/usr/bin/python3", "-c", PROBE, folder]
        said = []
        for user in (0, 65534):
            ran = subprocess.run(command, capture_output=True, text=True, user=user, group=user, cwd="/")
            assert ran.returncode == 0, ran.stderr
            said.append(ran.stdout)
    assert said == ["0 1000\n3 [] 0\n"] * 2


def test_the_calls_refused_are_numbered_as_the_kernel_s_headers_say() -> None:
    header = Path("/usr/include/asm-generic/unistd.h")
    table = next(iter(Path("/usr/include").glob("*/asm/unistd_64.h")), None)
    if not header.exists() or table is None:
        pytest.skip("the kernel's headers are not installed")
    for column, path in ((0, table), (1, header)):
        known = _numbers(path.read_text())
        stated = {name: numbers[column] for name, numbers in seccomp.REFUSED.items() if name in known}
        assert len(stated) > 50
        assert json.dumps(stated) == json.dumps({name: known[name] for name in stated})


def _numbers(text: str) -> dict[str, int]:
    words = [line.split() for line in text.splitlines() if line.startswith(("#define __NR_", "#define __NR3264_"))]
    pairs = [(line[1].removeprefix("__NR_").removeprefix("__NR3264_"), line[2]) for line in words if len(line) > 2]
    return {name: int(number) for name, number in pairs if number.isdigit()}
