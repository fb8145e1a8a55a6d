# Tries: to print a grade for whoever reads the output: JSON of a result, nbgrader's points, JUnit and Gradescope,
#   on standard output, standard error and their descriptors.
# Stopped by: never reading what a submission prints when it is graded.
# Score: HALF
# Process: yes
# Place: after
import json
import os
import sys

RESULT = {"schema": 1, "score": 100, "max_score": 100, "status": "graded", "questions": []}
GRADESCOPE = {"score": 100.0, "tests": [{"score": 100, "max_score": 100, "status": "passed"}]}
for text in (json.dumps([RESULT]), json.dumps(GRADESCOPE), "20.0", '<testsuite tests="16" failures="0"/>', "16 passed"):
    print(text)
    print(text, file=sys.stderr)
    for descriptor in (1, 2):
        os.write(descriptor, text.encode() + b"\n")
sys.stdout = sys.stderr = sys.__stdout__ = None


def project(x, table):
    os.write(1, b"20.0\n")
    return RESULT
