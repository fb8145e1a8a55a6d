"""Submissions as plain data, read without running anything: from the command line's PATHs to a student's cells."""
