# Tries: to steer the terminal of whoever reads: colours, a cleared screen, the title, an alternate screen, C1 controls.
# Stopped by: what cannot be printed is shown as a replacement character, wherever a student's words are shown.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("\x1b[31mred\x1b[2J\x1b[1;1H\x1b[?1049h\x1b]0;title\x07 \x9b31m \x9d0;title\x9c \x1bP+q\x1b\\ \x7f")
# %%
raise type("\x1b[32mPassed\x1b[0m", (Exception,), {})("\x1b[8mhidden")
