"""What is known of a student's work once it is loaded: plain data."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any

from grader.reading.submission import Submission
from grader.worker.load import CellError


@dataclass
class Work:
    """The names a student defined. Without a submission they are a live notebook's."""

    source: str
    namespace: dict[str, Any]
    submission: Submission | None = None
    errors: list[CellError] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # all that the lesson asks for
    stubs: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)  # functions that ran out of time, and what was said

    def owns(self, frame: types.FrameType) -> bool:
        """Whether a frame runs code of the student's."""
        return frame.f_globals is self.namespace
