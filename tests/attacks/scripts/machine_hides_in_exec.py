# Tries: to take the worker's place, by exec, with a program that has the link open and none of ours in it.
# Stopped by: an answer that is no frame of ours ends the child; a fresh one goes on without that cell.
# Score: HALF
# Says: the rest was graded without it
# Process: yes
import os
import sys

for number in range(3, 256):
    try:
        os.set_inheritable(number, True)
    except OSError:
        pass
code = """
import os
for number in range(3, 256):
    try: os.write(number, b"100 of 100 points" * 100)
    except OSError: pass
while True: os.sched_yield()
"""
os.execv(sys.executable, ["python", "-S", "-c", code])
