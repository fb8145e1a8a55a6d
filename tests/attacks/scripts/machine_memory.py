# Tries: to take all memory of the machine in one process.
# Stopped by: a limit of address space, past which Python raises MemoryError.
# Score: HALF
# Says: the rest was graded without it
# Process: yes
import os

hoard = []
try:
    while len(hoard) < 100:  # 6 GB, three times of what a process may have
        hoard.append(b"x" * 2**26)
    mix_rows = None  # it can: a lower score is the proof
except MemoryError:
    os.abort()
