"""How far a student is, in one line: a box for each question of the lesson, in its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from html import escape

from grader.student.tally import Lesson, Tally
from grader.student.words import sign

RED, GREEN, AMBER, GREY = "#d1495b", "#2e9e5b", "#c98a00", "#8a8a8a"
EDGES = {
    "passed": GREEN,
    "answered": GREEN,  # as in the terminal; the sign is hollow, since nobody has looked whether it is right
    "begun": AMBER,
    "failed": RED,
    "crashed": RED,
    "timed out": RED,
}
BOX = (
    "display:inline-block;min-width:2.1em;padding:.1em .25em;margin:0 .25em .25em 0;text-align:center;border-radius:3px"
)


def strip_html(lesson: Lesson, asked: Collection[str]) -> str:
    """Numbered boxes with a sign each; those of the questions that were asked about are thicker."""
    tallies = enumerate(lesson.tallies.values(), 1)
    boxes = "".join(_box(number, tally, tally.id in asked) for number, tally in tallies)
    return (
        f'<div role="img" aria-label="{escape(_spoken(lesson))}" style="margin-top:.3em;line-height:1.6">{boxes}</div>'
    )


def _box(number: int, tally: Tally, is_asked: bool) -> str:
    edge = f"border:1px solid {EDGES.get(tally.word, GREY)};border-bottom-width:4px"
    weight = f"font-weight:bold;box-shadow:0 0 0 2px {EDGES.get(tally.word, GREY)}" if is_asked else ""
    title = escape(f"{number}  {tally.question.heading}: {tally.word}")
    return f'<span title="{title}" style="{BOX};{edge};{weight}">{number}&thinsp;{sign(tally)}</span>'


def _spoken(lesson: Lesson) -> str:
    """`Questions 1 to 16: 3 passed, 13 not attempted`."""
    counts = Counter(tally.word for tally in lesson.tallies.values())
    return f"Questions 1 to {len(lesson.tallies)}: {', '.join(f'{count} {word}' for word, count in counts.items())}"


def strip_text(lesson: Lesson) -> str:
    """The signs alone: `●●✗○····`."""
    return "".join(map(sign, lesson.tallies.values()))
