# Tries: to read the answer key from the disk: from grader's own place upwards, from sys.argv, the working folder and
#   everywhere that a course is likely to stand.
# Stopped by: bubblewrap, in which nothing of the course can be seen.
# Score: HALF
# Process: no, a plain process may read whatever the grader may
# Place: after
import glob
import os
import pathlib
import sys

import grader

places = [pathlib.Path(grader.__file__).parent, pathlib.Path.cwd(), pathlib.Path(sys.prefix), pathlib.Path.home()]
places += [pathlib.Path(argument) for argument in [*sys.argv, *sys.orig_argv, *sys.path] if "/" in argument]
places = {upper for place in places for upper in (place, *place.parents)}
found = [path for place in places for path in glob.glob(f"{place}/solutions/keys/*.py")]
for top in ("/home", "/root", "/usr/src", "/srv", "/opt", "/mnt", "/workspace", "/github", "/tmp", "/var/tmp"):
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in ("site-packages", "lib", "proc", "sys", ".git")][:50]
        found += [os.path.join(folder, name) for name in files if name == "l10_attention.py"]
for path in found:
    try:
        from grader.key import load_key

        key = load_key(pathlib.Path(path).parent, "l10_attention")
        for question in key.questions:
            for part in getattr(question, "parts", ()):
                if hasattr(part, "expected"):
                    globals()[part.name] = list(part.expected.values)
                if hasattr(part, "right"):
                    globals()[part.name] = part.right
            if hasattr(question, "chain"):
                globals()[question.id] = question.reference()
    except BaseException:
        pass
