# Tries: to answer a call in the worker's place, by writing a "returned" frame of its own, and then the next ones, to
#   every socket while the function runs.
# Stopped by: a frame that can only say what was returned, and is compared as anything else is.
# Score: HALF
# Says: project() ended the whole program
# Process: yes
# Place: after
import json
import os
import struct


def frame(message):
    text = json.dumps(message).encode()
    return struct.pack("!II", len(text), 0) + text


def project(x, table):
    value = {"kind": "text", "type": "str", "text": "passed", "score": 5, "status": "passed"}
    forged = {"op": "returned", "ended": "returned", "value": value, "score": 5, "after": [], "gradients": []}
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, frame(forged) * 50)
        except OSError:
            pass
    os._exit(0)
