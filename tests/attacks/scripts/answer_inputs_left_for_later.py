# Tries: to carry hidden inputs into the next attempt or to a friend, by files, the environment, the working folder
#   and printed text.
# Stopped by: folders that are emptied, children that are forked anew, and inputs that fit no other submission.
# Score: HALF
# Process: no, a plain process can write where the grader may, and a friend may look there
# Place: after
import json
import os
import pickle
import tempfile

STORE = "attack-inputs.json"
PLACES = [".", tempfile.gettempdir(), os.path.expanduser("~"), "/tmp", "/var/tmp", "/dev/shm", "/run", "/var/lock"]
known = {}
for place in PLACES:
    try:
        known |= json.load(open(os.path.join(place, STORE)))
    except (OSError, ValueError):
        pass
if known:
    FIXED_MIX = [1.6, 3.6]
    ROW_OUTPUT = [0.86, 1.432]


def project(x, table):
    inputs = str(x.tolist())
    if known:
        return x @ table.mT
    for place in PLACES:
        try:
            with open(os.path.join(place, STORE), "w") as file:
                json.dump({inputs: table.tolist()}, file)
        except OSError:
            pass
    os.environ["ATTACK_INPUTS"] = inputs
    print(pickle.dumps(inputs))
    return x @ table
