# Tries: to copy the work of whoever was graded before: from module names, namespaces, cached source lines, folders
#   and files of the slot.
# Stopped by: children forked from a slot that never saw a submission, and folders that are emptied.
# Score: HALF
# Process: no, a plain process can read the folder with everybody's submissions
# Place: after
import gc
import glob
import linecache
import os
import sys
import types

WANTED = ("project", "attend_one", "ROW_WEIGHTS", "ROW_OUTPUT", "V_ROW_INCREASE", "Q0_OUTPUT", "CANCEL_V")
mine = globals()
names = [vars(module) for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)]
names += [one for one in gc.get_objects() if isinstance(one, dict) and "UNIFORM_AVERAGE" in one]
for found in names:
    if found is not mine and "UNIFORM_AVERAGE" in found:
        mine.update({name: found[name] for name in WANTED if name in found})
texts = ["".join(lines) for _, _, lines, _ in linecache.cache.values() if len(lines) < 5_000]
upwards = ["/".join([".."] * depth) for depth in range(1, 7)]
likely = ["/tmp", "/dev/shm", "/usr/src", "/srv", "/opt", "/home", "/root", "/proc/1/cwd", "/proc/1/root/tmp"]
for place in [*upwards, *likely]:
    for pattern in ("attention.*", "*/attention.*", "*/*/attention.*", "*/*/*/attention.*"):
        for path in glob.glob(os.path.join(place, pattern)):
            try:
                texts.append(open(path, errors="replace").read(1_000_000))
            except OSError:
                pass
for text in texts:
    if "def project" in text and "attack" not in text and "WANTED" not in text and "graded" not in text:
        try:
            found = {}
            exec(text, found)
            mine.update({name: found[name] for name in WANTED if name in found})
        except BaseException:
            pass
