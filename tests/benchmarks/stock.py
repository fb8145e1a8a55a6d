"""Lesson 10 as an author would write it for stock nbgrader: each question's cell has hidden asserts.

They compare with what the reference gives on a few inputs, all or nothing. Without them stock nbgrader would have
nothing to grade, and would be faster than it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import torch

from grader.key import AnswerKey, load_key
from grader.key.code import CodeQuestion
from grader.key.draw import shown_draw
from grader.key.values import ChoicePart, NumberPart
from grader.questions import question_of

HIDDEN = "{check}\n### BEGIN HIDDEN TESTS\n{tests}\n### END HIDDEN TESTS"


def write_hidden_asserts(solutions: Path, assignment: str) -> None:
    """Put asserts into the question cells of every notebook of `solutions/assignment`."""
    key = load_key(solutions / "keys", assignment)
    for path in (solutions / assignment).glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            id = question_of(cell.source) if cell.cell_type == "code" else None
            if id is not None:
                cell.source = HIDDEN.format(check=cell.source, tests="\n".join(_asserts(key, id)))
        nbformat.write(notebook, path)


def _asserts(key: AnswerKey, id: str) -> Iterator[str]:
    question = next(question for question in key.questions if question.id == id)
    if isinstance(question, CodeQuestion):
        yield from _calls(question)
        return
    for part in question.parts:
        if isinstance(part, NumberPart):
            yield f"torch.testing.assert_close(torch.as_tensor({part.name}).double().flatten(),"
            yield f"    torch.tensor({_plain(part.expected)}).double().flatten(), atol=1e-4, rtol=0)"
        elif isinstance(part, ChoicePart):
            yield f"assert {part.name} == {part.right!r}"
        else:
            yield f"assert torch.as_tensor({part.name}).isfinite().all()"


def _calls(question: CodeQuestion) -> Iterator[str]:
    check = question.checks[0]
    for probe in list(question.probes(check, shown_draw(question.id, check.name)))[:3]:
        arguments = ", ".join(_plain(argument) for argument in probe.arguments)
        expected = ", ".join(_plain(tensor) for tensor in probe.expected.tensors.values())
        yield f"_given = {question.id}({arguments})"
        yield "_given = _given if isinstance(_given, tuple) else (_given,)"
        yield f"torch.testing.assert_close(_given, ({expected},))"


def _plain(value: Any) -> str:
    """A value as code that makes it again."""
    if isinstance(value, torch.Tensor):
        return f"torch.tensor({value.tolist()}, dtype={value.dtype})"
    return repr(value.values if hasattr(value, "values") else value)
