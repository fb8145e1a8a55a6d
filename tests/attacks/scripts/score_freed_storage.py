# Tries: to have the grader read foreign memory, which may hold the answers, through tensors whose storage was freed,
#   shrunk or never there.
# Stopped by: asking how far a tensor reaches into its storage before it is read, and reading it in the child.
# Score: HALF
# Process: yes
# Place: after
import ctypes

import torch


def freed(*shape):
    tensor = torch.zeros(*shape, dtype=torch.float64)
    tensor.untyped_storage().resize_(0)
    return tensor


def beyond(*shape):
    tensor = torch.zeros(*shape, dtype=torch.float64)
    storage = tensor.untyped_storage()
    tensor.set_(storage, 0, shape, tensor.stride())
    storage.resize_(8)
    return tensor


CANCEL_V = freed(3, 2)
FIXED_MIX = beyond(2)
ROW_OUTPUT = torch.frombuffer((ctypes.c_double * 2).from_address(id(freed)), dtype=torch.float64)


def project(x, table):
    return freed(x.shape[0], table.shape[0]) if x.shape[0] % 2 else beyond(x.shape[0], table.shape[0])
