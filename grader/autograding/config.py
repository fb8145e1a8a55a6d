"""What a course's nbgrader_config.py loads: with it, nbgrader's own commands grade with us.

nbgrader reads a configuration several times for a command, so whole lists are set and nothing is inserted.
"""

from __future__ import annotations

import fnmatch
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, IgnorePattern, LimitOutput
from sqlalchemy.exc import SAWarning
from traitlets.log import get_logger

from grader.autograding.feedback_page import FeedbackExporter
from grader.autograding.preprocessors import GradeInSandbox, SubmissionExporter
from grader.autograding.scores import SaveScores
from grader.errors import CourseError
from grader.releasing.clear import settings
from grader.releasing.forms import finish
from grader.releasing.register import path_with_programs
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
    c.GenerateFeedback.exporter_class = FeedbackExporter
    # Feedback pages and formgrader show students' HTML to others.
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.filters = {"clean_html": clean_html, "strip_files_prefix": clean_text_cell}
    os.environ["PATH"] = path_with_programs()
    CourseDirectory.fail = _no_time  # type: ignore[attr-defined]
    # nbgrader's gradebook warns of its own way to add a submission; nobody can do anything about it
    warnings.filterwarnings("ignore", "Object of type .* not in session", category=SAWarning)


def _finished(release: str) -> Callable[..., None]:
    """What nbgrader calls in the course's folder when it has released an assignment: the script is written, too."""

    def finish_released(assignment: str, **_: object) -> None:
        for folder in sorted(Path(release).iterdir()):
            try:
                if fnmatch.fnmatchcase(folder.name, assignment) or folder.name == assignment:
                    finish(folder)
            except CourseError as error:  # nbgrader would not say it
                get_logger().error("%s", error)

    return finish_released


def _no_time(places: CourseDirectory, message: str) -> None:
    """What nbgrader's course calls, and does not have, for a timestamp.txt that holds no time: there is none then."""
    places.log.warning("%s: it is taken as if there were none.", message)
