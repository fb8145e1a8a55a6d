# Tries: to talk to others through sockets without a file: it looks for listeners, and leaves one that others may find.
# Stopped by: a network namespace of its own, and the end of everything that a submission started.
# Score: HALF
# Process: no, the sockets of the whole machine are seen there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import socket

with open("/proc/net/unix") as table:
    for line in table:
        name = line.split()[-1]
        if name.startswith(("@", "/")):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as other:
                other.settimeout(0.2)
                other.connect(name.replace("@", "\0", 1))
                mix_rows = None  # it can: a lower score is the proof
listener = socket.socket(socket.AF_UNIX)
try:
    listener.bind("\0attack")
    listener.listen()
except OSError:
    mix_rows = None  # one is there from before
