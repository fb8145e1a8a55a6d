# Tries: to write the reader's clipboard (OSC 52), and to show links that lead elsewhere than they say (OSC 8).
# Stopped by: what cannot be printed is shown as a replacement character.
# Score: HALF
# Says: raised
# Process: yes
# %%
raise ValueError("\x1b]52;c;cm0gLXJmIH4K\x07 \x1b]8;;https://attack.example\x07your feedback\x1b]8;;\x07")
# %%
raise RuntimeError("\x1b]1337;File=inline=1:AAAA\x07 \x1b_Gf=100;AAAA\x1b\\ \x1b[5n \x1b[6n \x1b[c \x1b]11;?\x07")
