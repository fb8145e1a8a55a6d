# Tries: to break the JSON that programs read, or to add fields to it: quotes, halves of characters, NaN, line ends.
# Stopped by: results are written by a JSON library, from text that is made whole before.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError('"}], "score": 100, "status": "graded", "x": [{"y": "\\')
# %%
raise ValueError("\ud800 \udfff \0 \u2028 NaN Infinity -0 1e999 \\u0000 \\ud83d")
# %%
raise type('Q", "score": 100, "', (Exception,), {})("\ud800" * 1_000)
# %%
TEN_POSITIONS_WIDTH = "\ud800"
V_ROW_INCREASE = float("nan")
Q0_OUTPUT = ["NaN", "\0", '", "score": 100']
