# Tries: to have whoever cleans up follow links out of /tmp: into the system, into the package, round in circles.
# Stopped by: the clean-up takes links away as links; what they lead to is mounted read-only besides.
# Score: HALF
# Process: no, a clean-up that followed them would delete the machine's own files there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib

import grader

TARGETS = ("/", "/usr", "..", ".", "/proc/self/cwd", "/proc/self/root", grader.__path__[0], torch.__file__)
for folder in (".", "..", "/dev/shm"):
    for number, target in enumerate(TARGETS):
        with contextlib.suppress(OSError):
            os.symlink(target, f"{folder}/attack-link-{number}")
            os.makedirs(f"{folder}/attack-folder/{number}")
            os.symlink(target, f"{folder}/attack-folder/{number}/link")
    with contextlib.suppress(OSError):
        os.link(torch.__file__, f"{folder}/attack-hard-link")
    with contextlib.suppress(OSError):
        os.symlink("attack-circle", f"{folder}/attack-circle")
