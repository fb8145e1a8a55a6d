# Tries: to kill the process that started it, in a call and while its cells run.
# Stopped by: a PID namespace in which the slot has no number; without it, a slot that is gone is started anew.
# Score: HALF
# Process: yes
import os
import signal
import time

if os.getppid() > 1:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)


def attend_one(query, k, v):
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL):
        if os.getppid() > 1:
            os.kill(os.getppid(), number)
    return query
