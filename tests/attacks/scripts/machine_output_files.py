# Tries: to fill memory through standard output and standard error, which the worker keeps for a notebook's cells.
# Stopped by: both lead to /dev/null while functions are graded, and have the size of any file elsewhere.
# Score: HALF
# Process: yes
import os
import sys

piece = b"x" * 2**20
for _ in range(300):
    os.write(1, piece)
    os.write(2, piece)
for _ in range(40):
    sys.stdout.write("x" * 2**20)
    print("x" * 2**20, file=sys.__stderr__)
