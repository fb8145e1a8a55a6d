# Tries: to turn a line of the table round, or to hide a part of it, by characters that write from right to left or
#   have no width.
# Stopped by: what cannot be printed is shown as a replacement character, and these count among it.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("\u202e001 fo 001\u202c \u2066\u2067\u2068 \u200f\u200e \u200b\u200c\u2060\ufeff\u00ad \U000e0041")
# %%
raise ValueError("Z\u0351\u0300\u0301" + "\u0310" * 500 + " \U0001f469\u200d\U0001f469 \ud83d")
