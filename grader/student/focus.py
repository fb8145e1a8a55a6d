"""Which question `grader check --watch` shows: the one that the student works on, wherever in the lesson it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from grader.student.tally import Lesson, Tally

Place: TypeAlias = tuple[str, str]  # the name of a lesson's file in either form, and a question
Outcomes: TypeAlias = list[tuple[str, str]]  # status and message of each check; lines of code move with other questions


@dataclass
class Focus:
    """The question that was worked on last, if one was, and what the checks said of all."""

    _worked_on: Place | None = None
    _outcomes: dict[Place, Outcomes] = field(default_factory=dict)

    def after(self, lessons: Sequence[Lesson]) -> tuple[Lesson | None, Tally | None]:
        """What to show after the checks: a lesson that cannot be read; else the question that was worked on and is not
        done; else the first of the first lesson that is not complete.
        """
        readable = [lesson for lesson in lessons if not lesson.problem]
        self._look(readable)
        left = [(lesson, tally) for lesson in readable for tally in lesson.left]
        shown = [(lesson, tally) for lesson, tally in left if _place(lesson, tally) == self._worked_on]
        if len(readable) == len(lessons) and shown:
            return shown[0]
        lesson = next((lesson for lesson in lessons if lesson.problem or not lesson.complete), None)
        return lesson, lesson.next if lesson is not None else None

    def _look(self, readable: Sequence[Lesson]) -> None:
        """Learn from what has changed since the last look; a file that could not be read meanwhile says nothing."""
        left = [_place(lesson, tally) for lesson in readable for tally in lesson.left]
        every = [(lesson, tally) for lesson in readable for tally in lesson.tallies.values()]
        outcomes = {_place(lesson, tally): _outcomes(tally) for lesson, tally in every}
        changed = [place for place in left if self._outcomes.get(place, outcomes[place]) != outcomes[place]]
        changed = [place for place in changed if any(status != "not_attempted" for status, _ in outcomes[place])]
        if self._worked_on in outcomes and self._worked_on not in left:
            self._worked_on = None  # it is done
        if changed and self._worked_on not in changed:
            self._worked_on = changed[0]
        self._outcomes |= outcomes


def _place(lesson: Lesson, tally: Tally) -> Place:
    return Path(lesson.source).stem, tally.id


def _outcomes(tally: Tally) -> Outcomes:
    return [(said.status, said.message) for said in tally.in_order]
