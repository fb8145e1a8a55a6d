"""What nbgrader's generate_assignment is told to do with our notebooks, and our own steps in it.

Every step acts on notebooks that hold questions of ours alone: what other assignments of the course release is
what nbgrader makes of them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any

from nbgrader import preprocessors as nbgrader
from nbgrader.preprocessors.base import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets.config import Config

from grader.questions import HIDDEN_BEGIN, HIDDEN_END, holds_questions, question_of

STUB = "raise NotImplementedError  # write your code here, in place of this line"

NOT_GRADED = (
    "This question was not graded and counts 0: nbgrader ran it in an ordinary kernel, where nothing can be graded. "
    "In the course's folder, nbgrader_config.py must load course_config.py, which puts the grader's own step in the "
    "place of Execute (c.Autograde.autograde_preprocessors). If it does, the first lines that nbgrader prints say "
    "why it could not be read. Then run `nbgrader autograde ASSIGNMENT --force`."
)


CALLS_CHECK = re.compile(r"(?<![\w.])check\(")


def ours(notebook: Any) -> bool:
    """Whether our steps have anything to do in a notebook."""
    return holds_questions(cell.source for cell in notebook.cells if cell.cell_type == "code")


class ClearToStub(nbgrader.ClearSolutions):
    """ClearSolutions, which leaves our stub in our notebooks and the configured one in all others."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Clear the solutions of a notebook."""
        configured = self.code_stub
        if ours(nb):
            self.code_stub = {**configured, "python": STUB}
        try:
            cleared: tuple[Any, Any] = super().preprocess(nb, resources)
        finally:
            self.code_stub = configured
        return cleared


class DropTopLevelStub(NbGraderPreprocessor):
    """Remove the stub where it would stop a cell; it runs right after the solutions are cleared.

    In a function the stub is what "not attempted" looks like. At the top level, below `NAME = None`, it would
    raise each time the student runs the notebook from the top, so only the line above it stays.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Go through the cells of a notebook of ours."""
        return super().preprocess(nb, resources) if ours(nb) else (nb, resources)  # type: ignore[no-untyped-call]

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Drop a code cell's top-level stubs, and what a script cannot keep: blank lines around it, CRLF."""
        if cell.cell_type == "code":
            cell.source = _without_stub(cell.source.replace("\r\n", "\n")).strip("\n").rstrip()
        return cell, resources


class FailClosed(NbGraderPreprocessor):
    """Give each question cell a hidden part that stops it; it runs before the cells are saved in the gradebook.

    nbgrader puts the hidden part back when it grades. Our step grades the question and never runs the cell. An
    ordinary kernel, which nbgrader uses if our configuration is missing or broken, gives full marks to a cell
    that says nothing; this one raises first, so the question counts 0.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Go through the cells of a notebook of ours."""
        return super().preprocess(nb, resources) if ours(nb) else (nb, resources)  # type: ignore[no-untyped-call]

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Put the hidden part first, so that nothing of the student's runs before it in the cell."""
        if cell.cell_type != "code" or not is_grade(cell) or is_solution(cell):
            return cell, resources
        asked = question_of(cell.source)
        if asked and asked != cell.metadata.nbgrader.grade_id:
            raise RuntimeError(
                f"the cell that asks check({asked!r}) has the grade id {cell.metadata.nbgrader.grade_id!r}; "
                "give it the question's own"
            )
        if asked:
            cell.source = f"{_refusal()}\n{cell.source}"
        elif CALLS_CHECK.search(cell.source):
            raise RuntimeError(
                f"the graded cell {cell.metadata.nbgrader.grade_id} calls check() and does something else; "
                'only a cell that says check("QUESTION") and nothing else is graded, so write two cells'
            )
        return cell, resources


def fails_closed(source: str) -> bool:
    """Whether a cell has the hidden part of a question of ours."""
    return question_of(source) is not None and NOT_GRADED[:40] in source


def _refusal() -> str:
    lines = textwrap.wrap(NOT_GRADED, 100, drop_whitespace=False)
    text = "\n".join(f"    {line!r}" for line in lines)
    return f"### {HIDDEN_BEGIN}\nraise RuntimeError(\n{text}\n)\n### {HIDDEN_END}"


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
    """The steps of generate_assignment in nbgrader 0.9.6's own order, with ours among them.

    A whole list, because nbgrader reads its configuration several times and an insertion would be repeated.
    """
    return [
        nbgrader.IncludeHeaderFooter,
        nbgrader.InstantiateTests,
        nbgrader.LockCells,
        ClearToStub,
        DropTopLevelStub,
        nbgrader.ClearOutput,
        nbgrader.CheckCellMetadata,
        FailClosed,
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
    config.CourseDirectory.source_directory = "solutions"
    config.CourseDirectory.release_directory = "exercises"
    return config
