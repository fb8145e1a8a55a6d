# Tries: to have the kernel send SIGKILL to others, as the owners of a socket (F_SETOWN, F_SETSIG) that gets data.
# Stopped by: a PID namespace in which the others have no number.
# Score: HALF
# Process: no, root's signals reach every process of the machine.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import fcntl
import signal
import socket

for number in (os.getppid(), *range(2, 300), -os.getppid() or -2):
    if number in (0, os.getpid()):
        continue
    one, other = socket.socketpair()
    try:
        fcntl.fcntl(one, fcntl.F_SETOWN, number)
        fcntl.fcntl(one, 10, signal.SIGKILL)  # F_SETSIG
        fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        other.send(b"!")
    except OSError:
        pass
    one.close()
    other.close()
