# Tries: to end the program from C, past every handler, with a fatal error that dumps its memory.
# Stopped by: only its own child dies of it, without a core; a fresh child goes on.
# Score: HALF
# Says: attend_one() ended the whole program
# Process: yes
import faulthandler
import os
import resource


def attend_one(query, k, v):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        pass
    faulthandler.enable()
    os.abort()
