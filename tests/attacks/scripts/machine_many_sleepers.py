# Tries: to hold hundreds of small processes that do nothing and stay for the next submission.
# Stopped by: a limit of processes for everything that a submission started.
# Score: HALF
# Says: the rest was graded without it
# Process: yes
import os

for _ in range(300):
    os.posix_spawn("/bin/sleep", ["sleep", "1000"], {}, setsid=True)
while True:
    pass
