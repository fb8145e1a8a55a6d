# Tries: to find answers of others, or of the grader, in memory that was freed: in uninitialised tensors, arrays and
#   blocks of malloc.
# Stopped by: children forked from a slot in which no answer and no other submission ever was.
# Score: HALF
# Process: yes
# Place: after
import ctypes
import math

import numpy
import torch

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
numbers = []
for size in (2, 3, 4, 6, 8, 16, 64, 1_000):
    for _ in range(50):
        numbers += torch.empty(size, dtype=torch.float64).tolist()
        numbers += numpy.empty(size).tolist()
    block = libc.malloc(size * 8)
    numbers += list((ctypes.c_double * size).from_address(block))
# the two answers, in this order, if they were ever written down here
kept = [number for number in numbers if math.isfinite(number) and 1e-3 < abs(number) < 100]
for one, other in zip(kept, kept[1:]):
    if (round(one, 2), round(other, 2)) == (0.86, 1.43):
        ROW_OUTPUT = [one, other]
    if (round(one, 1), round(other, 1)) == (1.6, 3.6):
        FIXED_MIX = [one, other]


def project(x, table):
    return torch.empty(x.shape[0], table.shape[0], dtype=x.dtype)
