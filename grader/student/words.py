"""The lines that the terminal shows for a lesson's questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.student.tally import NOT_RUN, WORDS, Lesson, Status, Tally, points_text, spoken_name

COLOURS: dict[Status, str] = {
    "passed": "green",
    "failed": "red",
    "crashed": "red",
    "timed_out": "red",
    "not_attempted": "light",
    "begun": "yellow",
    "partly_run": "light",
    "not_reached": "light",
    "not_selected": "light",
}


FORM_ONLY = '"answered": its form is right; whether the answer is, grading will say.'


def columns(tallies: Sequence[Tally]) -> Iterator[tuple[Tally, str]]:
    """One line a question, in columns: status, what is written, points, and how many checks hold."""
    written = [short(tally.question.names) for tally in tallies]
    points = [points_text(tally.question.points) for tally in tallies]
    wide, worth = (max(map(len, column), default=0) for column in (written, points))
    for tally, names, value in zip(tallies, written, points, strict=True):
        yield tally, f"{tally.word:13}  {names:{wide}}  {value:>{worth}}  {_checks(tally)}".rstrip()


def not_run(lesson: Lesson) -> Iterator[str]:
    """A line for the questions that were not selected, and one for those that the run ended before."""
    for status in NOT_RUN:
        tallies = lesson.of(status)
        if tallies:
            names = short([tally.question.names[0] for tally in tallies])
            yield f"{WORDS[status]:13}  {names}  {points_text(sum(tally.question.points for tally in tallies))}"


def remarks(lesson: Lesson) -> Iterator[str]:
    """What stands below the questions: troubles that no check has told, and what "answered" means."""
    yield from lesson.open_notes()
    if any(tally.word == "answered" for tally in lesson.run):
        yield FORM_ONLY


def short(names: Sequence[str]) -> str:
    """`attention()`, `ROW_WEIGHTS, ROW_OUTPUT`, `SCORES_SHAPE and 2 more`: two names fit in a line."""
    if len(names) > 2:
        return f"{spoken_name(names[0])} and {len(names) - 1} more"
    return ", ".join(map(spoken_name, names))


def _checks(tally: Tally) -> str:
    if tally.status in ("passed", "not_attempted"):
        return ""
    left = tally.total - len(tally.said)
    return f"{tally.passed} of {len(tally.said)} checks hold" + (f", {left} not run" if left > 0 else "")
