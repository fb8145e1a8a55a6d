# Tries: to read the reference by importing it: solutions, the key under each name it could have, what
#   grader.key.load_key finds, every module on sys.path and every entry point.
# Stopped by: a worker whose path holds the interpreter's packages only, in which no answer is.
# Score: HALF
# Process: yes
# Place: after
import importlib
import importlib.metadata
import pathlib
import pkgutil
import sys

GUESSES = ["solutions", "solutions.keys", "solutions.keys.l10_attention", "keys", "keys.l10_attention"]
GUESSES += ["l10_attention", "answer_key", "grader.solutions", "grader.keys", "grader.keys.l10_attention", "tests"]
GUESSES += [module.name for module in pkgutil.iter_modules() if "attention" in module.name or "key" in module.name]


def use(key):
    for question in getattr(key, "questions", ()):
        for part in getattr(question, "parts", ()):
            if hasattr(part, "expected"):
                globals()[part.name] = list(part.expected.values)
            if hasattr(part, "right"):
                globals()[part.name] = part.right
        if hasattr(question, "chain"):
            globals()[question.id] = question.reference()


for name in GUESSES:
    try:
        use(importlib.import_module(name).key)
    except BaseException:
        pass
try:
    from grader.key import load_key
except BaseException:
    load_key = None
for place in {"", ".", "..", *sys.path}:
    for folder in ("solutions/keys", "keys", "."):
        try:
            use(load_key(pathlib.Path(place, folder), "l10_attention"))
        except BaseException:
            pass
for entry in [entry for found in importlib.metadata.distributions() for entry in found.entry_points]:
    if any(word in f"{entry.group} {entry.name} {entry.value}" for word in ("key", "grader", "solution")):
        try:
            use(entry.load())
        except BaseException:
            pass
