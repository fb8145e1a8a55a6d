"""System calls that no exercise needs and that could harm the machine or the next submission, refused by the kernel.

A filter in the kernel's own BPF (Linux, x86-64 and ARM64): each refused call fails with EPERM, as if its
privilege were missing. Numbers are those of the kernel's tables (arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h); the format is that of linux/filter.h and linux/seccomp.h.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
from collections.abc import Mapping

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, REFUSE, ABSENT, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x80000000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where they stand in seccomp_data
X32 = 0x40000000  # calls of the x32 ABI, which would go round the numbers below

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# name: (x86-64, ARM64); None where the architecture has no such call
REFUSED: Mapping[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # what outlives a process, or holds memory that no limit counts
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # the kernel itself
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "personality": (135, 92),
    "syslog": (103, 116),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    # namespaces, mounts and files by handle
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "inotify_init": (253, None),  # of which a user, whoever else that is, has few
    "inotify_init1": (294, 26),
}
SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE, CLONE3 = {"x86_64": 56, "aarch64": 220}, 435  # what the latter is asked for stands where no filter can read
NEW_NAMESPACES = 0x7E020000  # the flags CLONE_NEW* (linux/sched.h)
# Others (vsock, which leads to a virtual machine's host, packet, the kernel's ciphers) know no namespace, or no use.
NETLINK = 16  # by which addresses are listed
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, NETLINK)


def supported() -> bool:
    """Whether there is a filter for this machine."""
    wide = ctypes.sizeof(ctypes.c_void_p) == 8
    return platform.system() == "Linux" and wide and platform.machine() in ARCHITECTURES


def refuse_calls() -> None:
    """Refuse the calls to this process and to all that it starts, for good. Raises OSError where the kernel has no
    filters.
    """
    machine = platform.machine()
    program = _program(machine)
    code = ctypes.create_string_buffer(program, len(program))
    libc = ctypes.CDLL(None, use_errno=True)
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    kept = ctypes.create_string_buffer(header, len(header))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(kept)), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "system calls cannot be refused")


def _program(machine: str) -> bytes:
    """Wrong architecture: killed. A refused number, a new namespace, a socket of another family: EPERM. All else is
    allowed.
    """
    column = list(ARCHITECTURES).index(machine)
    numbers = [numbers[column] for numbers in REFUSED.values()]
    lines = [_line(LOAD, ARCHITECTURE), _line(EQUAL, ARCHITECTURES[machine], 1, 0), _line(RETURN, KILL)]
    lines += [_line(LOAD, NUMBER)]
    if machine == "x86_64":
        lines += [_line(AT_LEAST, X32, 0, 1), _line(RETURN, REFUSE)]
    for number in numbers:
        if number is not None:
            lines += [_line(EQUAL, number, 0, 1), _line(RETURN, REFUSE)]
    lines += [_line(EQUAL, CLONE3, 0, 1), _line(RETURN, ABSENT), _line(EQUAL, CLONE[machine], 0, 4)]
    lines += [_line(LOAD, FIRST_ARGUMENT), _line(ANY_BIT, NEW_NAMESPACES, 0, 1), _line(RETURN, REFUSE)]
    lines += [_line(RETURN, ALLOW), _line(EQUAL, SOCKET[machine], 1, 0), _line(RETURN, ALLOW)]
    lines += [_line(LOAD, FIRST_ARGUMENT)]
    for family in FAMILIES:
        lines += [_line(EQUAL, int(family), 0, 1), _line(RETURN, ALLOW)]
    return b"".join([*lines, _line(RETURN, REFUSE)])


def _line(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """One instruction; `yes` and `no` say how many lines to skip."""
    return struct.pack("HBBI", code, yes, no, value)
