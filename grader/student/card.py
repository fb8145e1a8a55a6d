"""What a notebook shows for a check: the same words as HTML and as plain text. All of it is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

import torch

from grader.student.heat import heat_html, heat_text
from grader.student.tally import Tally, points_text

RED, GREEN, BLUE, AMBER, GREY = "#d1495b", "#2e9e5b", "#3b82c4", "#c98a00", "#8a8a8a"
EDGES = {
    "passed": GREEN,
    "answered": BLUE,  # not green: nobody has looked whether it is right
    "begun": AMBER,
    "failed": RED,
    "crashed": RED,
    "timed out": RED,
}
DONE = ("passed", "answered")


@dataclass
class Card:
    """One thing that is said: a heading with its status in a word, sentences, and weights to draw."""

    heading: str = ""
    word: str = ""
    lines: list[str] = field(default_factory=list)
    weights: torch.Tensor | None = None

    def html(self) -> str:
        """A box with a coloured edge; no style sheet is needed."""
        word = f' <span style="opacity:.75">· {escape(self.word)}</span>'
        parts = [f"<div><b>{_marked(self.heading)}</b>{word}</div>"] if self.heading else []
        parts += [f'<div style="margin:.2em 0;white-space:pre-wrap">{_marked(line)}</div>' for line in self.lines]
        parts += [heat_html(self.weights)] if self.weights is not None else []
        edge = f"border-left:4px solid {EDGES.get(self.word, GREY)}" if self.heading else "margin-left:4px"
        return f'<div style="{edge};padding:.1em .8em;margin-top:.4em">{"".join(parts)}</div>'

    def text(self) -> str:
        """The card as lines."""
        head = [f"{self.heading} · {self.word}"] if self.heading else []
        indent = "    " if self.heading else ""
        body = [f"{indent}{line}" for line in self.lines]
        return "\n".join([*head, *body, *([heat_text(self.weights)] if self.weights is not None else [])])


def said(*lines: str) -> Card:
    """A card of sentences only."""
    return Card(lines=[line for line in lines if line])


class Shown:
    """Cards one below the other; IPython asks for whichever form it can show."""

    def __init__(self, cards: Iterable[Card]) -> None:
        self.cards = list(cards)

    @property
    def fine(self) -> bool:
        """Whether questions are shown, and nothing of them is left to be done."""
        words = [card.word for card in self.cards if card.heading]
        return bool(words) and all(word in DONE for word in words)

    def _repr_html_(self) -> str:
        # the classes keep MathJax from reading dollar signs of a student's message as formulas
        cards = "".join(card.html() for card in self.cards)
        return f'<div class="tex2jax_ignore mathjax_ignore">{cards}</div>'

    def __repr__(self) -> str:
        return "\n".join(card.text() for card in self.cards)


def question_card(tally: Tally) -> Card:
    """What the checks of one question said: the first that does not hold, and what is to be done."""
    question = tally.question
    title = f"{question.title}: " if question.title else ""
    heading = f"{title}{question.written} — {points_text(question.points)}"
    return Card(heading, tally.word, list(_lines(tally)))


def _lines(tally: Tally) -> Iterable[str]:
    missed = tally.missed
    if missed is None:
        form_only = "The form is right. Whether the answer is, grading will say."
        count = f"{tally.total} public checks hold" if tally.total > 1 else "public check holds"
        yield form_only if tally.question.is_answer else f"Its {count}."
        return
    yield missed.message
    if missed.place:
        yield missed.place
    if missed.status != "not_attempted" and not tally.question.is_answer:
        yield f"Should hold: {missed.check.rstrip('.')}."
    if missed.status != "not_attempted" and tally.passed:
        yield f"{tally.passed} of {tally.total} checks hold."


def _marked(text: str) -> str:
    """Escaped, with what stands in backticks set as code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{piece}</code>" if index % 2 else piece for index, piece in enumerate(pieces))
