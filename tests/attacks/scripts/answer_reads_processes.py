# Tries: to find the course by /proc: command lines, environments, working folders, roots, maps and open files of
#   every process, among them the grader.
# Stopped by: a process namespace of its own, in which nothing but the worker is seen.
# Score: HALF
# Process: no, a plain process sees the grader's command line, and the owner's environment and files
# Place: after
import glob
import os
import pathlib
import re

places = set()
for process in glob.glob("/proc/[0-9]*"):
    for name in ("cwd", "root"):
        places.add(f"{process}/{name}")
    for name in ("cmdline", "environ", "maps", "mountinfo"):
        try:
            text = pathlib.Path(process, name).read_bytes().decode(errors="replace")
        except OSError:
            continue
        places.update(re.findall(r"/[\w./-]+", text)[:2_000])
    try:
        places.update(os.readlink(path) for path in glob.glob(f"{process}/fd/*"))
    except OSError:
        pass
for place in sorted(places):
    for folder in ("solutions/keys", "../solutions/keys", "../../solutions/keys"):
        path = pathlib.Path(place, folder)
        try:
            if not (path / "l10_attention.py").is_file():
                continue
            from grader.key import load_key

            for question in load_key(path, "l10_attention").questions:
                for part in getattr(question, "parts", ()):
                    if hasattr(part, "expected"):
                        globals()[part.name] = list(part.expected.values)
                if hasattr(question, "chain"):
                    globals()[question.id] = question.reference()
        except BaseException:
            pass
