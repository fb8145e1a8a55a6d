# Tries: to use what of the kernel has had the most holes: bpf, perf events, userfaultfd, modules, kexec, handles of
#   files, the clock and the host's name.
# Stopped by: a filter that refuses the calls.
# Score: HALF
# Process: no, root may use them where the kernel has no filter.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import ctypes
import socket
import time

libc = ctypes.CDLL(None, use_errno=True)
attribute = ctypes.create_string_buffer(128)
ctypes.memmove(ctypes.byref(attribute, 4), (128).to_bytes(4, "little"), 4)
done = [
    libc.syscall(321, 0, attribute, 72),  # bpf
    libc.syscall(298, attribute, 0, -1, -1, 0),  # perf_event_open
    libc.syscall(323, 1),  # userfaultfd, for what user code alone does
    libc.syscall(313, 0, b"", 0),  # finit_module
    libc.syscall(303, -100, b"/", ctypes.create_string_buffer(136), attribute, 0),  # name_to_handle_at
    libc.syscall(300, 0, 0),  # fanotify_init
    libc.personality(0x0040000),  # no random addresses
]
if max(done) >= 0:
    mix_rows = None  # it can: a lower score is the proof
with contextlib.suppress(OSError):
    socket.sethostname("attack")
    mix_rows = None
with contextlib.suppress(OSError):
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    mix_rows = None
