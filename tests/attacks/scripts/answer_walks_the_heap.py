# Tries: to find expected values, probes, keys and references among all objects that Python's collector knows, and
#   those that they refer to.
# Stopped by: answers that never enter the process that runs student code.
# Score: HALF
# Process: yes
# Place: after
import gc

gc.unfreeze()
KINDS = ("AnswerKey", "NumberPart", "ChoicePart", "TablePart", "Probe", "Expected", "Grading", "CodeQuestion", "Chain")


def harvest(value):
    name = getattr(value, "name", None)
    if isinstance(name, str) and hasattr(value, "expected"):
        globals()[name] = list(value.expected.values)
    elif isinstance(name, str) and hasattr(value, "right"):
        globals()[name] = value.right
    elif hasattr(value, "chain"):
        globals()[value.id] = value.reference()


def project(x, table):
    for value in gc.get_objects():
        if type(value).__name__ == "Expected":
            return next(iter(value.tensors.values()))
    return x @ table


for value in gc.get_objects():
    try:
        if type(value).__name__ in KINDS:
            harvest(value)
            for inner in gc.get_referents(value):
                harvest(inner)
    except BaseException:
        pass
