# Tries: to have the grader make room for tensors of 2**62 elements, and of gigabytes in many parts.
# Stopped by: limits of elements in the worker, and of bytes in each answer that the grader reads.
# Score: HALF
# Process: yes
import itertools

huge = torch.ones(1).expand(2**62)
large = [torch.ones(1).expand(1_000_000) for _ in range(200)]


returned = itertools.cycle((large, huge, torch.empty(0).new_empty((0, 2**62))))


def attend_one(query, k, v):
    return next(returned)


ROW_WEIGHTS = huge
V_ROW_INCREASE = huge.double().as_strided((1,), (1,)) if False else torch.sparse_coo_tensor(size=(2**31, 2**31))
Q0_OUTPUT = large
