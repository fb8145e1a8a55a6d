# Tries: to stop itself in a call, so that it neither answers nor ends.
# Stopped by: a deadline for each question; SIGKILL ends what is stopped, too.
# Score: HALF
# Says: was still running after
# Seconds: 1
# Process: yes
import os
import signal


def attend_one(query, k, v):
    os.kill(os.getpid(), signal.SIGTSTP)
    os.kill(os.getpid(), signal.SIGSTOP)

