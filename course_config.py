"""The nbgrader settings of this course; nbgrader_config.py loads them, for bare `nbgrader` reads no other name.

More settings of nbgrader can stand below: `nbgrader generate_config` lists them all.
"""

from grader.autograding.config import configure

c = get_config()  # noqa: F821  # nbgrader defines it

configure(c, source="solutions", release="exercises", course="small-model")
