# Tries: to drown the grader in warnings and log lines, from its cells and from a function.
# Stopped by: standard error leads nowhere while functions are graded.
# Score: HALF
# Says: still reaches a line
# Process: yes
import logging
import warnings

warnings.simplefilter("always")
logging.basicConfig(level=logging.DEBUG, force=True)


def attend_one(query, k, v):
    for number in range(500):
        warnings.warn(f"number {number} {'!' * 300}", stacklevel=1)
        logging.error("number %d %s", number, "!" * 300)
    raise NotImplementedError


attend_one_before = [warnings.warn(f"number {number}", stacklevel=1) for number in range(2_000)]
