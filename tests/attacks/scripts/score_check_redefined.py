# Tries: to redefine check, in the submission, in builtins, in grader and in grader.notebook, so that it gives full
#   marks.
# Stopped by: hidden checks that live in the answer key and are never called from a submission.
# Score: HALF
# Process: yes
# Place: before
# Form: notebook
import builtins
import sys

import grader
import grader.notebook

check = lambda *arguments, **options: 100.0
builtins.check = grader.check = grader.notebook.check = check
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("grader") and hasattr(module, "check"):
        module.check = check
check("attention")
