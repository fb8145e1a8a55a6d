"""What an exception that ended a public check says to the student."""

from __future__ import annotations

from grader.observing.cells import message_of
from grader.student.limit import OutOfTime
from grader.student.places import place_of_frame, place_of_name, sentence
from grader.student.tally import Status
from grader.student.work import StudentFault, StudentWork, asked_of, crash, work_of


def verdict(error: BaseException, student: StudentWork | None) -> tuple[Status, str, str]:
    """The status, a sentence, and the place to look at ("" where there is none)."""
    if isinstance(error, StudentFault):
        return error.status, str(error), error.place
    if student is None:
        return "failed", f"This check could not begin. {sentence(type(error).__name__, message_of(error))}", ""
    crashed = crash(student, error)
    if crashed is not None:
        return "crashed", *crashed
    asked = asked_of(student)
    where = place_of_name(work_of(student), asked) if asked else ""
    if isinstance(error, AssertionError):
        # pytest puts the values behind what the assert itself says
        said = message_of(error).partition("\nassert ")[0]
        return "failed", said if not said.startswith("assert ") else f"This does not hold: {said[7:]}", where
    if isinstance(error, OutOfTime):
        return "timed_out", f"{asked}(): {error}.", place_of_frame(work_of(student), error)
    what = sentence(type(error).__name__, message_of(error))
    return "failed", f"The check could not use what {asked} gave: {what}", where
