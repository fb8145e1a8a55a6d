# Tries: to hold another value each time an answer is read (a descriptor, a list that counts, a tensor that a thread
#   goes on changing), so that what was compared is not what was checked.
# Stopped by: reading each answer once, in the child; the grader only ever sees that copy.
# Score: HALF
# Process: yes
# Place: after
import itertools
import threading
import time

import torch

_count = itertools.count()


class Counting(list):
    __iter__ = lambda self: iter([next(_count) / 1000, next(_count) / 1000])
    __getitem__ = lambda self, place: next(_count) / 1000


class Reading:
    value = property(lambda self: next(_count) / 1000)
    __get__ = lambda self, holder, kind=None: next(_count) / 1000
    __float__ = lambda self: next(_count) / 1000


FIXED_MIX = Counting([9.0, 9.0])
V_ROW_INCREASE = Reading()
ROW_OUTPUT = torch.zeros(2)
_product = torch.zeros(1)


def change():
    for step in itertools.count():
        ROW_OUTPUT.fill_(2 + (step % 1000) / 1000)
        time.sleep(0.001)


threading.Thread(target=change, daemon=True).start()


def project(x, table):
    wrong = torch.zeros(x.shape[0], table.shape[0], dtype=x.dtype)
    threading.Timer(0.001, lambda: wrong.copy_(x @ table.mT)).start()
    return wrong
