# Tries: to kill its own group and session, in the hope that the grader or the slot belongs to it.
# Stopped by: a session of its own for each child, which therefore kills only itself.
# Score: HALF
# Says: ended the whole program
# Process: yes
import os
import signal

os.killpg(0, signal.SIGKILL)
