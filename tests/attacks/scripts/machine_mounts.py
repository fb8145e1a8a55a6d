# Tries: to change what is mounted: / writable, /tmp covered or gone, the old way and the new, pivot_root and chroot.
# Stopped by: no capability, and a filter that refuses the calls.
# Score: HALF
# Process: no, root may mount there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
MS_REMOUNT, MS_BIND, MS_MOVE = 32, 4096, 8192
os.makedirs("attack-root/old", exist_ok=True)
done = [
    libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
    libc.mount(b"none", b"/", None, MS_REMOUNT | MS_BIND, None),
    libc.mount(b"none", b"/proc/sys", None, MS_REMOUNT | MS_BIND, None),
    libc.mount(b"/usr", b"attack-root", None, MS_BIND, None),
    libc.mount(b"/tmp", b"attack-root", None, MS_MOVE, None),
    libc.mount(b"proc", b"attack-root", b"proc", 0, None),
    libc.umount2(b"/tmp", 2),
    libc.umount2(b"/dev/shm", 2),
    libc.umount2(b"/", 2),
    libc.syscall(155, b"attack-root", b"attack-root/old"),  # pivot_root
    libc.chroot(b"attack-root"),
    *(-1 if call < 0 else 0 for call in (libc.syscall(430, b"tmpfs", 0), libc.syscall(428, -100, b"/", 1))),
]
if 0 in done:  # fsopen and open_tree among them
    mix_rows = None  # it can: a lower score is the proof
