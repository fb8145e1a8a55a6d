# %% [markdown]
# About half of lesson 10: a score that an attack raises, or that it costs its neighbours, would show.

# %%
import math

import torch


# %%
def mix_rows(rows, proportions=None):
    if proportions is None:
        return rows.mean(dim=0)
    return proportions @ rows


# %%
UNIFORM_AVERAGE = [1.6667, 2.6667]
FIXED_MIX = [3.6, 1.6]  # the two numbers are swapped


# %%
def project(x, table):
    return x @ table  # the table is not transposed


# %%
def match_scores(q, k):
    return q @ k.mT / math.sqrt(q.shape[-1])


# %%
def reading_weights(scores):
    return torch.softmax(scores, dim=-1)


# %%
def attention(q, k, v):
    scores = q @ k.mT  # not scaled
    weights = scores.softmax(dim=-1)
    return weights @ v, scores, weights


# %%
def attend_one(query, k, v):
    raise NotImplementedError


# %%
SCORES_SHAPE = (4, 7)
OUTPUT_SHAPE = (4, 8)  # wrong
TEN_POSITIONS_WIDTH = None

# %%
ROW_WEIGHTS = None
ROW_OUTPUT = [1.0, 1.0]  # a guess

# %%
V_ROW_INCREASE = None

# %%
V_ROW_WEIGHTS = "C"

# %%
Q0_WEIGHTS = [0.3333, 0.3333, 0.3333]

# %%
Q0_OUTPUT = None

# %%
ONE_WAY_WK = [[1.0, 2.0], [0.0, 1.0]]

# %%
CANCEL_V = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]  # all zero, which is not allowed

# %%
GRADIENTS_REACH = "C"
OPTIMIZER_STORES = "A"  # wrong
