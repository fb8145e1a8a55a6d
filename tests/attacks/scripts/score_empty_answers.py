# Tries: to have nothing to be wrong: answers of no elements, so that "all are close" holds of none.
# Stopped by: comparing shapes before values, and counting numbers.
# Score: HALF
# Process: yes
# Place: after
import torch

FIXED_MIX = ROW_WEIGHTS = []
ROW_OUTPUT = Q0_OUTPUT = torch.zeros(0)
V_ROW_INCREASE = torch.zeros(1, 0)
OUTPUT_SHAPE = torch.Size([])
TEN_POSITIONS_WIDTH = ()
CANCEL_V = torch.zeros(3, 2, 0)
OPTIMIZER_STORES = ""


def project(x, table):
    return x.new_zeros(x.shape[0], 0)
