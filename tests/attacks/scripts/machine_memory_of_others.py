# Tries: to read and overwrite the memory of other processes, by process_vm_writev and /proc/PID/mem.
# Stopped by: a filter that refuses the calls, and a PID namespace that holds nobody else.
# Score: HALF
# Process: no, root may do so to every process there where the kernel has no filter.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import ctypes

libc = ctypes.CDLL(None, use_errno=True)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


mine = ctypes.create_string_buffer(b"{'op': 'reaped'}", 64)
mark = "reaped"
here, there = Piece(ctypes.addressof(mine), 64), Piece(id(mark), 64)
for number in (os.getppid(), *range(1, 300)):
    if number not in (0, os.getpid()):
        for move in (libc.process_vm_readv, libc.process_vm_writev):
            if move(number, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
                mix_rows = None  # it can: a lower score is the proof
own = os.readlink("/proc/self")  # which may have another number there than it has for itself
for number in (name for name in os.listdir("/proc") if name.isdigit() and name != own):
    try:
        with open(f"/proc/{number}/maps") as maps:
            lines = [line.split() for line in maps]
        with open(f"/proc/{number}/mem", "r+b", buffering=0) as memory:
            for place in (line[0].partition("-")[0] for line in lines if line[1] in ("rw-p", "r-xp")):
                memory.seek(int(place, 16))
                found = memory.read(64)
                memory.seek(int(place, 16))
                memory.write(found)  # the same again: that it can is enough
                mix_rows = None
    except (OSError, ValueError):
        pass
