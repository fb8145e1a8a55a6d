# Tries: to delete all that it can: its own folder, all beside it, and the folder that holds them.
# Stopped by: nothing else is in there; a slot that cannot make a folder is started anew.
# Score: HALF
# Process: yes
import os
import shutil

beside = os.path.dirname(os.getcwd())
os.chdir("/")
shutil.rmtree(beside, ignore_errors=True)
