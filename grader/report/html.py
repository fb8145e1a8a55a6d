"""One question's feedback as HTML and as plain text. What a student wrote is escaped, never run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from grader.markdown import escaped, unmarked
from grader.report.example import example_html, example_text
from grader.results import Example

GREEN, AMBER, RED, GREY = "#2e9e5b", "#c98a00", "#d1495b", "#8a8a8a"
EDGES = {"passed": GREEN, "partial": AMBER, "not_attempted": GREY, "grader_error": GREY}
# No links, no pictures, no HTML: a message may quote what a student wrote.
MARKDOWN = MarkdownIt("zero").enable(["emphasis", "backticks", "list", "escape", "balance_pairs"])


def question_html(question: dict[str, Any]) -> str:
    """A box with an edge in the colour of the status; it needs no style sheet."""
    shown = _example(question)
    told = markdown_html(question["feedback"]) + (example_html(shown) if shown else "")
    return _box(EDGES.get(question["status"], RED), told)


def question_text(question: dict[str, Any]) -> str:
    """The same words without marks."""
    shown = _example(question)
    told = unmarked(str(question["feedback"]))
    return f"{told}\n\n{example_text(shown)}" if shown else told


def _example(question: dict[str, Any]) -> Example | None:
    return Example(**question["example"]) if question.get("example") else None


def markdown_html(text: str) -> str:
    """Our markdown as HTML; HTML in it is shown as text."""
    return str(MARKDOWN.render(text)).strip()


def submission_html(questions: Sequence[dict[str, Any]], notes: Sequence[str]) -> str:
    """What stands above a graded notebook: notes about it, and links to the questions that are not right yet.

    It is one HTML block, which a markdown cell can hold; "" if there is nothing to say.
    """
    open_questions = [question for question in questions if question["status"] != "passed"]
    nothing = bool(questions) and all(question["status"] == "not_attempted" for question in questions)
    parts = [_listed("About this submission", [_inline(escaped(note)) for note in notes])] if notes else []
    if nothing:
        parts.append("<b>Nothing is attempted yet.</b>")
    elif open_questions:
        parts += _next_steps(open_questions)
    elif questions:
        parts.append("<b>Every question is right.</b>")
    return _box(GREY if open_questions or notes else GREEN, "".join(parts)) if parts else ""


def _next_steps(questions: Sequence[dict[str, Any]]) -> list[str]:
    """The first question that was tried and is not right, with its cause; the others in one line each."""
    first = next((question for question in questions if question["status"] != "not_attempted"), questions[0])
    paragraphs = str(first["feedback"]).split("\n\n")
    step = "<br>".join([_link(first), *map(_inline, paragraphs[1:2])])
    others = [_link(question) for question in questions if question is not first]
    after = [_listed("Then, in the order of the lesson", others)] if others else []
    return [_listed("To mend first", [step]), *after]


def _link(question: dict[str, Any]) -> str:
    first = str(question["feedback"]).partition("\n")[0]
    return f'<a href="#{escape(question["id"])}">{_inline(first)}</a>'


def _listed(head: str, items: Sequence[str]) -> str:
    return f"<b>{escape(head)}</b><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _inline(text: str) -> str:
    return str(MARKDOWN.renderInline(" ".join(text.split())))


def _box(edge: str, inner: str) -> str:
    # the classes keep MathJax from reading dollar signs of a student's message as formulas
    box = f'class="tex2jax_ignore mathjax_ignore" style="border-left: 4px solid {edge}; padding: 2px 12px"'
    return f"<div {box}>{inner}</div>"
