"""A student's own checks: the public tests of a folder, in a terminal, in pytest and in a notebook."""
