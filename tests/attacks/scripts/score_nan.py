# Tries: to have "not too far away" hold for NaN and infinity, in numbers, tensors and what functions return.
# Stopped by: refusing what is not finite before anything is compared.
# Score: HALF
# Process: yes
# Place: after
import math

import numpy
import torch

FIXED_MIX = [math.nan, math.nan]
ROW_OUTPUT = torch.full((2,), math.nan)
ROW_WEIGHTS = numpy.full(3, math.inf)
V_ROW_INCREASE = "nan"
Q0_OUTPUT = ["inf", "-inf"]
OUTPUT_SHAPE = (4, math.nan)
TEN_POSITIONS_WIDTH = -math.inf
CANCEL_V = [[math.nan, 0], [math.inf, 0], [-math.inf, 0]]


def project(x, table):
    return torch.full((x.shape[0], table.shape[0]), math.nan, dtype=x.dtype)
