# Tries: to make files and folders that nobody may change or delete, by attributes of the file system.
# Stopped by: no capability to set them; a slot whose folders are not empty after it is thrown away.
# Score: HALF
# Process: no, root may set them there, and the files would stay.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import array
import contextlib
import fcntl

FS_IOC_SETFLAGS, IMMUTABLE, APPEND_ONLY = 0x40086602, 0x10, 0x20
for name in ("attack-file", "../attack-file", "/dev/shm/attack-file"):
    with contextlib.suppress(OSError):
        open(name, "w").close()
for name in ("attack-file", "../attack-file", "/dev/shm/attack-file", ".", "..", "/dev/shm"):
    for flag in (IMMUTABLE, APPEND_ONLY, IMMUTABLE | APPEND_ONLY):
        with contextlib.suppress(OSError):
            handle = os.open(name, os.O_RDONLY)
            fcntl.ioctl(handle, FS_IOC_SETFLAGS, array.array("l", [flag]))
            mix_rows = None  # it can: a lower score is the proof
