# Tries: to trace other processes (PTRACE_ATTACH, PTRACE_SEIZE), to stop them and to change their memory.
# Stopped by: a filter that refuses the call, and a PID namespace that holds nobody else.
# Score: HALF
# Process: no, root may trace every process there where the kernel has no filter.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
pid = os.fork()
if pid == 0:
    while True:
        os.sched_yield()
for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
    for number in (os.getppid(), 1, *range(2, 300)):
        if number not in (0, os.getpid(), pid) and libc.ptrace(request, number, None, None) == 0:
            mix_rows = None  # it can: a lower score is the proof
    if libc.ptrace(request, pid, None, None) == 0:  # what may trace its own child has no filter
        mix_rows = None
os.kill(pid, 9)
os.waitpid(pid, 0)
