"""How far a student is, in one line: a box for each question of the lesson, in its order."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from html import escape

from grader.student.signs import look_of
from grader.student.tally import Lesson, Tally

BOX = (
    "display:inline-block;min-width:2.1em;padding:.1em .25em;margin:0 .25em .25em 0;text-align:center;border-radius:3px"
)
UNFINISHED = "not checked to its end"


def strip_html(lesson: Lesson, asked: Collection[str]) -> str:
    """Numbered boxes with a sign each; those of the questions that were asked about are thicker."""
    tallies = enumerate(lesson.tallies.values(), 1)
    boxes = "".join(_box(number, tally, asked) for number, tally in tallies)
    label = escape(_spoken(lesson, asked))
    return f'<div role="img" aria-label="{label}" style="margin-top:.3em;line-height:1.6">{boxes}</div>'


def strip_text(lesson: Lesson, asked: Collection[str]) -> str:
    """The signs alone: `●●✗○····`."""
    return "".join(look_of(_word(tally, asked)).sign for tally in lesson.tallies.values())


def _word(tally: Tally, asked: Collection[str]) -> str:
    """The status; others than those asked about have less time, and are not blamed for it."""
    others = bool(asked) and tally.id not in asked
    return UNFINISHED if others and tally.status == "timed_out" else tally.word


def _box(number: int, tally: Tally, asked: Collection[str]) -> str:
    word = _word(tally, asked)
    look = look_of(word)
    edge = f"border:1px solid {look.edge};border-bottom-width:4px"
    weight = f"font-weight:bold;box-shadow:0 0 0 2px {look.edge}" if tally.id in asked else ""
    title = escape(f"{number}  {tally.question.heading}: {word}")
    return f'<span title="{title}" style="{BOX};{edge};{weight}">{number}&thinsp;{look.sign}</span>'


def _spoken(lesson: Lesson, asked: Collection[str]) -> str:
    """`Questions: 1 to 3 passed, 4 failed, 5 to 16 not attempted`."""
    numbered = enumerate((_word(tally, asked) for tally in lesson.tallies.values()), 1)
    groups = [
        (word, [number for number, _ in group]) for word, group in itertools.groupby(numbered, lambda one: one[1])
    ]
    said = (f"{_range(numbers)} {word}" for word, numbers in groups)
    return f"Questions: {', '.join(said)}"


def _range(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
