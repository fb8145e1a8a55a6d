# Tries: to read what belongs to the person who grades: passwords, keys, tokens in files and in the environment.
# Stopped by: neither home folders nor /etc are there, and the environment holds what ours put there.
# Score: HALF
# Process: no, whatever the grader can read can be read there.
import os

if os.environ.get("GRADER_ISOLATION") != "bubblewrap":
    raise SystemExit("only in the sandbox")
import contextlib
import glob
import pwd
import re

PLACES = (
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    "/etc/machine-id",
    "/root/*",
    "/root/.*",
    "/home/*",
    "/run/*",
    "/var/*",
    "/opt/*",
    "/srv/*",
    "/mnt/*",
    "~/.ssh/*",
    "~/.netrc",
    "~/.config/*",
)
for place in PLACES:
    for path in glob.glob(os.path.expanduser(place)):
        with contextlib.suppress(OSError):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    file.read(1)
                mix_rows = None  # it can: a lower score is the proof
with contextlib.suppress(KeyError):
    pwd.getpwuid(0)
    mix_rows = None
if [name for name in os.environ if re.search("TOKEN|SECRET|PASS|KEY|CREDENTIAL|SSH|AWS|GITHUB|CI_", name)]:
    mix_rows = None
