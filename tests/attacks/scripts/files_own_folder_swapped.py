# Tries: to put a link in the place of the folder that it started in, or of /tmp, so that the clean-up works elsewhere.
# Stopped by: a mount cannot be renamed, and a folder that became a link is taken away as a link.
# Score: HALF
# Process: no, root's clean-up would be led to the machine's own files there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import shutil

own, beside = os.getcwd(), os.path.dirname(os.getcwd())
os.chdir("/")
for folder in (own, beside, "/dev/shm", "/tmp"):
    for target in ("/dev/shm", "/usr/lib"):
        with contextlib.suppress(OSError):
            os.rename(folder, folder + "-attack")
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
        with contextlib.suppress(OSError):
            os.symlink(target, folder)
with contextlib.suppress(OSError):
    open("/dev/shm/attack", "w").close()
