# Tries: to go on answering while everything else is graded, by a thread that writes forged frames from the first
#   call to project() on.
# Stopped by: ending the child whose frames are none; the functions after it are called in a fresh one.
# Score: HALF
# Says: project() ended the whole program
# Process: yes
# Place: after
import json
import os
import struct
import threading

text = json.dumps({"ended": "returned", "value": {"kind": "text", "text": "passed"}, "score": 100}).encode()
FORGED = struct.pack("!II", len(text), 0) + text


def write(number):
    while True:
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, FORGED)
            except OSError:
                pass


def project(x, table):
    for number in range(4):
        threading.Thread(target=write, args=(number,), daemon=True).start()
    threading.Event().wait(0.2)
    os.write(3, b"\xff" * 8)
    return x @ table
