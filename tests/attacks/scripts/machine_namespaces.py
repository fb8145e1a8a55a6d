# Tries: to become root in a user namespace of its own, or to enter one of another process, and to go on from there.
# Stopped by: a limit of no further user namespaces, and a filter that refuses unshare and setns.
# Score: HALF
# Process: no, root may make namespaces there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes
import glob

libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000,
    0x2000000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
for flag in (NEWUSER, NEWUSER | NEWNS | NEWPID | NEWNET, NEWNS, NEWPID, NEWNET, NEWIPC, NEWUTS, NEWCGROUP):
    if libc.unshare(flag) == 0:
        mix_rows = None  # it can: a lower score is the proof
for flag in (NEWUSER, NEWUSER | NEWNS, NEWNET):
    pid = libc.syscall(56, flag | 17, 0, 0, 0, 0)  # clone
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
        mix_rows = None
for path in glob.glob("/proc/[0-9]*/ns/*"):
    try:
        handle = os.open(path, os.O_RDONLY)
        mix_rows = None if libc.setns(handle, 0) == 0 else mix_rows
        os.close(handle)
    except OSError:
        pass
