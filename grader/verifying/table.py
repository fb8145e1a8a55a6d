"""What was verified, in the terminal: for each question mistakes × checks, and then what holds and what does not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.key.code import CodeCheck, CodeQuestion
from grader.key.steps import Mistake
from grader.verifying.mistakes import is_named, named_with
from grader.verifying.proof import Proof
from grader.verifying.rehearsal import Rehearsal
from grader.verifying.tolerances import Margin
from grader.verifying.verify import Verified
from grader.wording import counted, joined, printable

FAILS, PASSES, SOMETIMES = ("✗", "red"), ("·", "dim"), ("~", "yellow")
HOLDS, NOT = ("●", "green"), ("✗", "red")


def show(console: Console, verified: Verified) -> None:
    """Print the tables of all code questions, then the proofs, what is wrong last."""
    key = verified.key
    console.print(Text(f"{key.assignment} · {key.title}", "bold"))
    for rehearsal, margins in verified.measured:
        console.print(_question(rehearsal, margins))
    if verified.measured:
        console.print(_legend())
    for proof in sorted(verified.proofs, key=lambda proof: not proof.holds):
        console.print(_proof(proof))
    console.print(_summary(verified))


def _question(rehearsal: Rehearsal, margins: Sequence[Margin]) -> RenderableType:
    question = rehearsal.question
    head = f"{question.title}  {question.points:g} points, {counted(len(question.mistakes), 'mistake')}"
    tables: list[RenderableType] = [_mistakes(rehearsal), ""] if question.mistakes else []
    return Group("", Text(printable(head), "bold"), *tables, _checks(question, margins))


def _mistakes(rehearsal: Rehearsal) -> Table:
    table = _plain_table()
    checks = rehearsal.question.checks
    table.add_column("mistake", overflow="ellipsis", no_wrap=True)
    table.add_column(" ".join(str(number) for number in range(1, len(checks) + 1)), no_wrap=True)
    table.add_column("named", overflow="fold")
    for mistake in rehearsal.question.mistakes:
        table.add_row(Text(mistake.name), _marks(rehearsal, mistake, checks), _named(rehearsal, mistake))
    return table


def _marks(rehearsal: Rehearsal, mistake: Mistake, checks: Sequence[CodeCheck]) -> Text:
    """A sign for each check, each as wide as the number above it."""
    times = rehearsal.fails(mistake)
    marks = []
    for number, check in enumerate(checks, start=1):
        count = times[check.name]
        sign, style = PASSES if not count else FAILS if count == rehearsal.draws else SOMETIMES
        marks.append(Text(sign.rjust(len(str(number))), style))
    return Text(" ").join(marks)


def _named(rehearsal: Rehearsal, mistake: Mistake) -> Text:
    if not is_named(rehearsal, mistake):
        return Text(*NOT)
    others = {one.name for one in named_with(rehearsal, mistake) if one.message != mistake.message}
    return Text.assemble(HOLDS, f" or {joined(sorted(others))}" if others else "")


def _checks(question: CodeQuestion, margins: Sequence[Margin]) -> Table:
    """The legend of the columns, with each check's tolerance, the spread of right answers and the nearest mistake."""
    table = _plain_table()
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("check", ratio=1)
    for figure in ("tolerance", "spread", "nearest"):
        table.add_column(figure, justify="right", no_wrap=True)
    for number, check in enumerate(question.checks, start=1):
        own = [margin for margin in margins if margin.check == check.name]
        figures = [list(_figures(margin, len(own) > 1)) for margin in own] or [[]]
        for place, row in enumerate(figures):
            head = ["", ""] if place else [str(number), printable(check.name)]
            table.add_row(*map(Text, head), *row)
    return table


def _figures(margin: Margin, with_dtype: bool) -> Iterator[Text]:
    dtype = f"{margin.dtype} ".removeprefix("torch.") if with_dtype else ""
    yield Text.assemble((dtype, "dim"), _short(margin.tolerance))
    yield Text(_short(margin.spread), "" if margin.above_spread else "red")
    yield Text(_short(margin.nearest) if margin.mistake else "–", "" if margin.below_mistakes else "red")


def _legend() -> Text:
    marks = Text("   ").join(
        [
            Text.assemble(FAILS, " fails the check"),
            Text.assemble(PASSES, " passes it"),
            Text.assemble(SOMETIMES, " on some inputs"),
            Text.assemble(HOLDS, " named when made"),
        ]
    )
    spread = "spread: how far right answers lie apart   nearest: the closest mistake"
    return Text.assemble("\n", marks, "\n", (spread, "dim"), "\n")


def _proof(proof: Proof) -> RenderableType:
    if proof.left_out:
        return Text.assemble(("– ", "dim"), printable(f"{proof.says}: not tried, {proof.left_out}"))
    tried = f" ({proof.tried})" if proof.tried else ""
    head = Text.assemble(HOLDS if proof.holds else NOT, f" {proof.says}", (tried, "dim"))
    told = [_indented(Text(printable(failure))) for failure in proof.failures]
    notes = [_indented(Text(printable(note), "dim")) for note in proof.notes]
    return Group(head, *told, *notes)


def _summary(verified: Verified) -> Text:
    tried = [proof for proof in verified.proofs if not proof.left_out]
    holding = sum(proof.holds for proof in tried)
    left_out = len(verified.proofs) - len(tried)
    text = f"{holding} of {counted(len(tried), 'proof')} {'holds' if holding == 1 else 'hold'}"
    text += f" for {verified.key.assignment}" + (f"; {left_out} could not be tried yet" if left_out else "")
    return Text(f"\n{text}.", "bold green" if verified.holds else "bold red")


def _plain_table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")


def _indented(text: Text) -> RenderableType:
    return Padding(text, (0, 0, 0, 4), expand=False)


def _short(number: float) -> str:
    """Two digits at most: 1e-6, 3.1e-8, 0.05, 12."""
    if not math.isfinite(number):
        return "∞"
    if number == 0:
        return "0"
    if 1e-3 <= number < 1e3:
        return f"{number:.2g}"
    digits, power = f"{number:.1e}".split("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"
