# Tries: to take memory that belongs to no process alone: shared mappings, passed on to processes that stay.
# Stopped by: a watch over the memory of all processes of a submission, shared pages among it.
# Score: HALF
# Says: the rest was graded without it
# Process: yes
import mmap
import os
import time

for _ in range(4):
    if os.fork() == 0:
        try:
            mapping = mmap.mmap(-1, 900 * 2**20)
            for place in range(0, 900 * 2**20, 4096):
                mapping[place] = 1
            time.sleep(100)
        finally:
            os._exit(0)
time.sleep(100)
