# Tries: to change what every later worker runs: this package, torch, the interpreter, and their compiled files.
# Stopped by: all of it is mounted read-only.
# Score: HALF
# Process: no, whatever the grader can write can be written there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import glob
import sys

import numpy

import grader
import grader.worker.slot

MODULES = (grader, grader.worker.slot, torch, numpy, os)
for path in [module.__file__ for module in MODULES] + [sys.executable, "/bin/sh", "/etc/ld.so.preload"]:
    folder = os.path.dirname(path)
    for target in (path, *glob.glob(f"{folder}/__pycache__/*.pyc")[:3], f"{folder}/attack.pth"):
        with contextlib.suppress(OSError):
            os.close(os.open(target, os.O_RDWR | os.O_CREAT))
            mix_rows = None  # it can: a lower score is the proof
        with contextlib.suppress(OSError):
            os.chmod(target, 0o777)
            mix_rows = None
