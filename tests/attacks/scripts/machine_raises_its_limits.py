# Tries: to lift its own limits, and then to take three times the memory and hundreds of open files.
# Stopped by: hard limits, which only a capability could raise, and no capability is left.
# Score: HALF
# Process: no, root may raise its limits there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import resource

for what in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
    for most in (resource.RLIM_INFINITY, 1 << 40):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))
            mix_rows = None  # it can: a lower score is the proof
opened = []
with contextlib.suppress(OSError):
    while len(opened) < 1_000:
        opened.append(os.open("/dev/null", os.O_RDONLY))
    mix_rows = None
for number in opened:
    os.close(number)
