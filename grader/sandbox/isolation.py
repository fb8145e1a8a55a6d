"""How a worker is kept apart from the machine: bubblewrap where it works, a plain process elsewhere."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import grader
from grader.errors import CourseError
from grader.worker import seccomp

Requested: TypeAlias = Literal["auto", "strict", "process"]
Isolation: TypeAlias = Literal["bubblewrap", "process"]
PACKAGE = Path(grader.__file__).resolve().parent
# Not all of /usr: a course may well lie in /usr/src.
USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share")
LOCAL = USR[:-1]  # nbgrader's exchange, with the submissions of all, is in /usr/local/share
SYSTEM = (
    *(f"/usr/{name}" for name in USR),
    *(f"/usr/local/{name}" for name in LOCAL),
    *(f"/{name}" for name in USR[:-2]),
)
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/fonts")

PROBE = """
import ctypes, os, sys
os.listdir("/proc")
sys.exit("no PID namespace can be made" if ctypes.CDLL(None).unshare(0x20000000) else 0)
"""


def choose(requested: Requested, course: Path) -> Isolation:
    """The isolation to use for a course in this folder. Raises CourseError when `strict` cannot be had."""
    if requested == "process":
        return "process"
    trouble = _trouble(course)
    if trouble is None:
        return "bubblewrap"
    if requested == "strict":
        raise CourseError(
            f"--isolation strict needs bubblewrap, and {trouble} "
            "Without it, grade only code that you trust, with --isolation process."
        )
    return "process"


def warning(requested: Requested, isolation: Isolation, course: Path) -> str:
    """What whoever grades must know, once, where bubblewrap was wanted and cannot be had; "" otherwise."""
    if requested != "auto" or isolation != "process":
        return ""
    return (
        "Student code can read, change and delete whatever you can, since it runs without bubblewrap: "
        f"{_trouble(course)} Grade only code that you trust."
    )


def _trouble(course: Path) -> str | None:
    return bubblewrap_trouble() or exposed(course)


def exposed(course: Path) -> str | None:
    """Why a course in this folder would be in sight, as the end of a sentence; None where it is not."""
    place = course.resolve()
    for folder in (*map(Path, SYSTEM), *_python_folders()):
        if folder.exists() and folder.resolve() in (place, *place.parents):
            return (
                f"your course lies in {folder}, which Python needs and student code can therefore read: "
                "move it, or make the virtual environment in a folder of its own (.venv)."
            )
    return None


@functools.cache
def bubblewrap_trouble() -> str | None:
    """Why bubblewrap cannot be used here, as the end of a sentence; None when it works."""
    if sys.platform != "linux":
        return "it exists on Linux only."
    if not seccomp.supported():
        return "which system calls to refuse is known for x86-64 and ARM64 only."
    if shutil.which("bwrap") is None:
        return "it is not installed (Debian, Ubuntu: `apt install bubblewrap`)."
    probe = [*_bubblewrap(_python_folders()), sys.executable, "-I", "-c", PROBE]
    try:
        tried = subprocess.run(probe, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it does not start here ({error})."
    return None if tried.returncode == 0 else f"it does not start here ({tried.stderr.strip()[:200]})."


def wrap(command: Sequence[str], folder: Path | None) -> list[str]:
    """`command` as it is started, with the folders that it may write to: `folder`, or inside bubblewrap
    (None) a private, size-limited /tmp.
    """
    if folder is not None:
        return [*command, str(folder)]
    return [*_bubblewrap(_python_folders()), *command, "/tmp", "/dev/shm"]


def environment(isolation: Isolation, folder: Path | None) -> dict[str, str]:
    """What a worker is told of the outside: where programs are, and nothing that could be a secret."""
    home = str(folder or "/tmp")
    kept = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "GRADER_ISOLATION": isolation,
        "LANG": "C.UTF-8",
        "GRADER_WORKER": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": home,
        "TORCHDYNAMO_DISABLE": "1",  # torch.compile would take longer than a question's time
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # large pages, which take less to fork and to end
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    # numpy's library is told so where it mistakes the processor; the worker must calculate as the grader does
    passed = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return kept | {name: os.environ[name] for name in passed if name in os.environ}


def _bubblewrap(folders: Sequence[Path]) -> list[str]:
    """Own namespaces, no nested user namespaces, no capabilities but those that the slot gives up, a read-only
    /proc/sys: started by root, it would otherwise be writable, and kernel/core_pattern names a program that root
    runs outside.
    """
    command = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--as-pid-1",  # no process of bubblewrap's own inside, into which a child could write
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
    ]
    command += ["--unshare-cgroup-try", "--disable-userns", "--cap-drop", "ALL", "--die-with-parent"]
    # for one namespace more, in which children live; the slot then drops both
    command += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
    command += ["--new-session", "--uid", "1000", "--gid", "1000", "--hostname", "worker", "--dev", "/dev"]
    for place, size in (("/tmp", 512 * 2**20), ("/dev/shm", 64 * 2**20)):
        command += ["--size", str(size), "--tmpfs", place]  # first: the environment itself may lie below /tmp
    for place in SYSTEM:
        command += _same_place(Path(place))
    for place in SYSTEM_FILES:
        command += ["--ro-bind-try", place, place]
    for folder in folders:
        command += ["--ro-bind", str(folder), str(folder)]
    command += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]
    # what is not emptied between submissions must not be writable: not even the root of the new tree
    command += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return [*command, "--chdir", "/tmp", "--"]


def _same_place(place: Path) -> list[str]:
    if place.is_symlink():
        return ["--symlink", os.readlink(place), str(place)]
    return ["--ro-bind", str(place), str(place)] if place.exists() else []


def _python_folders() -> list[Path]:
    """The interpreter, its packages and this package, as far as they are not among the system's folders."""
    paths = sysconfig.get_paths()
    wanted = [sys.base_prefix, sys.prefix, paths["purelib"], paths["platlib"], paths["stdlib"], str(PACKAGE)]
    folders = {Path(place) for place in wanted} | {Path(sys.executable).resolve().parent.parent}
    system = {Path(place) for place in SYSTEM}
    tops = {Path("/"), Path("/usr"), Path("/usr/local")}
    return sorted(folder for folder in folders - tops if folder.exists() and not system & {folder, *folder.parents})
