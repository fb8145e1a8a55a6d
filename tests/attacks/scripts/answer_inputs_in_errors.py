# Tries: to learn the hidden inputs, by keeping those of every call and raising them in the text of an error.
# Stopped by: hidden inputs drawn from the course's secret and the submission's own hash: what is learned fits no other
#   submission, and not this one once it is changed. A call that raised earns nothing.
# Score: HALF
# Says: raised ValueError
# Process: yes
# Place: after
import itertools

kept = []


def project(x, table):
    kept.append((x.tolist(), table.tolist()))
    raise ValueError("|".join(f"{value:.17g}" for value in itertools.chain(*kept[0][0], *kept[0][1])))
