# Tries: to go round a filter that knows the numbers of 64-bit calls only, by the x32 numbers of the same calls.
# Stopped by: a filter that refuses all of these numbers, whether the kernel knows them or not.
# Score: HALF
# Process: no, for the same reasons as the calls themselves.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)
for number in (101, 272, 521, 319, 425):  # ptrace, unshare, x32's own ptrace, memfd_create, io_uring_setup
    ctypes.set_errno(0)
    done = libc.syscall(0x40000000 | number, b"attack", 0, 0, 0)
    if done >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        mix_rows = None  # it can: a lower score is the proof
