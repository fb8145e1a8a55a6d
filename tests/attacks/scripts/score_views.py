# Tries: to have one number count for many and a small answer for a large one: expanded, overlapping, broadcasting
#   and transposed views.
# Stopped by: comparing shapes exactly, never by broadcasting; a view is copied before it is compared.
# Score: HALF
# Process: yes
# Place: after
import numpy
import torch

FIXED_MIX = torch.tensor(2.6).expand(2)
ROW_OUTPUT = torch.ones(1).as_strided((2, 2), (0, 0))
Q0_OUTPUT = torch.tensor([[1.0], [1.0]]).expand(2, 1)
V_ROW_INCREASE = torch.linspace(0, 1, 10_001).as_strided((1, 10_001), (1, 1))
CANCEL_V = numpy.lib.stride_tricks.as_strided(numpy.zeros(1), (3, 2), (0, 0))


def project(x, table):
    return (x @ table.mT)[:1, :1].expand(x.shape[0], table.shape[0])
