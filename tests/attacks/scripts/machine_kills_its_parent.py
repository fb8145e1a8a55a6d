# Tries: to kill the process that started it, in a call and while its cells run.
# Stopped by: a PID namespace in which the slot has no number; without it, a slot that is gone is started anew.
# Score: HALF
# Says: attend_one() ended the whole program | the rest was graded without it
# Process: yes
import os
import signal
import time


def kill_parent():
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL):
        if os.getppid() > 1:
            os.kill(os.getppid(), number)
            time.sleep(0.5)
    os._exit(0)  # with its parent or without


def attend_one(query, k, v):
    kill_parent()


# %%
kill_parent()
