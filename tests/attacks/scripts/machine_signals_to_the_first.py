# Tries: to stop, end or confuse the first process of its namespace, with which everything would end.
# Stopped by: the kernel, which keeps from that process what it has no handler for; if it ended, so would the attack.
# Score: HALF
# Process: no, process 1 is the machine's own there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import signal

for number in set(signal.Signals) - {signal.SIGCHLD}:
    try:
        os.kill(1, number)
    except OSError:
        pass
