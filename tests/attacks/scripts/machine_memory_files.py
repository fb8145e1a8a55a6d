# Tries: to take memory that no limit of a process counts, in files that exist in memory only (memfd_create).
# Stopped by: a filter that refuses the call; the worker's own two such files have the size of any file.
# Score: HALF
# Process: no, where the kernel has no filter the memory is taken until the submission ends.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib

filled = 0
with contextlib.suppress(OSError):
    for _ in range(40):  # 4 GB, twice of what a submission may take
        file = os.memfd_create("attack")
        filled += sum(os.write(file, b"x" * 2**20) for _ in range(100))
if filled:
    mix_rows = None  # it can: a lower score is the proof
