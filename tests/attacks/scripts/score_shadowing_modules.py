# Tries: to have the next child or slot import modules that it wrote: torch.py, json.py, grader and sitecustomize.py
#   in its folder, in the home folder, in the folder for temporary files and beside them.
# Stopped by: folders that are emptied after each submission, and a worker that imports nothing from them.
# Score: HALF
# Process: yes
# Place: after
import os
import pathlib
import tempfile

CODE = "import os\nopen('attack-was-imported', 'w').close()\nos._exit(3)\n"
own = pathlib.Path.cwd()
places = [own, own.parent, pathlib.Path.home(), pathlib.Path(tempfile.gettempdir())]
places += [pathlib.Path(os.environ[name]) for name in ("TMPDIR", "HOME", "MPLCONFIGDIR") if name in os.environ]
for place in places:
    for name in ("torch", "json", "sitecustomize", "usercustomize", "safetensors", "submission", "math"):
        try:
            (place / f"{name}.py").write_text(CODE)
        except OSError:
            pass
    for package in ("grader", "numpy"):
        try:
            (place / package).mkdir(exist_ok=True)
            (place / package / "__init__.py").write_text(CODE)
        except OSError:
            pass
