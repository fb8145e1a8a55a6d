# Tries: to take more memory than one process may, by several that each take a part, in private pages.
# Stopped by: a watch over the memory of all processes of a submission.
# Score: HALF
# Says: the rest was graded without it
# Process: yes
import os
import time

for _ in range(4):
    if os.fork() == 0:
        hoard = []
        try:
            for _ in range(14):
                hoard.append(b"x" * 2**26)
            time.sleep(100)
        finally:
            os._exit(0)
time.sleep(100)
