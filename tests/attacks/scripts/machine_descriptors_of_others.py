# Tries: to open what others have open, by /proc/PID/fd, and to write the grader's and the slot's sockets full.
# Stopped by: a /proc that shows nobody else; sockets cannot be opened there anyway.
# Score: HALF
# Process: no, root may open other processes' files there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import json
import struct

text = json.dumps({"op": "reaped", "strays": 0, "cpu": 0}).encode()
own = os.readlink("/proc/self")  # which may have another number there than it has for itself
for number in (name for name in os.listdir("/proc") if name.isdigit() and name != own):
    try:
        for name in os.listdir(f"/proc/{number}/fd"):
            with open(f"/proc/{number}/fd/{name}", "r+b", buffering=0) as file:
                file.write(struct.pack("!II", len(text), 0) + text)
                mix_rows = None  # it can: a lower score is the proof
    except OSError:
        pass
