# Tries: to use up the machine's open files: all that it may have, and more of them in flight through sockets.
# Stopped by: limits of open files for each process, and the kernel's of those in flight.
# Score: HALF
# Process: yes
import contextlib
import os
import socket

one, other = socket.socketpair()
one.setblocking(False)
with contextlib.suppress(OSError):
    for _ in range(200):
        socket.send_fds(one, [b"x"], [os.open("/dev/null", os.O_RDONLY) for _ in range(1)])
held = []
with contextlib.suppress(OSError):
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
