"""How a question of ours is known in a notebook: a cell that says `check("attention")` and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What nbgrader looks for in a line: the lines between are the instructor's, and are taken out for students.
HIDDEN_BEGIN = "BEGIN HIDDEN TESTS"
HIDDEN_END = "END HIDDEN TESTS"

# Each run of blanks is taken whole (`*+`): going back in it would take minutes where a cell has many thousands.
CHECK = re.compile(r"""check\(\s*+(["'])(?P<id>[A-Za-z0-9_-]+)\1\s*+,?\s*+\)\s*+;?(\s*+#.*)?""")
# A `check` of the notebook's own, or of another library, asks none of our questions.
ANOTHER = re.compile(r"^\s*(def check\b|check\s*=|from\s+(?!grader\b)\S+\s+import\b.*\bcheck\b)", re.MULTILINE)


def question_of(source: str) -> str | None:
    """The id of the question that a cell asks, or None for any other cell.

    Its hidden part, blank lines and comments count for nothing (nbgrader puts a comment above a cell that was
    missing).
    """
    lines = (line.strip() for line in visible(source).splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("#"))
    found = CHECK.fullmatch(code)
    return found["id"] if found else None


def visible(source: str) -> str:
    """The source without its hidden part and the marks around it."""
    kept, hidden = [], False
    for line in source.split("\n"):
        if HIDDEN_BEGIN in line or HIDDEN_END in line:
            hidden = HIDDEN_BEGIN in line
        elif not hidden:
            kept.append(line)
    return "\n".join(kept)


def holds_questions(sources: Iterable[str]) -> bool:
    """Whether a notebook with these code cells is one of ours; nbgrader treats all others as it always does."""
    cells = list(sources)
    return any(map(question_of, cells)) and not any(map(ANOTHER.search, cells))
