"""The process that grades a class for nbgrader: orders come in on standard input, results go out on standard output.

nbgrader's own process neither imports torch nor starts a worker. One JSON value a line: first the order, then one
folder a line; a line goes out for each folder as soon as it is graded. The end of the input ends everything.
"""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, cast

from grader.autograding.handed_in import files_beside, read_notebook, submitted_notebook
from grader.autograding.order import Graded, Order, Page, RanCell
from grader.autograding.outputs import not_graded
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
from grader.sandbox.isolation import Requested, choose, warning
from grader.sandbox.notebook_run import run_notebook
from grader.sandbox.sandbox import Limits, Sandbox, WorkerBroken


@dataclass
class Classroom:
    """What grading one assignment needs, made once: the key if there is one, and a sandbox a job."""

    order: Order
    plan: Plan
    grading: Grading | None
    sandboxes: queue.SimpleQueue[Sandbox] = field(default_factory=queue.SimpleQueue)
    made: list[Sandbox] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.made = [Sandbox(self.plan.isolation, self.plan.limits) for _ in range(self.plan.jobs)]
        for sandbox in self.made:
            self.sandboxes.put(sandbox)

    def grade(self, folder: Path) -> Graded:
        """Grade and run what stands in a student's folder. Whatever goes wrong is told in the answer."""
        try:
            with self._sandbox() as sandbox:
                return self._graded(folder, sandbox)
        except (WorkerBroken, CourseError) as error:
            return Graded(str(folder), problem=str(error))
        except Exception as error:
            return Graded(str(folder), problem=f"{type(error).__name__}: {error}")

    def end(self) -> None:
        """Stop everything that runs."""
        for sandbox in self.made:
            sandbox.end()

    @contextmanager
    def _sandbox(self) -> Iterator[Sandbox]:
        sandbox = self.sandboxes.get()
        try:
            yield sandbox
        finally:
            self.sandboxes.put(sandbox)

    def _graded(self, folder: Path, sandbox: Sandbox) -> Graded:
        notebooks = self.order.notebooks
        result, counted = None, None
        with ExitStack() as open_while_read:
            if self.grading is not None:
                entry = open_while_read.enter_context(_entry(self.order.assignment, folder, next(iter(notebooks))))
                graded = grade_entry(self.grading, entry, sandbox, self.plan)
                result = graded.result.to_json()
                counted = next((path for path in entry.paths if shown(path.name) == graded.result.source), None)
            made = {name: submitted_notebook(folder, name, known, notebooks) for name, known in notebooks.items()}
            if counted is not None:  # it may be the script, and it may have been renamed
                first = next(iter(notebooks))
                made[first] = read_notebook(counted, notebooks[first])
            pages = {name: self._page(notebook, folder, sandbox) for name, notebook in made.items()}
        return Graded(str(folder), result, pages)

    def _page(self, made: Repaired, folder: Path, sandbox: Sandbox) -> Page:
        source = None if self.grading else Path(self.order.source_folder)
        files = files_beside(folder, source, self.order.excluded, self.order.ignored)
        code = [cell for cell in made.notebook["cells"] if cell["cell_type"] == "code"]
        # a question is graded, and not run: it would only raise
        sources = ["" if self._asks(cell) else cell["source"] for cell in code]
        for cell in filter(self._asks, code):
            cell["outputs"] = [not_graded()]
        if made.empty:
            cells = [RanCell([not_graded(made.empty)], None) for _ in code]
        else:
            ran = run_notebook(sandbox, sources, files, self.order.seconds)
            cells = [RanCell(one.outputs, one.execution_count) for one in ran]
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


def main() -> None:
    """Serve until the input ends."""
    out = _own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nbgrader hears Ctrl-C, and then ends the input
    order = Order.from_json(json.loads(sys.stdin.readline()))
    os.chdir(order.course)
    lock = threading.Lock()

    def send(graded: Graded) -> None:
        with lock:
            out.write(json.dumps(graded.to_json()) + "\n")
            out.flush()

    try:
        classroom = _classroom(order)
    except CourseError as error:
        for line in sys.stdin:
            send(Graded(json.loads(line), problem=str(error)))
        return
    pool = ThreadPoolExecutor(order.jobs)
    for line in sys.stdin:
        pool.submit(lambda folder: send(classroom.grade(folder)), Path(json.loads(line)))
    pool.shutdown(wait=False, cancel_futures=True)
    classroom.end()
    os._exit(0)  # what is still being graded is for nobody


def _own_output() -> TextIO:
    """Standard output for answers alone: what else is printed goes where errors go."""
    out = cast(TextIO, os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    return out


def _classroom(order: Order) -> Classroom:
    import torch

    torch.set_num_threads(1)
    requested = cast(Requested, order.isolation)
    isolation = choose(requested)
    if told := warning(requested, isolation):
        print(told, file=sys.stderr)
    key = load_key(Path("solutions/keys"), order.assignment) if order.has_key else None
    grading = Grading(key, key.seconds) if key else None
    seconds = key.seconds if key else order.seconds
    return Classroom(
        dataclasses.replace(order, seconds=seconds),
        Plan(order.jobs, isolation, Limits(seconds), FOLDER),
        grading,
    )


if __name__ == "__main__":
    main()
