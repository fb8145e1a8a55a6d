"""Which question `grader check --watch` shows: the one that the student works on, wherever in the lesson it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.student.tally import Lesson, Tally

DONE = ("passed", "partly_run")
Key: TypeAlias = tuple[str, str]  # a lesson's file and a question
Words: TypeAlias = list[tuple[str, str]]  # status and message of each check; lines of code move with other questions


@dataclass
class Focus:
    """What was shown last, and what the checks said then."""

    _shown: Key | None = None
    _said: dict[Key, Words] = field(default_factory=dict)

    def after(self, lessons: Sequence[Lesson]) -> tuple[Lesson | None, Tally | None]:
        """The lesson and the question to show: one that a save has changed and that is not right, else the one shown
        before as long as it is not done, else the first of the lesson.
        """
        tallies = {(lesson.source, id): tally for lesson in lessons for id, tally in lesson.tallies.items()}
        left = [key for key, tally in tallies.items() if tally.said and tally.status not in DONE]
        changed = (key for key in left if self._changed(key, tallies[key]))
        kept = self._shown if self._shown in left else None
        self._shown = next(changed, kept)
        readable = {lesson.source for lesson in lessons if not lesson.problem}
        self._said |= {key: _words(tally) for key, tally in tallies.items() if key[0] in readable}
        if self._shown is not None:
            return next(one for one in lessons if one.source == self._shown[0]), tallies[self._shown]
        lesson = next((lesson for lesson in lessons if not lesson.complete), None)
        return lesson, lesson.next if lesson is not None else None

    def _changed(self, key: Key, tally: Tally) -> bool:
        """Whether the checks say something else than before of what is written."""
        return key in self._said and tally.status != "not_attempted" and self._said[key] != _words(tally)


def _words(tally: Tally) -> Words:
    return [(said.status, said.message) for said in tally.in_order]
