# Tries: to burn processor time that nobody counts, in chains of processes that live for 10 ms each: every one starts the
#   next, ends, and is waited for by nobody.
# Stopped by: a watch that also counts what has ended, the deadline of each question, and the end of the PID namespace or
#   of all descendants of the slot.
# Score: HALF
# Says: and was stopped
# Seconds: 1
# Process: yes
import os
import time


def chain():
    if os.fork() == 0:
        os.setsid()
        while True:
            until = time.monotonic() + 0.01
            while time.monotonic() < until:
                pass
            if os.fork():
                os._exit(0)


def attend_one(query, k, v):
    for _ in range(4):
        chain()
    time.sleep(60)


for _ in range(2):
    chain()
