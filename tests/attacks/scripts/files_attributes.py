# Tries: to pass something on by what a folder has besides files: attributes, its mode, its times.
# Stopped by: a slot whose folders have another mode or other attributes than before is thrown away.
# Score: HALF
# Process: yes
import contextlib
import os

beside = os.path.dirname(os.getcwd())
if [name for name in os.listxattr(beside) if "attack" in name] or os.stat(beside).st_mtime == 12_345:
    mix_rows = None  # it is there from before: a lower score is the proof
for folder in (".", beside):
    with contextlib.suppress(OSError):
        os.setxattr(folder, "user.attack", b"UNIFORM_AVERAGE")
    with contextlib.suppress(OSError):
        os.utime(folder, (12_345, 12_345))
with contextlib.suppress(OSError):
    os.chmod(beside, 0o500)
