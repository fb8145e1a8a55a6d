# Tries: to change the worker from within, by replacing the code, the defaults and the closures of its functions and
#   of the frames that are running.
# Stopped by: a worker that decides nothing and knows no answer; a child whose worker is broken is started again
#   without the cell that did it.
# Score: HALF
# Says: ended the whole program
# Process: yes
# Place: after
import ctypes
import gc
import sys
import types


def agree(*arguments, **options):
    return None


def replace(function):
    try:
        function.__code__ = agree.__code__
        function.__defaults__ = function.__kwdefaults__ = None
    except (AttributeError, ValueError):
        pass


for name, module in list(sys.modules.items()):
    if name.startswith(("grader.key", "grader.grading", "grader.observing.compare", "grader.observing.match")):
        for value in list(vars(module).values()):
            if isinstance(value, types.FunctionType):
                replace(value)
for function in gc.get_objects():
    if isinstance(function, types.FunctionType) and function.__name__ in ("judge", "within", "compare"):
        replace(function)

# %%
frame = sys._getframe()
while frame is not None:
    for name in ("loaded", "result", "reply", "score"):
        if name in frame.f_locals:
            frame.f_locals[name] = 100.0
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    frame = frame.f_back
for cell in getattr(agree, "__closure__", None) or ():
    cell.cell_contents = 100.0
