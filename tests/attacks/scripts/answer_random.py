# Tries: to be right by chance, with numbers from the operating system that no seed repeats.
# Stopped by: values that are compared to many digits, on several inputs, some of them twice.
# Score: HALF
# Process: yes
# Place: after
import os
import random

import torch

_system = random.SystemRandom()
ROW_OUTPUT = [_system.uniform(2, 3), _system.uniform(2, 3)]
V_ROW_INCREASE = _system.uniform(1, 2)


def project(x, table):
    torch.manual_seed(int.from_bytes(os.urandom(7), "big"))
    return torch.randn(x.shape[0], table.shape[0], dtype=x.dtype)


def attend_one(query, k, v):
    return v[_system.randrange(len(v))] + _system.random()
