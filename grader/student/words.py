"""The lines that the terminal shows for a lesson's questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.student.signs import look_of
from grader.student.tally import NOT_RUN, WORDS, Lesson, Tally, points_text, spoken_name

FORM_ONLY = '"answered": its form is right; whether the answer is, grading will say.'


def columns(lesson: Lesson) -> Iterator[tuple[str, Tally | None, str]]:
    """A line a question, in columns: status, what is written, points, and how many checks hold; then a line for all
    questions that were not selected, and one for those that the run ended before. Each with its colour in the terminal.
    """
    groups = [(tally.status, [tally]) for tally in lesson.run]
    groups += [(status, lesson.of(status)) for status in NOT_RUN if lesson.of(status)]
    written = [_written(tallies) for _, tallies in groups]
    wide, worth = (max(map(len, column)) for column in zip(*written, strict=True))
    for (status, tallies), (names, points) in zip(groups, written, strict=True):
        tally = tallies[0] if status not in NOT_RUN else None
        word, checks = (tally.word, _checks(tally)) if tally is not None else (WORDS[status], "")
        yield look_of(word).colour, tally, f"{word:13}  {names:{wide}}  {points:>{worth}}  {checks}".rstrip()


def _written(tallies: Sequence[Tally]) -> tuple[str, str]:
    """The names of one question, or the first names of several; and their points."""
    names = tallies[0].question.names if len(tallies) == 1 else [tally.question.names[0] for tally in tallies]
    return short(names), points_text(sum(tally.question.points for tally in tallies))


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
