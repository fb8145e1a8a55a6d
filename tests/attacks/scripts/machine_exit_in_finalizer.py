# Tries: to end the program while somebody else's code runs: in finalizers and in the collector's callbacks.
# Stopped by: only its own child dies of it; the question is lost, and a fresh child goes on.
# Score: HALF
# Says: attend_one() ended the whole program
# Process: yes
import gc
import os


class Last:
    def __init__(self):
        self.itself = self

    def __del__(self):
        os._exit(0)


def attend_one(query, k, v):
    gc.callbacks.append(lambda phase, told: os._exit(0))
    Last()
    gc.collect()
    return query
