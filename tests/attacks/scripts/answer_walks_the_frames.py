# Tries: to find what is expected in the frames above its own, in all threads, in tracebacks, and in the globals,
#   defaults and closures of the functions that call it.
# Stopped by: answers that never enter the process that runs student code.
# Score: HALF
# Process: yes
# Place: after
import inspect
import sys

import torch

NAMES = ("expected", "wanted", "answer", "reference", "probe", "probes", "key", "solution", "right")


def above():
    frames = list(sys._current_frames().values())
    frame = sys._getframe(1)
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    for frame in frames:
        yield from frame.f_locals.items()
        yield from frame.f_globals.items()
        function = frame.f_globals.get(frame.f_code.co_name)
        for cell in getattr(function, "__closure__", None) or ():
            yield "expected", cell.cell_contents


def project(x, table):
    for name, value in above():
        if name in NAMES and isinstance(value, torch.Tensor):
            return value
        if name in NAMES and hasattr(value, "tensors"):
            return next(iter(value.tensors.values()))
        if name in NAMES and callable(value) and not inspect.isclass(value):
            try:
                return value(x, table)
            except BaseException:
                pass
    return x @ table


for name, value in above():
    if name in NAMES and hasattr(value, "questions"):
        for question in value.questions:
            for part in getattr(question, "parts", ()):
                globals()[part.name] = list(part.expected.values)
