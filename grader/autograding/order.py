"""What nbgrader's process asks of the process that runs students' code, and what it gets back: plain data."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from grader.autograding.source import SourceCell


@dataclass(frozen=True)
class Order:
    """How the submissions of one assignment are graded. Paths are absolute; `seconds` are for one cell.

    `notebooks` holds the gradebook's cells by notebook. `excluded` are files of the source folder that do not
    replace a student's own, `ignored` are names (patterns) that are never copied. `submissions` says how many follow.
    If there is an answer key, `keys` is its folder and `lesson` the notebook that asks its questions.
    """

    course: str
    assignment: str
    notebooks: dict[str, tuple[SourceCell, ...]]
    source_folder: str
    keys: str = ""
    lesson: str = ""
    excluded: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    submissions: int = 1
    jobs: int = 1
    isolation: str = "bubblewrap"
    seconds: float = 30.0

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Order:
        """The inverse of `to_json`."""
        read = {name: tuple(SourceCell(**cell) for cell in cells) for name, cells in plain["notebooks"].items()}
        lists = {name: tuple(plain[name]) for name in ("excluded", "ignored")}
        return cls(**{**plain, **lists, "notebooks": read})


@dataclass(frozen=True)
class RanCell:
    """A code cell that was run: nbformat's outputs, and its number."""

    outputs: list[dict[str, Any]]
    execution_count: int | None


@dataclass(frozen=True)
class Page:
    """A submitted notebook as it can be graded, without outputs; a sentence for each thing that was put right in it;
    and what its code cells gave when they were run, in order.
    """

    notebook: dict[str, Any]
    notes: list[str]
    cells: list[RanCell]


@dataclass(frozen=True)
class GradedFolder:
    """One student: a page for each notebook of the assignment, and where there is an answer key the contract's result.

    `problem` says why nothing could be graded; it is no student's fault.
    """

    folder: str
    result: dict[str, Any] | None = None
    pages: dict[str, Page] = field(default_factory=dict)
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> GradedFolder:
        """The inverse of `to_json`."""
        return cls(**{**plain, "pages": {name: _page(**page) for name, page in plain["pages"].items()}})


def _page(notebook: dict[str, Any], notes: list[str], cells: list[dict[str, Any]]) -> Page:
    return Page(notebook, notes, [RanCell(**cell) for cell in cells])
