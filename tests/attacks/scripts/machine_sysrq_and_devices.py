# Tries: to reach the machine's memory, disks, terminals and keys through /dev, /proc/sysrq-trigger and /proc/kcore.
# Stopped by: a /dev of its own with nothing in it that holds anything.
# Score: HALF
# Process: no, root may open them there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import glob
import stat

HARMLESS = {"null", "zero", "full", "random", "urandom", "tty", "ptmx"}
for path in ("/proc/sysrq-trigger", "/proc/kcore", "/proc/kmem", "/proc/kallsyms", "/proc/bus/pci/devices"):
    try:
        with open(path, "r+b", buffering=0):
            mix_rows = None  # it can: a lower score is the proof
    except OSError:
        pass
for path in glob.glob("/dev/**", recursive=True):
    try:
        if os.path.basename(path) not in HARMLESS and not stat.S_ISDIR(os.stat(path).st_mode):
            if not os.path.islink(path):
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
                mix_rows = None
    except OSError:
        pass
for kind, major, minor in ((stat.S_IFBLK, 254, 0), (stat.S_IFBLK, 8, 0), (stat.S_IFCHR, 1, 1)):
    for folder in ("/tmp", "/dev/shm", "/dev"):
        try:
            os.mknod(f"{folder}/attack-disk", kind | 0o600, os.makedev(major, minor))
            with open(f"{folder}/attack-disk", "rb") as disk:
                disk.read(1)
            mix_rows = None
        except OSError:
            pass
