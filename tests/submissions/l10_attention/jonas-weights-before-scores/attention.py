# Lesson 10, Jonas
import math
import torch

X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
Q = K = X
V = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])


def mix_rows(rows, proportions=None):
    return rows.mean(0) if proportions is None else proportions @ rows


def project(x, table):
    return x @ table.T


def match_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def reading_weights(scores):
    return torch.softmax(scores, -1)


def attention(q, k, v):
    scores = match_scores(q, k)
    weights = reading_weights(scores)
    return weights @ v, weights, scores


def attend_one(query, k, v):
    return attention(query.unsqueeze(0), k, v)[0].squeeze(0)


rows = torch.tensor([[3.0, 0.0], [0.0, 2.0], [2.0, 6.0]])
UNIFORM_AVERAGE = mix_rows(rows)
FIXED_MIX = mix_rows(rows, torch.tensor([0.2, 0.3, 0.5]))

SCORES_SHAPE = torch.empty(4, 8).mm(torch.empty(8, 7)).shape
OUTPUT_SHAPE = torch.empty(4, 7).mm(torch.empty(7, 5)).shape
TEN_POSITIONS_WIDTH = 2

out, w, _ = attention(torch.tensor([[2.0, 1.0]]), K, V)
ROW_WEIGHTS = w.squeeze()
ROW_OUTPUT = out.squeeze()

V3 = V.clone()
V3[2, 0] = 3
V_ROW_INCREASE = (attention(Q, K, V3)[0] - attention(Q, K, V)[0])[1, 0].item()
V_ROW_WEIGHTS = "C"

Q0 = Q.clone()
Q0[0] = 0
out, w, _ = attention(Q0, K, V)
Q0_WEIGHTS, Q0_OUTPUT = w[0], out[0]

ONE_WAY_WK = [[0, 2], [0, 0]]
CANCEL_V = [[1, 0], [0, 0], [-1, 0]]
