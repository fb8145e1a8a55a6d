# Tries: to survive in a session of its own that ignores every signal it may ignore, under another name.
# Stopped by: SIGKILL to everything in the PID namespace, or to every descendant of the slot.
# Score: HALF
# Process: yes
import os
import subprocess

script = "trap '' HUP INT QUIT TERM USR1 USR2 PIPE; while :; do sleep 1; done"
for _ in range(3):
    subprocess.Popen(["/bin/sh", "-c", script], start_new_session=True, close_fds=True, env={}, cwd="/")
pid = os.fork()
if pid == 0:
    os.setsid()
    os.execve("/bin/sh", ["[kworker/0:1]", "-c", script], {})
