# Tries: to take all processors from the others, by many busy processes behind answers that come in time.
# Stopped by: a watch over the processor time of all processes of a submission, which ends them.
# Score: HALF
# Process: yes
import os

for _ in range(12):
    if os.fork() == 0:
        while True:
            pass


def attend_one(query, k, v):
    raise NotImplementedError
