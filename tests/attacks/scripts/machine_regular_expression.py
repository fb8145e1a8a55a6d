# Tries: to hang in a function, in a regular expression that goes back and forth for ever.
# Stopped by: a deadline for each question, kept by the grader.
# Score: HALF
# Says: was still running after
# Seconds: 1
# Process: yes
import re


def attend_one(query, k, v):
    return re.match("(a*)*(a*)*b", "a" * 60)
