"""What a notebook shows, as HTML and as plain text, in the same words. All of it is escaped."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Protocol

from grader.student.heat import Heat, heats_html, heats_text
from grader.student.signs import NOTHING, look_of
from grader.student.strip import strip_html, strip_text
from grader.student.tally import Lesson
from grader.wording import printable

DONE = ("passed", "answered")
LINE = "margin:.2em 0;white-space:pre-wrap"


class Showable(Protocol):
    """What can be shown in a notebook and printed elsewhere."""

    def html(self) -> str: ...

    def text(self) -> str: ...


@dataclass
class Card:
    """One thing that is said: a heading with its status in a word, sentences, lines as print() writes them, a title and
    tables, the next step, and a hint for those who ask for one.
    """

    heading: str = ""
    word: str = ""
    lines: list[str] = field(default_factory=list)
    block: Sequence[str] = ()
    title: str = ""
    tables: Sequence[Heat] = ()
    step: str = ""
    hint: str = ""

    def html(self) -> str:
        """A box with a coloured edge; no style sheet is needed."""
        look = look_of(self.word)
        mark = f'<span aria-hidden="true" style="color:{look.edge}">{look.sign}</span> ' if look != NOTHING else ""
        parts = [f"<div>{mark}<b>{marked(self.heading)}</b> · {escape(self.word)}</div>"] if self.heading else []
        parts += [f'<div style="{LINE}">{marked(line)}</div>' for line in self.lines]
        parts += [f'<pre style="margin:.3em 0">{escape(line)}</pre>' for line in self.block]
        parts += [f'<div style="margin:.5em 0 0">{marked(self.title)}</div>'] if self.title else []
        parts += [heats_html(self.tables)] if self.tables else []
        parts += [f'<div style="{LINE}"><b>→ {marked(self.step)}</b></div>'] if self.step else []
        if self.hint:
            summary = '<summary style="cursor:pointer">Stuck? Ask yourself something</summary>'
            parts += [
                f'<details style="margin:.3em 0">{summary}<div style="{LINE}">{marked(self.hint)}</div></details>'
            ]
        edge = f"border-left:4px solid {look.edge}" if self.heading else "margin-left:4px"
        return f'<div style="{edge};padding:.1em .8em;margin-top:.4em">{"".join(parts)}</div>'

    def text(self) -> str:
        """The card as lines; the hint is left to `grader hint`."""
        look = look_of(self.word)
        mark = f"{look.sign} " if look != NOTHING else ""
        head = [f"{mark}{self.heading} · {self.word}"] if self.heading else []
        tables = [heats_text(self.tables)] if self.tables else []
        step = [f"→ {self.step}"] if self.step else []
        indent = "    " if self.heading else ""
        body = (*self.lines, *self.block, *filter(None, [self.title]), *tables, *step)
        return "\n".join([*head, *(textwrap.indent(line, indent) for line in body)])


@dataclass
class Progress:
    """The last lines: how far the lesson is, and the next step."""

    lesson: Lesson
    asked: Collection[str] = ()

    @property
    def closing(self) -> str:
        """Whoever asked about one question goes on with that."""
        asked = (self.lesson.tallies[id] for id in self.asked if id in self.lesson.tallies)
        return self.lesson.closing(next((tally for tally in asked if tally.status != "passed"), None))

    def html(self) -> str:
        """The boxes, and the sentence below them."""
        words = f'<div style="{LINE}">{marked(self.closing)}</div>'
        return f'<div style="margin-left:4px;padding:.1em .8em">{strip_html(self.lesson, self.asked)}{words}</div>'

    def text(self) -> str:
        """The signs, and the sentence below them."""
        return f"{strip_text(self.lesson, self.asked)}\n{self.closing}"


def said(*lines: str) -> Card:
    """A card of sentences only."""
    return Card(lines=[line for line in lines if line])


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
        return printable(f'<div class="tex2jax_ignore mathjax_ignore">{cards}</div>')

    def __repr__(self) -> str:
        return printable("\n".join(card.text() for card in self.cards))


def marked(text: str) -> str:
    """Escaped, with what stands in backticks set as code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{piece}</code>" if index % 2 else piece for index, piece in enumerate(pieces))
