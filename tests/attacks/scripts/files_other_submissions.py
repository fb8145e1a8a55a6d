# Tries: to find the work of others who are graded before or beside it, and to hand it in as its own.
# Stopped by: submissions never are files in the sandbox; each child has a folder of its own, emptied after it.
# Score: HALF
# Process: no, whatever the grader can read can be read there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import sys

import grader

SYSTEM = {"/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}
SYSTEM |= {os.path.realpath(place) for place in (sys.prefix, sys.base_prefix, grader.__path__[0])}
found = []
for place in ("/tmp", "/var/tmp", "/dev/shm", "..", "../..", "../../.."):
    for folder, folders, files in os.walk(place):
        folders[:] = [name for name in folders if os.path.realpath(os.path.join(folder, name)) not in SYSTEM]
        found += [os.path.join(folder, name) for name in files]
for path in found:
    if path.endswith((".py", ".ipynb", ".json", ".zip")):
        mix_rows = None  # it can: a lower score is the proof
        with contextlib.suppress(BaseException), open(path) as file:
            exec(file.read(), globals())
for name in [name for name in sys.modules if name in ("submission", "attention", "solutions")]:
    for one, value in list(vars(sys.modules[name]).items()):
        if one.isupper() or one in ("project", "attend_one"):
            globals()[one] = value
