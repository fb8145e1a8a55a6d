# Tries: to go round every filter of system calls by io_uring, whose operations are no system calls.
# Stopped by: a filter that refuses to set one up.
# Score: HALF
# Process: no, it can be set up where the kernel has no filter.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(425, 8, ctypes.create_string_buffer(120)) >= 0:  # io_uring_setup
    mix_rows = None  # it can: a lower score is the proof
