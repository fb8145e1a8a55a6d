# Tries: to hang in C, where no signal is heard: a number of 10**369693099 digits.
# Stopped by: a deadline for each cell, kept by the grader; a fresh child goes on without it.
# Score: HALF
# Says: and was stopped
# Seconds: 1
# Process: yes
TEN_POSITIONS_WIDTH = 9**9**9
