"""The cell that a live notebook ran last, where it stopped too early to change what is checked."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from grader.crashes.telling import raised
from grader.observing.cells import message_of
from grader.reading.attempt import defined_from
from grader.student.tally import spoken_name
from grader.wording import joined


@dataclass(frozen=True)
class Stopped:
    """The names that the cell did not come to define, and what stopped it: `SyntaxError: … (line 3)`."""

    names: frozenset[str] = frozenset()
    reason: str = ""

    def told(self, names: Collection[str]) -> str:
        """A sentence, where these names are among them; "" where they are not."""
        lost = [spoken_name(name) for name in names if name in self.names]
        if not lost:
            return ""
        return (
            f"The last cell that you ran stopped before it defined {joined(lost)}: {self.reason}. "
            "What is checked here was there before."
        )


def stopped_cell(shell: Any) -> Stopped:
    """What IPython says of the cell that was run before this one; nothing outside of IPython."""
    result = getattr(shell, "last_execution_result", None)
    if result is None:
        return Stopped()
    error = result.error_before_exec or result.error_in_exec
    source = getattr(result.info, "raw_cell", None)
    if error is None or not isinstance(source, str):
        return Stopped()
    line = 1 if result.error_before_exec else _line(error, shell.user_ns)
    return Stopped(frozenset(defined_from(source, line)), _reason(error))


def _line(error: BaseException, names: Mapping[str, Any]) -> int:
    """The line of the cell itself at which it stopped."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [line for frame, line in frames if frame.f_globals is names and frame.f_code.co_name == "<module>"]
    return own[-1] if own else 1


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted"
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{raised(kind, error.msg or '')} (line {error.lineno})"
    return raised(kind, message_of(error)).rstrip(".")
