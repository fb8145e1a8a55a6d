# Tries: to drown the reader, and the grader's memory, in exception text, type names and source lines of megabytes.
# Stopped by: all of these are cut in the worker, and again where they are read.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("x" * 30_000_000)
# %%
raise type("T" * 3_000_000, (Exception,), {"__str__": lambda self: "y" * 30_000_000})()


# %%
def attend_one(query, k, v):
    raise type("T" * 3_000_000, (Exception,), {})("z" * 30_000_000)


# %%
TEN_POSITIONS_WIDTH = "x" * 30_000_000
ROW_WEIGHTS = type("L" * 1_000_000, (list,), {})(["y" * 10_000_000])
V_ROW_INCREASE = type("V" * 1_000_000, (), {"__repr__": lambda self: "z" * 10_000_000})()
