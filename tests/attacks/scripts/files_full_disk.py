# Tries: to fill the disk, and the memory behind it: /tmp, /dev/shm and wherever else it may write.
# Stopped by: /tmp and /dev/shm have a size of their own and count as memory; all is emptied after each submission.
# Score: HALF
# Process: no, there it is the machine's own disk, and only each file has a limit.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib

for folder in (".", "/dev/shm", "/var/tmp", "/run", "/"):
    for number in range(5):
        with contextlib.suppress(OSError), open(f"{folder}/attack-{number}", "wb", buffering=0) as file:
            os.truncate(file.fileno(), 2**28)
            os.posix_fallocate(file.fileno(), 0, 2**28)
        with contextlib.suppress(OSError), open(f"{folder}/attack-more-{number}", "wb", buffering=0) as file:
            while file.write(b"x" * 2**22):
                pass
