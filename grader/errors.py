"""The one exception that commands show to people as a sentence."""

from __future__ import annotations


class CourseError(Exception):
    """The course or the command line is wrong; its text says what to do."""
