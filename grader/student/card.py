"""What a notebook shows for a check: the same words as HTML and as plain text. All of it is escaped."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Protocol

from grader.student.heat import Heat, heats_html, heats_text, off_sums
from grader.student.picture import Drawing, Part
from grader.student.strip import EDGES, GREY, strip_html, strip_text
from grader.student.tally import Lesson, Tally, points_text
from grader.student.words import sign

DONE = ("passed", "answered")
LINE = "margin:.2em 0;white-space:pre-wrap"


@dataclass
class Card:
    """One thing that is said: a heading with its status in a word, sentences, lines as print() writes them, a picture,
    the next step, and a hint for those who ask for one.
    """

    heading: str = ""
    word: str = ""
    sign: str = ""
    lines: list[str] = field(default_factory=list)
    block: Sequence[str] = ()
    title: str = ""  # of the picture
    picture: Sequence[Heat] = ()
    step: str = ""
    hint: str = ""

    def html(self) -> str:
        """A box with a coloured edge; no style sheet is needed."""
        colour = EDGES.get(self.word, GREY)
        mark = f'<span aria-hidden="true" style="color:{colour}">{self.sign}</span> ' if self.sign else ""
        parts = [f"<div>{mark}<b>{_marked(self.heading)}</b> · {escape(self.word)}</div>"] if self.heading else []
        parts += [f'<div style="{LINE}">{_marked(line)}</div>' for line in self.lines]
        parts += [f'<pre style="margin:.3em 0">{escape(line)}</pre>' for line in self.block]
        if self.picture:
            title = [f'<div style="margin:.5em 0 0">{_marked(self.title)}</div>'] if self.title else []
            parts += [*title, heats_html(self.picture)]
        parts += [f'<div style="{LINE}"><b>→ {_marked(self.step)}</b></div>'] if self.step else []
        if self.hint:
            summary = '<summary style="cursor:pointer">Stuck? Ask yourself something</summary>'
            parts += [
                f'<details style="margin:.3em 0">{summary}<div style="{LINE}">{_marked(self.hint)}</div></details>'
            ]
        edge = f"border-left:4px solid {colour}" if self.heading else "margin-left:4px"
        return f'<div style="{edge};padding:.1em .8em;margin-top:.4em">{"".join(parts)}</div>'

    def text(self) -> str:
        """The card as lines; the hint is left to `grader hint`."""
        mark = f"{self.sign} " if self.sign else ""
        head = [f"{mark}{self.heading} · {self.word}"] if self.heading else []
        picture = [*filter(None, [self.title]), heats_text(self.picture)] if self.picture else []
        step = [f"→ {self.step}"] if self.step else []
        indent = "    " if self.heading else ""
        body = [textwrap.indent(line, indent) for line in (*self.lines, *self.block, *picture, *step)]
        return "\n".join([*head, *body])


@dataclass
class Progress:
    """The last lines: how far the lesson is, and the next step."""

    lesson: Lesson
    asked: Collection[str] = ()

    @property
    def closing(self) -> str:
        """Whoever asked about one question goes on with that."""
        left = (self.lesson.tallies[id] for id in self.asked if id in self.lesson.tallies)
        return self.lesson.closing(next((tally for tally in left if tally.status != "passed"), None))

    def html(self) -> str:
        """The boxes, and the sentence below them."""
        words = f'<div style="{LINE}">{_marked(self.closing)}</div>'
        return f'<div style="margin-left:4px;padding:.1em .8em">{strip_html(self.lesson, self.asked)}{words}</div>'

    def text(self) -> str:
        """The signs, and the sentence below them."""
        return f"{strip_text(self.lesson)}\n{self.closing}"


def said(*lines: str) -> Card:
    """A card of sentences only."""
    return Card(lines=[line for line in lines if line])


class Showable(Protocol):
    """What can be shown in a notebook and printed elsewhere."""

    def html(self) -> str: ...

    def text(self) -> str: ...


class Shown:
    """Cards and the like, one below the other; IPython asks for whichever form it can show."""

    def __init__(self, cards: Iterable[Showable]) -> None:
        self.cards = list(cards)

    @property
    def fine(self) -> bool:
        """Whether questions are shown, and nothing of them is left to be done."""
        words = [card.word for card in self.cards if isinstance(card, Card) and card.heading]
        return bool(words) and all(word in DONE for word in words)

    def _repr_html_(self) -> str:
        # the classes keep MathJax from reading dollar signs of a student's message as formulas
        cards = "".join(card.html() for card in self.cards)
        return f'<div class="tex2jax_ignore mathjax_ignore">{cards}</div>'

    def __repr__(self) -> str:
        return "\n".join(card.text() for card in self.cards)


def question_card(tally: Tally, drawing: Drawing | None = None) -> Card:
    """What the checks of one question said: the first that does not hold, and what is to be done."""
    question = tally.question
    card = Card(f"{question.heading} — {points_text(question.points)}", tally.word, _mark(tally), list(_lines(tally)))
    if tally.missed is not None:
        card.hint = question.hint
        card.step = _step(tally, drawing)
    if drawing is not None:
        card.title, card.picture = _pictured(drawing)
    return card


def overview_card(tally: Tally) -> Card:
    """One of many questions: its heading, and what is wrong where something is."""
    heading = f"{tally.question.heading} — {points_text(tally.question.points)}"
    wrong = tally.missed is not None and tally.status != "not_attempted"
    return Card(heading, tally.word, _mark(tally), [tally.missed.message] if wrong and tally.missed else [])


def _mark(tally: Tally) -> str:
    """The sign before a heading; none where nothing was checked."""
    return sign(tally) if tally.word in EDGES else ""


def _lines(tally: Tally) -> Iterable[str]:
    missed = tally.missed
    if missed is None:
        form_only = "The form is right. Whether the answer is, grading will say."
        count = f"{tally.total} public checks hold" if tally.total > 1 else "public check holds"
        yield form_only if tally.question.is_answer else f"Its {count}."
        return
    yield missed.message
    if missed.status != "not_attempted" and not tally.question.is_answer:
        yield f"Should hold: {missed.check.rstrip('.')}."
    if missed.status != "not_attempted" and tally.passed:
        yield f"{tally.passed} of {tally.total} checks hold."


def _step(tally: Tally, drawing: Drawing | None) -> str:
    """The one thing to do next for a question that is not done."""
    missed, name = tally.missed, tally.next_name
    if missed is None:
        return ""
    if missed.status == "not_attempted":
        return f"Write {name} in the cell above and run it; then run this check again."
    if missed.place:
        return f"Look at {missed.place[0].lower()}{missed.place[1:]}"  # "Line 3: …" of a live notebook
    if drawing is not None and drawing.wrong is not None:
        off = off_sums(drawing.wrong.yours) if drawing.wrong.is_weights else ""
        return f"{off}: begin there." if off else drawing.begin()
    return f"Change {name} in the cell above and run it; then run this check again."


def _pictured(drawing: Drawing) -> tuple[str, list[Heat]]:
    """What is drawn, in words, and the tables: one where all is right, yours and the expected one where not."""
    part = drawing.shown
    thing = f"`{drawing.call}`" if not part.name else f"{part.name} of `{drawing.call}`"
    if drawing.wrong is None:
        whose = "your weights" if part.is_weights else "your result"
        return f"{thing}: {whose}, as in the text", [_heat(part, is_yours=True)]
    marked = "" if part.wrong is None else ", what differs is marked"
    return f"{thing}{marked}:", [_heat(part, "yours", is_yours=True), _heat(part, "expected")]


def _heat(part: Part, caption: str = "", is_yours: bool = False) -> Heat:
    numbers, wrong = (part.yours, part.wrong) if is_yours else (part.expected, None)
    shape = f", shape {list(numbers.shape)}" if part.wrong is None else ""
    return Heat(numbers, f"{caption}{shape}", part.is_weights, part.is_weights and is_yours, wrong, _largest(part))


def _largest(part: Part) -> float:
    return 1.0 if part.is_weights else max(float(part.expected.abs().max()), 1e-9)


def _marked(text: str) -> str:
    """Escaped, with what stands in backticks set as code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{piece}</code>" if index % 2 else piece for index, piece in enumerate(pieces))
