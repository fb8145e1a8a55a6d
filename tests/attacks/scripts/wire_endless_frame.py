# Tries: to hang the grader or fill its memory, by a frame that claims gigabytes and then trickles in byte by byte.
# Stopped by: a largest frame, and one deadline for a whole answer, which bytes that come do not move.
# Score: HALF
# Says: project() gave back more than 64 MB | attend_one() was still running after
# Seconds: 1
# Process: yes
# Place: after
import os
import struct
import time


def project(x, table):
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, struct.pack("!II", 2**32 - 1, 2**32 - 1))
        except OSError:
            pass
    time.sleep(0.1)
    os._exit(0)


def attend_one(query, k, v):
    descriptors = []
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, struct.pack("!II", 1_000_000, 60_000_000))
            descriptors.append(descriptor)
        except OSError:
            pass
    while True:
        for descriptor in descriptors:
            try:
                os.write(descriptor, b"{")
            except OSError:
                pass
        time.sleep(0.02)
