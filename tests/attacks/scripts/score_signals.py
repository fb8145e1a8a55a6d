# Tries: to run while the worker describes and sends, by handlers of all signals and timers that fire every few
#   milliseconds.
# Stopped by: a worker that decides nothing; whatever a handler sees or changes there is the submission's own.
# Score: HALF
# Process: yes
# Place: after
import gc
import signal
import sys

seen = []


def act(number, frame):
    while frame is not None:
        for name in ("expected", "answer", "score", "probe", "key"):
            if name in frame.f_locals:
                seen.append(frame.f_locals[name])
                frame.f_locals[name] = 100.0
        frame = frame.f_back


for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, act)
    except (OSError, ValueError):
        pass
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.002, 0.002)
sys.setswitchinterval(1e-5)
gc.callbacks.append(lambda phase, information: act(0, sys._getframe()))


def project(x, table):
    return seen[0] if seen else x @ table
