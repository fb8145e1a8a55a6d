# Tries: to leave early with success, past every finally, before a wrong answer is asked for.
# Stopped by: no answer is no points; a fresh child goes on with the next question.
# Score: HALF
# Says: attend_one() ended the whole program
# Process: yes
import os


def attend_one(query, k, v):
    os._exit(0)
