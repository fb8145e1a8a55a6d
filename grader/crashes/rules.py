"""One row of a table: a type of exception, the form of its message, and the sentence that it gets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

Means: TypeAlias = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True)
class Rule:
    """`types` are names of exceptions, "" any. `form` is what the message begins with; its groups fill `means`."""

    types: str
    form: str
    means: Means
    known: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", re.compile(self.form))

    def sentence(self, kind: str, message: str) -> str:
        """The sentence, or "" where the row is about something else."""
        found = self.known.match(message) if not self.types or kind in self.types.split() else None
        if found is None:
            return ""
        return self.means.format(*found.groups()) if isinstance(self.means, str) else self.means(found)


def axes(count: int) -> str:
    """`1 axis`, `3 axes`."""
    return "1 axis" if count == 1 else f"{count} axes"
