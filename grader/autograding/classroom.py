"""Grade and run the submissions of one assignment for nbgrader: what the class process does, folder by folder."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from grader.autograding.cell_scores import not_graded
from grader.autograding.handed_in import files_beside, read_notebook, submitted_notebook
from grader.autograding.order import GradedFolder, Order, Page, RanCell
from grader.autograding.repair import Repaired
from grader.errors import CourseError
from grader.grading.grade import Grading
from grader.grading.jobs import Plan, grade_entry
from grader.grading.store import FOLDER
from grader.key import load_key
from grader.questions import question_of
from grader.reading.discover import discover
from grader.reading.entry import Entry
from grader.reading.names import shown
from grader.sandbox.isolation import Isolation
from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.notebook_run import run_notebook
from grader.sandbox.pool import Sandboxes
from grader.sandbox.sandbox import Sandbox


@dataclass
class Classroom:
    """What grading one assignment needs, made once. `grading` is there if the assignment has an answer key."""

    order: Order
    plan: Plan
    sandboxes: Sandboxes
    grading: Grading | None

    def grade(self, folder: Path) -> GradedFolder:
        """Grade and run what stands in a student's folder. Whatever goes wrong is told in the answer."""
        try:
            with self.sandboxes.lent() as sandbox:
                return self._graded(folder, sandbox)
        except (WorkerBroken, CourseError) as error:
            return GradedFolder(str(folder), problem=str(error))
        except Exception as error:
            traceback.print_exc()  # on nbgrader's terminal: it is our mistake
            return GradedFolder(str(folder), problem=f"{type(error).__name__}: {error}")

    def _graded(self, folder: Path, sandbox: Sandbox) -> GradedFolder:
        notebooks = self.order.notebooks
        result, counted = None, None
        with ExitStack() as open_while_read:
            if self.grading is not None:
                entry = open_while_read.enter_context(_entry(self.order.assignment, folder, self.order.lesson))
                graded = grade_entry(self.grading, entry, sandbox, self.plan)
                result = graded.result.to_json()
                counted = next((path for path in entry.paths if shown(path.name) == graded.result.source), None)
            made = {name: submitted_notebook(folder, name, known, notebooks) for name, known in notebooks.items()}
            lesson = self.order.lesson
            if counted is not None:  # it may be the script, and it may have been renamed
                made[lesson] = read_notebook(counted, notebooks[lesson])
            elif result is not None:  # nothing could be read, and the result says why
                made[lesson] = replace(made[lesson], notes=())
            pages = {name: self._page(notebook, folder, sandbox) for name, notebook in made.items()}
        return GradedFolder(str(folder), result, pages)

    def _page(self, made: Repaired, folder: Path, sandbox: Sandbox) -> Page:
        # a lesson with a key runs as `grader grade` runs it, without what lies beside the solutions
        source = None if self.grading else Path(self.order.source_folder)
        files = files_beside(folder, source, self.order.excluded, self.order.ignored)
        code = [cell for cell in made.notebook["cells"] if cell["cell_type"] == "code"]
        # a question is graded, and not run: it would only raise
        sources = ["" if self._asks(cell) else cell["source"] for cell in code]
        if made.empty:
            return Page(made.notebook, list(made.notes), [RanCell([not_graded(made.empty)], None) for _ in code])
        cells = [
            RanCell([not_graded()] if self._asks(cell) else ran.outputs, ran.execution_count)
            for cell, ran in zip(code, run_notebook(sandbox, sources, files, self.order.seconds), strict=True)
        ]
        for cell, ran in zip(code, cells, strict=True):
            cell["outputs"] = ran.outputs if self._asks(cell) else []
        return Page(made.notebook, list(made.notes), cells)

    def _asks(self, cell: dict[str, Any]) -> bool:
        """Whether a cell asks a question of the key."""
        id = question_of(cell["source"])
        return self.grading is not None and any(id == question.id for question in self.grading.key.questions)


@contextmanager
def _entry(assignment: str, folder: Path, stem: str) -> Iterator[Entry]:
    """The one entry of a student's folder `…/STUDENT/ASSIGNMENT`, even if there is nothing in it."""
    try:
        with discover(assignment, [folder], stem) as found:
            if len(found.entries) == 1:
                yield found.entries[0]
                return
    except CourseError:
        pass
    yield Entry(folder.parent.name, str(folder), problem=f"No {stem}.ipynb and no {stem}.py was handed in.")


def classroom(order: Order, isolation: Isolation, sandboxes: Sandboxes) -> Classroom:
    """Everything that grading needs, in the course's folder. Raises CourseError for a key that does not load."""
    torch.set_num_threads(1)
    key = load_key(Path(order.keys), order.assignment) if order.keys else None
    seconds = key.seconds if key else order.seconds
    limits = sandboxes.limits = Limits(seconds)
    plan = Plan(order.jobs, isolation, limits, FOLDER)
    return Classroom(replace(order, seconds=seconds), plan, sandboxes, Grading(key, seconds) if key else None)
