# Tries: to read the hidden inputs off the feedback, by returning tensors whose shape, and objects whose type's name,
#   say what the inputs were.
# Stopped by: feedback that is made on fixed inputs alone; of the hidden ones it says that something is wrong.
# Score: HALF
# Process: yes
# Place: after
import torch


def project(x, table):
    digits = "".join(f"{abs(value):.3f}".replace(".", "") for value in x.flatten().tolist())
    if table.shape[0] % 2:
        return torch.zeros([int(digit) + 1 for digit in digits[:3]])
    return type(f"Inputs{digits}", (), {})()


def attend_one(query, k, v):
    return [float(value) for value in query.tolist()] + [str(k.tolist())]
