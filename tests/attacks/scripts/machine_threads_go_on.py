# Tries: to change what attention() returned after the call, from a thread that goes on while it is looked at.
# Stopped by: the values of an answer are copied when the call ends; what is done to the attacker's own names counts.
# Score: 49 (the thread spoils match_scores(), which is right until then)
# Process: yes
import threading
import time


def match_scores(q, k):
    result = q @ k.mT / math.sqrt(q.shape[-1])

    def go_on():
        for _ in range(200):
            result.zero_()
            q.zero_()
            time.sleep(0.0005)

    threading.Thread(target=go_on).start()
    time.sleep(0.005)
    return result
