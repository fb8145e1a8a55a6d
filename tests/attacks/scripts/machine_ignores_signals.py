# Tries: to run for ever behind blocked and ignored signals, and handlers that go on.
# Stopped by: a deadline for each cell, kept by the grader with SIGKILL, which cannot be ignored.
# Score: HALF
# Says: and was stopped
# Seconds: 1
# Process: yes
import signal
import threading

every = set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}
for number in every:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, every)
while True:
    try:
        threading.Event().wait()
    except BaseException:
        continue
