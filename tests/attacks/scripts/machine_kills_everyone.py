# Tries: to kill every process that it may signal: all at once, and each by its number.
# Stopped by: a PID namespace that holds nobody else.
# Score: HALF
# Process: no, root's signals reach every process of the machine.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import signal

for number in range(2, 400):
    if number != os.getpid():
        try:
            os.kill(number, signal.SIGKILL)
        except OSError:
            pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
