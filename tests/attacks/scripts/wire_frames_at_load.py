# Tries: to answer in the worker's place, by writing "loaded" frames with a grade, its answers and
#   guesses that pass for anything to every open descriptor while the cells run.
# Stopped by: reading from a worker only what values are, and judging them as any others.
# Score: 20 (its own functions are lost: what they return arrives out of turn; the letters and numbers count)
# Says: ended the whole program
# Process: yes
# Place: after
import json
import os
import struct


def frame(message):
    text = json.dumps(message).encode()
    return struct.pack("!II", len(text), 0) + text


def plain(value):
    if isinstance(value, (list, tuple)):
        return {"kind": "sequence", "type": "list", "items": [plain(item) for item in value]}
    if isinstance(value, str):
        return {"kind": "text", "type": "str", "text": value}
    return {"kind": "number", "type": "float", "number": value}


PASSED = {"kind": "other", "type": "passed", "score": 100, "status": "passed", "points": 100}
HONEST = ("UNIFORM_AVERAGE", "SCORES_SHAPE", "V_ROW_WEIGHTS", "Q0_WEIGHTS", "ONE_WAY_WK", "GRADIENTS_REACH")
values = {name: plain(globals()[name]) for name in HONEST}
values |= dict.fromkeys(("FIXED_MIX", "OUTPUT_SHAPE", "ROW_OUTPUT", "V_ROW_INCREASE", "OPTIMIZER_STORES"), PASSED)
for function in ("mix_rows", "project", "match_scores", "reading_weights", "attention", "attend_one"):
    values[function] = PASSED | {"callable": True}
loaded = {"op": "loaded", "errors": [], "notes": [], "values": values}
forged = frame(loaded | {"score": 100, "status": "passed", "questions": [PASSED]})
for descriptor in range(3, 256):
    try:
        os.write(descriptor, forged)
    except OSError:
        pass
