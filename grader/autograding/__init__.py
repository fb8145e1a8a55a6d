"""What nbgrader's commands call in place of a kernel: repair, grade, run and tell."""
