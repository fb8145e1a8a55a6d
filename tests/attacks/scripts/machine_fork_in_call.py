# Tries: to answer a call twice, by a copy of the process that answers, too, and leaves its answer in the link.
# Stopped by: answers count in the order in which they were asked for; what is too much falls to the attacker's calls.
# Score: HALF (the copy answers a call of attend_one(), which is missing, and leaves the answer to the next call of it)
# Process: yes
import os
import socket


def attend_one(query, k, v):
    pid = os.fork()
    if pid == 0:
        socket.socket.recv_into = lambda *rest: os._exit(0)  # the copy answers once, and does not listen
    else:
        os.waitpid(pid, 0)
    return v[0] * 0
