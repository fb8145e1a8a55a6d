# Tries: to write over a line of the table with another one, by carriage returns, backspaces and vertical tabs.
# Stopped by: of an exception's text one line is shown, and in it nothing that cannot be printed.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("wrong\rattack  100  ●●●●●●●●●●●●●●●●                                  \x0b\x0c\x85")
# %%
raise ValueError("wrong" + "\b" * 80 + "100 of 100")
# %%
raise KeyError("a\u2028b\u2029c\nattack  100 of 100\r\n")
