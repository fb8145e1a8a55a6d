# Tries: to leave so many files that the clean-up takes minutes, or the next submission finds no room for a file.
# Stopped by: a deadline for the clean-up, after which the slot is thrown away, and its /tmp with it.
# Score: HALF
# Process: yes
import os
import time

until = time.monotonic() + 0.3
for number in range(1_000_000):
    os.close(os.open(f"attack-{number}", os.O_CREAT | os.O_WRONLY))
    if time.monotonic() > until:
        break
