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

Requested: TypeAlias = Literal["auto", "strict", "process"]
Isolation: TypeAlias = Literal["bubblewrap", "process"]
PACKAGE = Path(grader.__file__).resolve().parent
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/fonts")

PROBE = """
import ctypes, os, sys
os.listdir("/proc")
sys.exit("no PID namespace can be made" if ctypes.CDLL(None).unshare(0x20000000) else 0)
"""


def choose(requested: Requested) -> Isolation:
    """The isolation to use. Raises CourseError when `strict` cannot be had."""
    if requested == "process":
        return "process"
    trouble = bubblewrap_trouble()
    if trouble is None:
        return "bubblewrap"
    if requested == "strict":
        raise CourseError(
            f"--isolation strict needs bubblewrap, and {trouble} "
            "Without it, grade only code that you trust, with --isolation process."
        )
    return "process"


def warning(requested: Requested, isolation: Isolation) -> str:
    """What whoever grades must know, once, where bubblewrap was wanted and cannot be had; "" otherwise."""
    if requested != "auto" or isolation != "process":
        return ""
    return (
        "Student code can read whatever you can read, since it runs without bubblewrap: "
        f"{bubblewrap_trouble()} Grade only code that you trust."
    )


@functools.cache
def bubblewrap_trouble() -> str | None:
    """Why bubblewrap cannot be used here, as the end of a sentence; None when it works."""
    if sys.platform != "linux":
        return "it exists on Linux only."
    if shutil.which("bwrap") is None:
        return "it is not installed (Debian, Ubuntu: `apt install bubblewrap`)."
    probe = [*_bubblewrap(()), sys.executable, "-I", "-c", PROBE]
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
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    # numpy's library is told so where it mistakes the processor; the worker must calculate as the grader does
    passed = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return kept | {name: os.environ[name] for name in passed if name in os.environ}


def _bubblewrap(folders: Sequence[Path]) -> list[str]:
    """Own namespaces, no capabilities, no nested user namespaces, a read-only /proc/sys: started by root,
    /proc/sys would otherwise be writable, and kernel/core_pattern names a program that root runs outside.
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
    for folder in (*folders, *(() if folders else (Path(sys.base_prefix), Path(sys.prefix)))):
        command += ["--ro-bind", str(folder), str(folder)]
    command += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]
    # what is not emptied between submissions must not be writable: not even the root of the new tree
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]


def _same_place(place: Path) -> list[str]:
    if place.is_symlink():
        return ["--symlink", os.readlink(place), str(place)]
    return ["--ro-bind", str(place), str(place)] if place.exists() else []


def _python_folders() -> list[Path]:
    """The interpreter, its packages and this package; never the folder that holds the course."""
    paths = sysconfig.get_paths()
    wanted = [sys.base_prefix, sys.prefix, paths["purelib"], paths["platlib"], paths["stdlib"], str(PACKAGE)]
    folders = {Path(place) for place in wanted} | {Path(sys.executable).resolve().parent.parent}
    outside = [folder for folder in folders if not str(folder).startswith(("/usr/", "/lib"))]
    return sorted(folder for folder in outside if folder.exists() and folder != Path("/usr"))
