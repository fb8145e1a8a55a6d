# Tries: to reach the network: names, addresses, the machine's own servers, raw packets, every way that is known.
# Stopped by: a network namespace of its own, with nothing in it.
# Score: HALF
# Process: no, the network is there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import socket

for place in ("1.1.1.1", "8.8.8.8", "169.254.169.254", "10.0.2.2", "172.17.0.1"):
    for port in (53, 80, 443):
        with contextlib.suppress(OSError):
            socket.create_connection((place, port), timeout=0.05).close()
            mix_rows = None  # it can: a lower score is the proof
for port in (22, 53, 80, 443, 631, 3128, 5432, 8000, 8080, 8888, 11434):
    for place in ("127.0.0.1", "::1"):
        with contextlib.suppress(OSError):
            socket.create_connection((place, port), timeout=0.05).close()
            mix_rows = None
with contextlib.suppress(OSError):
    socket.getaddrinfo("pypi.org", 443)
    mix_rows = None
with contextlib.suppress(OSError):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
    mix_rows = None
with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
    datagram.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    datagram.sendto(b"answers, please", ("255.255.255.255", 9))
    mix_rows = None
