"""What a notebook says of a question: the first check that does not hold, a picture of it, and the one next step."""

from __future__ import annotations

from collections.abc import Iterator

from grader.student.card import Card
from grader.student.heat import Heat, not_drawn
from grader.student.picture import Drawing, Part
from grader.student.tally import Tally, points_text, spoken_name
from grader.student.work import UNWRITTEN

MEND = "Mend that cell and run it; then run this check again."


def question_card(tally: Tally, drawing: Drawing | None = None, stopped: str = "") -> Card:
    """The whole of one question, with what its picture's call gave where it can be drawn. `stopped` says that the
    student's last change has not come into force: then what the checks say is of something that is left behind.
    """
    if stopped:
        return Card(_heading(tally), tally.word, [stopped], step=MEND)
    card = Card(_heading(tally), tally.word, list(_lines(tally)))
    if tally.missed is not None:
        card.hint = tally.question.hint
        card.step = _step(tally, drawing)
    # A picture in which all is right beside a check that fails would read like praise; one with a difference beside
    # checks that hold is of a function that gave something else when it was called again.
    if drawing is not None and (tally.missed is None) == (drawing.first_wrong is None):
        card.title, card.tables = _pictured(drawing)
        card.lines += not_drawn(drawing.shown.yours)
    return card


def overview_card(tally: Tally) -> Card:
    """One of many questions: its heading, and what is wrong where something is."""
    wrong = tally.missed if tally.status != "not_attempted" else None
    return Card(_heading(tally), tally.word, [wrong.message] if wrong is not None else [])


def _heading(tally: Tally) -> str:
    return f"{tally.question.heading} — {points_text(tally.question.points)}"


def _lines(tally: Tally) -> Iterator[str]:
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
    if missed.name and missed.name not in tally.question.names:
        return f"Write {spoken_name(missed.name)} first; then run this check again."
    if missed.status == "not_attempted":
        write = "Write" if missed.message.endswith(UNWRITTEN) else "If it is not there, write"
        return f"{write} {name} in the cell above and run it; then run this check again."
    if missed.place:
        return f"Look at {missed.place[0].lower()}{missed.place[1:]}"  # "Line 3: …" of a live notebook
    begin = drawing.begin() if drawing is not None else ""
    return begin or f"Change {name} in the cell above and run it; then run this check again."


def _pictured(drawing: Drawing) -> tuple[str, list[Heat]]:
    """What is drawn, in words, and the tables: one where all is right, yours and the expected one where not."""
    part = drawing.shown
    thing = f"{part.name} of `{drawing.call}`" if part.name else f"`{drawing.call}`"
    if drawing.first_wrong is None:
        return f"{thing}: your {'weights' if part.is_weights else 'result'}, as expected", [_heat(part, is_yours=True)]
    differs = "" if part.differs is None or not bool(part.differs.any()) else ", what differs is marked"
    return f"{thing}{differs}:", [_heat(part, "yours", is_yours=True), _heat(part, "expected")]


def _heat(part: Part, caption: str = "", is_yours: bool = False) -> Heat:
    numbers, marked = (part.yours, part.differs) if is_yours else (part.expected, None)
    shape = f", shape {list(numbers.shape)}" if part.differs is None else ""
    largest = 1.0 if part.is_weights else max(float(part.expected.abs().max()), 1e-9)
    return Heat(numbers, f"{caption}{shape}", part.is_weights, part.is_weights and is_yours, marked, largest)
