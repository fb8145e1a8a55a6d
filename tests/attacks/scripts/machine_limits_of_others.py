# Tries: to starve other processes: limits of nothing, the lowest priority, one processor, the idle scheduler.
# Stopped by: a PID namespace that holds nobody else; a slot whose limits changed is thrown away.
# Score: HALF
# Process: no, root may do so to every process of the machine.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import resource

for number in {os.getppid(), *range(1, 300)} - {0, os.getpid()}:
    for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(number, what, (0, 0))
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, number, 19)
    with contextlib.suppress(OSError):
        os.sched_setaffinity(number, {0})
    with contextlib.suppress(OSError):
        os.sched_setscheduler(number, os.SCHED_IDLE, os.sched_param(0))
for kind in (os.PRIO_PGRP, os.PRIO_USER):
    with contextlib.suppress(OSError):
        os.setpriority(kind, 0, 19)
