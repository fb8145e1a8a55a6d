"""A slot's children in a PID namespace of their own: what cannot be named by a number cannot be signalled, traced
or limited, and what dies with its first process leaves nothing.

Linux only, inside bubblewrap, which leaves the slot the one capability for this; it is gone before any child is there.
"""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path
from typing import NoReturn

from grader.worker.limits import PR_SET_DUMPABLE, PR_SET_PDEATHSIG, prctl

CLONE_NEWPID, CLONE_NEWNS = 0x20000000, 0x00020000  # linux/sched.h
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096  # linux/mount.h
KEPT = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048, "relatime": 1 << 21}
PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 47, 4
CAPABILITY_VERSION_3 = 0x20080522


def enter() -> int:
    """Have all further children live in a new PID namespace, and give up every capability for good.

    The namespace's first process, which holds nothing and only waits, is its return value as the slot numbers it:
    killing that one ends all others at once. Raises OSError where the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWPID | CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "a namespace for the children of a slot cannot be made")
    _lock_devices(libc)
    _drop_capabilities(libc)
    first = os.fork()
    if first == 0:
        _wait_for_ever()
    return first


def everyone() -> frozenset[int]:
    """The numbers of all processes that the slot can see, itself among them."""
    return frozenset(int(name) for name in os.listdir("/proc") if name.isdigit())


def _wait_for_ever() -> NoReturn:
    """As the first process of its namespace it inherits what loses its parent; it waits for that, so that the
    processor time of it is known.
    """
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        prctl(PR_SET_DUMPABLE, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what it does not handle cannot end it
        os.setsid()
        os.closerange(0, 1024)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        while True:
            signal.sigwait({signal.SIGCHLD})
            while _waited_for_one():
                pass
    finally:
        os._exit(1)


def _waited_for_one() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _lock_devices(libc: ctypes.CDLL) -> None:
    """The modes and times of the machine's own devices are not a student's to change, should root have started this.

    Writing to a device needs no writable mount. bubblewrap's own way to this would forbid devices altogether.
    """
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, options = line.split()[4:6]
        if place.startswith("/dev/") and place != "/dev/shm":
            flags = MS_REMOUNT | MS_BIND | MS_RDONLY
            for name in options.split(","):
                flags |= KEPT.get(name, 0)
            if libc.mount(None, place.encode(), None, ctypes.c_ulong(flags), None):
                raise OSError(ctypes.get_errno(), f"{place} cannot be kept from being changed")


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    for number in range(64):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)  # refuses what it does not know, or what is gone already
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    if libc.capset(header, none):
        raise OSError(ctypes.get_errno(), "the capabilities of a slot cannot be dropped")
