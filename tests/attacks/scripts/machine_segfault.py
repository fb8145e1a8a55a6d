# Tries: to take the grader with it when it crashes: a segmentation fault in a cell and in a function.
# Stopped by: only its own child dies of it; the question is lost, and a fresh child goes on.
# Score: HALF
# Says: attend_one() ended the whole program | the rest was graded without it
# Process: yes
import ctypes


def attend_one(query, k, v):
    torch.ones(1).data_ptr()
    ctypes.memset(8, 0, 8)


# %%
ctypes.string_at(0)
