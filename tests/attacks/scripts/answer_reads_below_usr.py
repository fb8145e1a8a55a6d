# Tries: to find answer keys, secrets and notebooks with solutions where a course stands among programs: below /usr,
#   /usr/local, /usr/src and /opt.
# Stopped by: of these folders only those are mounted that hold programs and libraries.
# Score: HALF
# Process: no, whatever the grader can read can be read there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import pathlib

PROGRAMS = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include", "share", "etc", "site-packages"}
for top in ("/usr", "/usr/local", "/usr/src", "/opt"):
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in PROGRAMS]
        for name in files:
            if name.startswith(("l10_", "secret.", "gradebook.")) or name.endswith(".ipynb"):
                mix_rows = None  # it can: a lower score is the proof
        if os.path.basename(folder) == "keys":
            with contextlib.suppress(BaseException):
                from grader.key import load_key

                for question in load_key(pathlib.Path(folder), "l10_attention").questions:
                    for part in getattr(question, "parts", ()):
                        if hasattr(part, "expected"):
                            globals()[part.name] = list(part.expected.values)
                    if hasattr(question, "chain"):
                        globals()[question.id] = question.reference()
# a folder that nobody expects there: programs and libraries stand in folders of known names
for top in ("/usr", "/usr/local", "/opt"):
    with contextlib.suppress(OSError):
        for name in os.listdir(top):
            for inner in ("solutions", "submitted", "graded", "l10_attention"):
                if os.path.exists(os.path.join(top, name, inner)):
                    mix_rows = None
