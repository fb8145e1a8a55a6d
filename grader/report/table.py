"""A class in the terminal: a line a student, then for each what is right, what is not, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.grading.feedback import HEADS, causes
from grader.markdown import unmarked
from grader.report.example import example_text
from grader.results import Example, QuestionResult, Result, Status
from grader.wording import printable

SIGNS: dict[Status, tuple[str, str]] = {
    "passed": ("●", "green"),
    "partial": ("◐", "yellow"),
    "failed": ("✗", "red"),
    "crashed": ("!", "red"),
    "timed_out": ("⧗", "red"),
    "not_attempted": ("·", "dim"),
    "grader_error": ("?", "magenta"),
}
MOST_DETAILED = 40  # students; a larger class is told by the table, and each student by their stored result


@dataclass(frozen=True)
class _Row:
    """What a student's line in the table takes: a whole result has a hundred times as many bytes."""

    student: str
    score: Text
    statuses: tuple[Status, ...]
    first: str


def show_class(console: Console, results: Iterable[Result], title: str) -> None:
    """Print the table, the legend and, for a class of usual size, every student's own lines."""
    rows: list[_Row] = []
    detailed: list[Result] = []
    for result in results:
        rows.append(_row(result))
        detailed = [*detailed, result] if len(rows) <= MOST_DETAILED else []
    if not rows:
        return
    for result in detailed:
        console.print(_student(result, examples=len(detailed) == 1))
    console.print(_table(rows, title))
    console.print(_legend(rows))
    if not detailed:
        console.print(Text("Each student's own lines: grade one folder, or read the stored result.", "dim"))


def _table(rows: Sequence[_Row], title: str) -> RenderableType:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, expand=True)
    table.padding = (0, 2, 0, 0)
    widest = min(max(len(row.student) for row in rows), 28)
    table.add_column("student", overflow="ellipsis", no_wrap=True, min_width=widest, max_width=28)
    asked = len(rows[0].statuses)
    questions = f"questions 1 to {asked}"
    table.add_column("score", justify="right", no_wrap=True, min_width=5)
    table.add_column(questions, no_wrap=True, min_width=max(len(questions), asked))
    table.add_column("first to mend", overflow="ellipsis", no_wrap=True, ratio=1)
    for row in rows:
        signs = Text("").join(Text(*SIGNS[status]) for status in row.statuses)
        table.add_row(Text(row.student), row.score, signs, Text(row.first))
    return table


def _row(result: Result) -> _Row:
    score = Text(f"{result.score:g}", "green" if result.score == result.max_score else "")
    if result.status == "grader_error":
        score = Text("?", "magenta")
    statuses = tuple(question.status for question in result.questions)
    return _Row(printable(result.student), score, statuses, printable(_first(result)))


def _first(result: Result) -> str:
    """The first question that is not right, and the sentence about it."""
    wrong = [question for question in result.questions if question.status not in ("passed", "not_attempted")]
    if wrong:
        return about(wrong[0])
    untouched = sum(question.status == "not_attempted" for question in result.questions)
    if untouched == len(result.questions):
        return result.messages[0] if result.messages else "nothing attempted yet"
    if untouched:
        return f"{untouched} not attempted yet"
    return result.messages[0] if result.messages else ""


def sentence(question: QuestionResult) -> str:
    """What is wrong with a question: the mistakes where they are named, else the causes of the first two names."""
    if question.mistakes:
        return " ".join(mistake.message for mistake in question.mistakes)
    if question.status == "grader_error":
        return unmarked(question.feedback).partition(": ")[2]
    told: dict[str, str] = {}
    for cause in causes(question.checks):
        told.setdefault(re.split(r"\W", cause)[0], cause)  # one for each name that it is about
    return " ".join(list(told.values())[:2])


def about(question: QuestionResult) -> str:
    """The question and what is wrong with it; a sentence that names the function needs no other head."""
    said = sentence(question)
    return said if said.startswith(question.title.rstrip(")")) else f"{question.title}: {said}"


def _student(result: Result, examples: bool) -> RenderableType:
    """The lines of one student; `examples`: with the small ones of wrong functions, which take a class too far."""
    head = Text.assemble(
        (printable(result.student), "bold"),
        f"  {result.score:g} of {result.max_score:g}",
        (f"  {printable(result.source)}", "dim"),
    )
    numbered = list(enumerate(result.questions, start=1))
    lines: list[RenderableType] = [head]
    said = [sentence(question).lower() for question in result.questions]
    news = [message for message in result.messages if not any(message.lower() in text for text in said)]
    lines += [_indented(Text(printable(message), "yellow")) for message in news]
    for status in ("passed", "not_attempted"):
        places = [number for number, question in numbered if question.status == status]
        if places:
            what = "everything" if len(places) == len(numbered) else _numbered(places)
            lines.append(_indented(Text.assemble((f"{SIGNS[status][0]} {HEADS[status]}: ", SIGNS[status][1]), what)))
    wrong = [(number, question) for number, question in numbered if question.status not in ("passed", "not_attempted")]
    for number, question in wrong[:1]:
        lines.append(_indented(_question(number, question)))
        lines += [_indented(Text(f"  Ask yourself: {question.hint}", "italic"))] if question.hint else []
        lines += [_shown(question.example)] if examples and question.example else []
    lines += [_indented(_in_one_line(_question(number, question))) for number, question in wrong[1:]]
    return Group(*lines, "")


def _in_one_line(text: Text) -> Text:
    """What comes after the next step is told in full when it is the next step."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _numbered(numbers: Sequence[int]) -> str:
    """`question 6`, `questions 1-4, 6, 8-16`: a run of three or more as its ends."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"question{'s' if len(numbers) > 1 else ''} {', '.join(shown)}"


def _question(number: int, question: QuestionResult) -> Text:
    sign, style = SIGNS[question.status]
    points = f", {question.score:g} of {question.max_score:g} points: "
    return Text.assemble((f"{sign} {number} {question.title}", style), points, printable(sentence(question)))


def _shown(example: Example) -> RenderableType:
    return Padding(Text(f"\n{example_text(example)}\n", no_wrap=True, overflow="ignore"), (0, 0, 0, 4), expand=False)


def _indented(text: Text) -> RenderableType:
    return Padding(text, (0, 0, 0, 2), expand=False)


def _legend(rows: Sequence[_Row]) -> Text:
    used = {status for row in rows for status in row.statuses}
    signs = [Text.assemble(SIGNS[status], f" {HEADS[status]}") for status in SIGNS if status in used]
    return Text("   ").join(signs)
