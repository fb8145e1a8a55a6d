# Tries: to crash the grader or have it read beyond a frame, by safetensors whose header is huge, whose sizes and
#   offsets lie, whose names stand there twice.
# Stopped by: the safetensors library, which checks all of this, and ending a child whose bytes are no tensors.
# Score: HALF
# Says: ended the whole program
# Process: yes
# Place: after
import itertools
import json
import os
import struct

HEADERS = [
    b'{"t0":{"dtype":"F64","shape":[99999999999],"data_offsets":[0,8]}}',
    b'{"t0":{"dtype":"F64","shape":[1],"data_offsets":[0,18446744073709551615]}}',
    b'{"t0":{"dtype":"F64","shape":[1],"data_offsets":[-8,0]}}',
    b'{"t0":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,8]}}',
    b'{"t0":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"t0":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}',
    b'{"t0":{"dtype":"F4","shape":[3],"data_offsets":[0,8]}}',
    b'{"t0":' * 50_000,
]
message = {"ended": "returned", "value": {"kind": "tensor", "type": "Tensor", "tensor": "t0"}}
number = itertools.count()


def lie(place):
    text = json.dumps(message).encode()
    header = HEADERS[place % len(HEADERS)]
    size = 2**63 if place % 3 == 2 else len(header)
    blob = struct.pack("<Q", size) + header + bytes(8)
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, struct.pack("!II", len(text), len(blob)) + text + blob)
        except OSError:
            pass
    os._exit(0)


def project(x, table):
    lie(x.shape[0])


def attend_one(query, k, v):
    lie(query.shape[0])
