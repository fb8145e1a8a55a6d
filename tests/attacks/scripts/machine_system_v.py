# Tries: to leave System V shared memory, semaphores and message queues, which outlive a process.
# Stopped by: a filter that refuses the calls.
# Score: HALF
# Process: no, they would stay on the machine where the kernel has no filter.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
IPC_CREAT = 0o1000
made = [libc.shmget(0x617474, 2**20, IPC_CREAT | 0o600)]
made += [libc.semget(0x617474, 1, IPC_CREAT | 0o600), libc.msgget(0x617474, IPC_CREAT | 0o600)]
if max(made) >= 0:
    mix_rows = None  # it can: a lower score is the proof
