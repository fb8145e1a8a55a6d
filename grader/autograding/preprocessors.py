"""The parts that nbgrader's configuration names: how a submission is read, and what takes the place of `Execute`."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors.base import NbGraderPreprocessor
from sqlalchemy.exc import SQLAlchemyError
from traitlets import Enum, Float, Integer, default

from grader.autograding.cell_scores import question_outputs, tested_outputs
from grader.autograding.class_run import ClassRun
from grader.autograding.course import UNFINISHED, Course
from grader.autograding.order import GradedFolder, Order, Page, RanCell
from grader.errors import CourseError
from grader.markdown import unmarked
from grader.questions import question_of, visible
from grader.report.html import submission_html
from grader.sandbox.isolation import Requested, choose, warning
from grader.wording import printable


class NotGraded(NbGraderException):
    """A student whom nbgrader must leave without a grade, and why: it goes on with the next, and ends with 1."""


class _Sentences(logging.Filter):
    """nbgrader logs a traceback for every student who could not be graded; ours says it in a sentence."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = str(record.msg)
        _, ours, said = text.rpartition(f"{NotGraded.__module__}.{NotGraded.__name__}: ")
        if text.startswith("Traceback") and ours:
            record.msg = said.strip()
        return True


NO_LIMIT = 3600.0  # seconds for a cell where nbgrader has none: something must end an endless loop
SENTENCES = _Sentences()  # one, as a logger takes the same filter only once


