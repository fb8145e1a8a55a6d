# Tries: to reach the host of a virtual machine, or to leave a listener, by AF_VSOCK, which knows no namespace.
# Stopped by: a filter that refuses sockets of this and of other rare families.
# Score: HALF
# Process: no, it works where the kernel has no filter.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import socket

for family in (40, 17, 38, 31, 29, 44):  # VSOCK, PACKET, ALG, BLUETOOTH, CAN, XDP
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        with contextlib.suppress(OSError):
            socket.socket(family, kind).close()
            mix_rows = None  # it can: a lower score is the proof
