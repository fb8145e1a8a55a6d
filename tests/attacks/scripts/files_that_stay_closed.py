# Tries: to leave folders that cannot be read or written, so that they cannot be emptied for the next submission.
# Stopped by: the clean-up opens folders first; a slot whose folders are not empty after it is thrown away.
# Score: HALF
# Process: yes
import os

for number in range(20):
    os.makedirs(f"attack-{number}/inner/innermost")
    with open(f"attack-{number}/inner/innermost/file", "w") as file:
        file.write("left")
    for folder in ("inner/innermost", "inner", ""):
        os.chmod(f"attack-{number}/{folder}", 0)
os.chmod(".", 0)
os.chdir("/")