class SubmissionExporter(NotebookExporter):
    """Reads a submitted notebook whatever its state, so that no file stops the class or loses its student.

    nbgrader makes one for each run, which is when the class of the run is known. It has two passes over a notebook:
    the first reads what was submitted, the second what the first has written.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self.class_run: ClassRun | None = None
        self.log.addFilter(SENTENCES)
        try:
            self.course = Course(self.parent)
            self.course.prepare()
        except CourseError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        except SQLAlchemyError as error:
            said = str(error).splitlines()[0]
            self.log.error("The gradebook cannot be used: %s. Look at c.CourseDirectory.db_url.", said)
            raise NbGraderException(said) from error

    def _class_of(self, assignment: str) -> ClassRun:
        """The class that is being graded. Whoever nbgrader will come to is begun with when it comes to the first."""
        if self.class_run is None or self.class_run.assignment != assignment:
            if self.class_run is not None:
                self.class_run.close()
            folders = self.course.folders(assignment)
            step = GradeInSandbox(parent=self)  # type: ignore[no-untyped-call]  # knows what is configured
            try:
                order = step.order(self.course, assignment, len(folders))
            except CourseError as error:
                raise NotGraded(str(error)) from error
            what = "submission" if len(folders) == 1 else "submissions"
            self.log.info("Grading %s %s of %s with up to %s jobs", len(folders), what, assignment, order.jobs)
            self.class_run = ClassRun(order, folders)
        return self.class_run

    def from_filename(self, filename: str, resources: Any = None, **_: Any) -> Any:
        """As nbconvert does, but a submitted file is read, repaired, graded and run by us.

        Nothing is validated on the way, as nbconvert would four times: what we make is valid.
        """
        here = resources["nbgrader"]
        resources = self._init_resources({**resources, "metadata": {"name": here["notebook"], "path": ""}})  # type: ignore[no-untyped-call]
        if self.course.is_autograded(filename):
            notebook = nbformat.v4.reads(Path(filename).read_text(encoding="utf-8"))  # type: ignore[no-untyped-call]
            notebook.metadata.pop(UNFINISHED, None)
        else:
            plain = self.graded(here).pages[here["notebook"]].notebook
            plain["metadata"][UNFINISHED] = True
            plain["metadata"]["kernelspec"] = self.course.kernelspec(here["assignment"], here["notebook"])
            notebook = nbformat.from_dict(plain)  # type: ignore[no-untyped-call]
        for step in self._preprocessors:
            notebook, resources = step(notebook, resources)
        return nbformat.v4.writes(notebook) + "\n", resources  # type: ignore[no-untyped-call]

    def graded(self, here: dict[str, str]) -> GradedFolder:
        """What grading gave for the student of `here`, nbgrader's words for where it is. The first call starts
        the whole class. Raises NotGraded where it gave nothing.
        """
        assignment, student = here["assignment"], here["student"]
        graded = self._class_of(assignment).pick_up(self.course.submitted(assignment, student))
        if problem := graded.problem or _our_mistake(graded):
            raise NotGraded(f"{student} could not be graded: {problem}")
        return graded


class GradeInSandbox(NbGraderPreprocessor):
    """Takes the place of Execute: questions are graded by the answer key, other cells run as in a kernel.

    Students' code runs in a sandbox, in another process; the first notebook of a run starts it for the whole class.
    """

    jobs = Integer(0, min=0, help="Submissions graded at once; 0: as many as there are cores.").tag(config=True)
    isolation = Enum(["auto", "strict", "process"], "auto", help="As of `grader grade --isolation`.").tag(config=True)
    timeout = Float(min=0.1, help="Seconds for a cell where no answer key says it. Default: Execute's.").tag(
        config=True
    )

    @default("timeout")
    def _timeout_default(self) -> float:
        configured = [self.config[name].get("timeout", 30) for name in ("Execute", "ExecutePreprocessor")]
        seconds = next((value for value in configured if value != 30), 30)
        return float(seconds) if seconds and seconds > 0 else NO_LIMIT

    def order(self, course: Course, assignment: str, submissions: int) -> Order:
        """How an assignment is graded, as configured. Raises CourseError."""
        requested = cast(Requested, self.isolation)
        isolation = choose(requested, Path(course.root))
        if told := warning(requested, isolation, Path(course.root)):
            self.log.warning(told)
        keys = course.keys(assignment)
        return Order(
            course=course.root,
            assignment=assignment,
            notebooks=course.source(assignment),
            source_folder=course.source_folder(assignment),
            excluded=course.excluded(assignment),
            ignored=course.ignored,
            submissions=submissions,
            jobs=self.jobs or os.cpu_count() or 1,
            isolation=isolation,
            seconds=self.timeout,
            keys=keys,
            lesson=course.lesson(assignment) if keys else "",
        )

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Fill in the outputs and scores of all code cells, and the notes about the submission at the top."""
        if not isinstance(self.parent, SubmissionExporter):
            raise NbGraderException(
                "GradeInSandbox needs c.Autograde.exporter_class = SubmissionExporter: load course_config.py as "
                "nbgrader_config.py does, which sets both."
            )
        here = resources["nbgrader"]
        graded = self.parent.graded(here)
        page = graded.pages[here["notebook"]]
        questions = graded.result["questions"] if graded.result else []
        try:
            _fill(nb, page, {question["id"]: question for question in questions})
        except ValueError as error:
            raise NotGraded(f"{error}: run `grader release {here['assignment']}`, then autograde again.") from error
        notes = list(dict.fromkeys([*page.notes, *(graded.result["messages"] if graded.result else [])]))
        for note in notes:
            self.log.warning("%s: %s", here["student"], printable(note))
        if graded.result:
            self.log.info("%s: %g of %g points", here["student"], graded.result["score"], graded.result["max_score"])
        if top := submission_html(questions, notes):
            nb.cells.insert(0, nbformat.v4.new_markdown_cell(top))  # type: ignore[no-untyped-call]
        return nb, resources


def _fill(nb: Any, page: Page, questions: Mapping[str, dict[str, Any]]) -> None:
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    for cell, ran in zip(code, page.cells, strict=True):
        _fill_cell(cell, ran, questions)


def _fill_cell(cell: Any, ran: RanCell, questions: Mapping[str, dict[str, Any]]) -> None:
    """Give a code cell its outputs, in which nbgrader finds its score."""
    outputs: list[dict[str, Any]] = ran.outputs
    meta = cell.metadata.get("nbgrader", {})
    id = meta.get("grade_id") if meta.get("grade") and not meta.get("solution") else None
    if id is not None and id in questions and question_of(cell.source) == id:
        cell.source = visible(cell.source).strip()
        outputs = question_outputs(questions[id], float(meta["points"]), ran.execution_count)
    elif id is not None:
        outputs = tested_outputs(outputs, float(meta["points"]))
    cell.execution_count = ran.execution_count
    cell.outputs = [nbformat.from_dict(output) for output in outputs]  # type: ignore[no-untyped-call]


def _our_mistake(graded: GradedFolder) -> str:
    """Why a question has no grade, if one has none: nbgrader then keeps no score at all, and says so."""
    asked = graded.result["questions"] if graded.result else []
    return next((unmarked(str(one["feedback"])) for one in asked if one["status"] == "grader_error"), "")
