# Tries: to walk through other processes' roots, current folders, open files and maps in /proc to the course.
# Stopped by: a /proc that shows nobody who has more than it has.
# Score: HALF
# Process: no, root may follow them there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import glob
import re

secrets = []
for process in glob.glob("/proc/[0-9]*") + ["/proc/self", "/proc/thread-self"]:
    for way in ("cwd", "root", "root/proc/1/root", "root/proc/1/cwd", "cwd/.."):
        for name in ("solutions", "gradebook.db", "etc/passwd", "root/.bashrc", "submitted", "var/log", "boot", "sys"):
            with contextlib.suppress(OSError):
                os.stat(f"{process}/{way}/{name}")
                mix_rows = None  # it can: a lower score is the proof
    for name in ("environ", "cmdline", "maps", "mountinfo"):
        with contextlib.suppress(OSError), open(f"{process}/{name}", errors="replace") as file:
            secrets += re.findall(r"[^\s\0]*(?:solutions|submitted|gradebook|TOKEN|SECRET)[^\s\0]*", file.read())
if secrets:
    mix_rows = None
