"""What nbgrader's generate_assignment is told to do with our notebooks, and our own step in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrader import preprocessors as nbgrader
from nbgrader.preprocessors.base import NbGraderPreprocessor
from traitlets.config import Config

STUB = "raise NotImplementedError  # write your code here, in place of this line"


class DropTopLevelStub(NbGraderPreprocessor):
    """Remove the stub where it would stop a cell; it runs right after ClearSolutions.

    In a function the stub is what "not attempted" looks like. At the top level, below `NAME = None`, it would
    raise each time the student runs the notebook from the top, so only the line above it stays.
    """

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Drop a code cell's top-level stubs, and what a script cannot keep: blank lines around it, CRLF."""
        if cell.cell_type == "code":
            cell.source = _without_stub(cell.source.replace("\r\n", "\n")).strip("\n").rstrip()
        return cell, resources


def _without_stub(source: str) -> str:
    lines = source.split("\n")
    if STUB not in lines:
        return source
    above = lines[lines.index(STUB) - 1] if lines.index(STUB) else ""
    # Left to stand, this would release a function that silently returns None, or a syntax error.
    if above.startswith((" ", "\t")) or above.rstrip().endswith(":"):
        raise RuntimeError(
            f"the BEGIN SOLUTION mark below the line {above.strip()!r} stands at the left margin; "
            "indent it like the code that it hides, or leave a blank line above it"
        )
    kept = [line for line in lines if line != STUB]
    return "\n".join(kept if any(map(_is_code, kept)) else [*kept, "# Write your code here."])


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def steps() -> Sequence[type]:
    """The steps of generate_assignment in nbgrader 0.9.6's own order, with ours after ClearSolutions.

    A whole list, because nbgrader reads its configuration several times and an insertion would be repeated.
    """
    return [
        nbgrader.IncludeHeaderFooter,
        nbgrader.InstantiateTests,
        nbgrader.LockCells,
        nbgrader.ClearSolutions,
        DropTopLevelStub,
        nbgrader.ClearOutput,
        nbgrader.CheckCellMetadata,
        nbgrader.ComputeChecksums,
        nbgrader.SaveCells,
        nbgrader.ClearHiddenTests,
        nbgrader.ClearMarkScheme,
        nbgrader.ComputeChecksums,
        nbgrader.CheckCellMetadata,
    ]


def settings() -> Config:
    """The traitlets configuration for generate_assignment; a course's own configuration can merge it."""
    config = Config()
    config.GenerateAssignment.preprocessors = steps()
    config.ClearSolutions.code_stub = {"python": STUB}
    config.CourseDirectory.source_directory = "solutions"
    config.CourseDirectory.release_directory = "exercises"
    return config
