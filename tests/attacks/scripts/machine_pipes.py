# Tries: to take the kernel's memory: pipes and sockets made as large as they may be, all of them full.
# Stopped by: a limit of open files, and the kernel's own limit of bytes in pipes.
# Score: HALF
# Process: yes
import contextlib
import fcntl
import os
import socket

kept = []
with contextlib.suppress(OSError):
    while True:
        reader, writer = os.pipe()
        kept += [reader, writer]
        with contextlib.suppress(OSError):
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 2**20)
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while len(kept) < 200:
                os.write(writer, b"x" * 65536)
for number in kept[:40]:
    os.close(number)
for _ in range(15):
    one, other = socket.socketpair()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
    one.setblocking(False)
    kept += [one, other]
    with contextlib.suppress(OSError):
        while True:
            one.send(b"x" * 65536)
