# Tries: to act when it is over: atexit handlers, finalizers, __del__ in cycles, thread-exit callbacks and a fork
#   handler, each of which would write a file and a forged grade.
# Stopped by: a child that is killed, and never ends by itself; its folder is emptied and nothing of it is read.
# Score: HALF
# Process: yes
# Place: after
import atexit
import gc
import os
import sys
import threading
import weakref


def act(*arguments):
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b'{"score": 100, "status": "passed"}')
        except OSError:
            pass
    for place in ("/tmp", "/dev/shm", os.path.expanduser("~")):
        try:
            open(os.path.join(place, "attack-at-exit"), "w").close()
        except OSError:
            pass


class Last:
    __del__ = act

    def __init__(self):
        self.itself = self


last = Last()
atexit.register(act)
threading._register_atexit(act)
os.register_at_fork(before=lambda: None, after_in_child=act)
weakref.finalize(sys.modules[__name__], act)
weakref.finalize(last, act)
sys.modules["zz_last"] = Last()
gc.set_threshold(100_000)
sys.exitfunc = act
