# Tries: to overflow a stack of the grader with structures that hold themselves or are a million levels deep.
# Stopped by: limits of depth and items in the worker's description and again in the grader's reading of it.
# Score: HALF
# Process: yes
deep = []
for _ in range(100_000):
    deep = [deep]
around = {}
around["a"] = [around, (around, {"b": around})]
wide = [[0.0] * 1_000 for _ in range(300)]


def attend_one(query, k, v):
    return around


TEN_POSITIONS_WIDTH = deep
ROW_WEIGHTS = around
V_ROW_INCREASE = wide
Q0_OUTPUT = {str(number): {number: deep} for number in range(10_000)}
