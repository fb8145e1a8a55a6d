# Tries: to leave folders in folders, 3,000 deep, which no path names and no simple clean-up can take away.
# Stopped by: a slot whose folders are not empty after it is thrown away, and its /tmp with it.
# Score: HALF
# Process: yes
import os

beside = os.path.dirname(os.getcwd())
for _ in range(3_000):
    os.mkdir("attack-deep")
    os.chdir("attack-deep")
os.chdir("/")
