"""What a course's nbgrader_config.py loads: with it, nbgrader's own commands grade with us.

nbgrader reads a configuration several times for a command, so whole lists are set and nothing is inserted.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import AssignLatePenalties, IgnorePattern, LimitOutput
from sqlalchemy.exc import SAWarning

from grader.autograding.scores import SaveScores
from grader.autograding.steps import GradeInSandbox, SubmissionExporter
from grader.releasing.clear import settings
from grader.releasing.forms import finish
from grader.report.clean import clean_html, clean_text_cell


def configure(c: Any, source: str = "solutions", release: str = "exercises", course: str = "course") -> None:
    """Set up `c`, the traitlets configuration of a course: its folders, and its name in nbgrader's gradebook.

    PostgreSQL refuses a course without a name, which is nbgrader's default.
    """
    c.merge(settings())
    c.CourseDirectory.course_id = course
    c.CourseDirectory.source_directory = source
    c.CourseDirectory.release_directory = release
    c.GenerateAssignment.post_convert_hook = _finished(release)
    c.Autograde.exporter_class = SubmissionExporter
    # The exporter repairs what it reads, so that there is nothing left to sanitize, and to check.
    c.Autograde.sanitize_preprocessors = []
    c.Autograde.autograde_preprocessors = [
        GradeInSandbox,
        IgnorePattern,
        ClearMetadataPreprocessor,
        LimitOutput,
        SaveScores,
        AssignLatePenalties,
    ]
    # Feedback pages and formgrader show students' HTML to others.
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.filters = {"clean_html": clean_html, "strip_files_prefix": clean_text_cell}
    _find_programs()
    # nbgrader's gradebook warns of its own way to add a submission; nobody can do anything about it
    warnings.filterwarnings("ignore", "Object of type .* not in session", category=SAWarning)


def _finished(release: str) -> Callable[..., None]:
    """What nbgrader calls in the course's folder when it has released an assignment: the script is written, too."""

    def finish_released(assignment: str, **_: object) -> None:
        for folder in Path(release).glob(assignment):
            finish(folder)

    return finish_released


def _find_programs() -> None:
    """For a new gradebook nbgrader starts `alembic`, which stands beside this Python and need not be on PATH."""
    beside = str(Path(sys.executable).parent)
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if beside not in places:
        os.environ["PATH"] = os.pathsep.join([*places, beside])
