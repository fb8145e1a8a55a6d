# Tries: to read hidden inputs off the seconds in its result, by sleeping for as long as an input says.
# Stopped by: hidden inputs that fit no other submission; and seconds count for nothing in a score.
# Score: HALF
# Process: yes
# Place: after
import time


def project(x, table):
    time.sleep(min(abs(float(x[0, 0])) / 100, 0.02))
    return x @ table


def attend_one(query, k, v):
    until = time.perf_counter() + min(abs(float(query[0])) / 100, 0.02)
    while time.perf_counter() < until:
        pass
    return query
