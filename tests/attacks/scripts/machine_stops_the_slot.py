# Tries: to stop, not to kill, all others, so that nobody notices and everybody waits.
# Stopped by: a PID namespace that holds nobody else.
# Score: HALF
# Process: no, root's signals reach every process of the machine.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import signal

for number in {os.getppid(), *(int(name) for name in os.listdir("/proc") if name.isdigit())}:
    if number > 0 and number != os.getpid():
        try:
            os.kill(number, signal.SIGSTOP)
        except OSError:
            pass
