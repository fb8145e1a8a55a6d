# Tries: to become another user: by setuid and its kin, by capabilities, and by programs that run as their owner.
# Stopped by: no capability, and no_new_privs, under which no program runs as its owner.
# Score: HALF
# Process: no, there it is root already if the grader is.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import ctypes
import shutil
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
for become in (os.setuid, os.seteuid, os.setgid, os.setegid):
    with contextlib.suppress(OSError):
        become(0)
        mix_rows = None  # it can: a lower score is the proof
with contextlib.suppress(OSError):
    os.setgroups([0, 42])
    mix_rows = None
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
if libc.capset(header, (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)) == 0:
    mix_rows = None
for program in ("su", "sudo", "mount", "newgrp", "pkexec"):
    if path := shutil.which(program):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run([path, "--version"], capture_output=True, timeout=0.5, stdin=subprocess.DEVNULL)
with contextlib.suppress(OSError, subprocess.SubprocessError):
    shutil.copy("/bin/sh", "attack-sh")
    os.chmod("attack-sh", 0o6777)
    ran = subprocess.run(["./attack-sh", "-p", "-c", "id -u"], capture_output=True, text=True, timeout=0.5)
    mix_rows = None if ran.stdout.strip() == "0" else mix_rows
