# Tries: to find the answers anywhere on the disk, and to hand them in: keys, notebooks with solutions, secrets.
# Stopped by: only the system, Python and this package are mounted; neither the course nor a home folder is.
# Score: HALF
# Process: no, whatever the grader can read can be read there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import json
import re

PASSED_OVER = {"proc", "sys", "dev", "site-packages", "lib", "lib64", "share", "include", "bin", "sbin"}
found = []
for folder, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if name not in PASSED_OVER]
    for name in names:
        if re.fullmatch(r".*\.ipynb|l10_.*\.py|attention\.py|secret\.txt|gradebook\.db|.*\.key|id_rsa", name):
            found.append(os.path.join(folder, name))
for path in found:
    if path.endswith((".txt", ".db", ".key", "rsa")):
        mix_rows = None  # it can: a lower score is the proof
    with contextlib.suppress(Exception), open(path) as file:
        text = file.read()
        cells = json.loads(text)["cells"] if path.endswith(".ipynb") else [{"cell_type": "code", "source": text}]
        for cell in cells:
            if cell["cell_type"] == "code":
                with contextlib.suppress(BaseException):
                    exec("".join(cell["source"]), globals())
