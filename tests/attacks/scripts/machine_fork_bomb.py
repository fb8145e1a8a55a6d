# Tries: to fill the machine with copies of itself, each of which goes on copying.
# Stopped by: a watch over all processes of a submission, which ends them together with their namespace.
# Score: HALF
# Says: the rest was graded without it
# Process: no, root's processes are not counted there, so that the bomb could win the race against the slot.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
while True:
    try:
        os.fork()
    except OSError:
        pass
