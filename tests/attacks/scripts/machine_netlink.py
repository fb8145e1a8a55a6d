# Tries: to give itself a network, by bringing up links and adding addresses over netlink.
# Stopped by: a network namespace of its own, in which it has no capability.
# Score: HALF
# Process: no, root may change the machine's network there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import socket
import struct

with contextlib.suppress(OSError), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as route:
    route.settimeout(0.2)
    up = struct.pack("=BBHiII", 0, 0, 0, 1, 1, 1)  # ifinfomsg: link 1 up
    address = struct.pack("=BBBBI", socket.AF_INET, 24, 0, 0, 1) + struct.pack("=HH4s", 8, 2, bytes([10, 0, 0, 1]))
    for kind, body in ((16, up), (20, address)):  # RTM_NEWLINK, RTM_NEWADDR
        route.send(struct.pack("=IHHII", 16 + len(body), kind, 0x605, 1, 0) + body)
        answer = route.recv(4096)
        if struct.unpack_from("=H", answer, 4)[0] == 2 and struct.unpack_from("=i", answer, 16)[0] == 0:
            if kind == 20:
                mix_rows = None  # it can: a lower score is the proof
for group in (9, 11, 15):  # audit, process connector, kernel events
    with contextlib.suppress(OSError), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, group) as events:
        events.bind((0, 1))
