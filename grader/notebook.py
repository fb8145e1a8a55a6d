"""What the lesson's notebook calls: `check("attention")`, `reveal(guess, result)`, `show_weights(attention, Q, K, V)`
and `show_walkthrough()`.

None of them raises in a student's notebook: they learn nothing from a traceback of ours.
"""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from grader.observing.calling import safely_described
from grader.observing.cells import message_of
from grader.observing.compare import named_parts, spoken
from grader.observing.outcome import Finding
from grader.student.card import Card, Progress, Shown, said
from grader.student.folder import test_files
from grader.student.guess import guess_card
from grader.student.heat import Heat, not_drawn
from grader.student.limit import time_limit
from grader.student.page import Page
from grader.student.picture import Drawing, Picture, drawn, off_sums
from grader.student.question_card import MEND, overview_card, question_card
from grader.student.record import Work
from grader.student.running import Checked, run_checks, unseen
from grader.student.signs import PLAIN
from grader.student.stopped import StoppedCell, stopped_cell
from grader.student.tally import Lesson, Tally
from grader.student.verdict import verdict
from grader.student.words import remarks
from grader.student.work import IN_WORKER, SECONDS, NotAttempted, StudentFunction, StudentWork, work_of
from grader.wording import OUR_MISTAKE, capital, first_line

VALIDATED = 76  # characters; nbgrader validate cuts off what is longer
OTHERS = 1.0  # seconds for a check of a question that was not asked about


class NotYet(Exception):
    """Tells `nbgrader validate`, which looks for exceptions alone, that something is left to do."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the words, and no traceback of ours."""
        return str(self).splitlines()


def check(*ids: str) -> None:
    """Run the public checks of these questions, or of all, on what the notebook has defined so far.

    Raises NotYet, and that only where `nbgrader validate` runs the notebook.
    """
    if os.environ.get(IN_WORKER):
        return
    names = _names(sys._getframe(1))
    shown = _show(lambda: _checked(tuple(map(_id, ids)), names))
    if os.environ.get("NBGRADER_EXECUTION") == "validate" and not shown.fine:
        lines = repr(shown).splitlines()
        raise NotYet("\n".join(textwrap.fill(line, VALIDATED, subsequent_indent="    ") for line in lines))


def show_weights(weights: Any, q: Any = None, k: Any = None, v: Any = None) -> None:
    """Draw weights as a coloured table: a tensor, or what an attention function returns third for q, k, v."""
    if os.environ.get(IN_WORKER):
        return
    names = _names(sys._getframe(1))
    _show(lambda: _weights(weights, (q, k, v), names))


def reveal(guess: Any, *results: Any) -> None:
    """Show results below what the student expected of them, once they have: as long as the guess is None, ask for it.

    Results are shown as print() would; whether a guess in numbers is near is said.
    """
    if not os.environ.get(IN_WORKER):
        _show(lambda: Shown([guess_card(guess, results)]))


def show_walkthrough() -> None:
    """Show the lesson's walkthrough.html in a frame below the cell."""
    if os.environ.get(IN_WORKER):
        return
    names = _names(sys._getframe(1))
    _show(lambda: _walkthrough(names))


def _names(caller: FrameType) -> dict[str, Any]:
    """What the notebook has defined; in a script that is run as it is, what the script has."""
    shell = _shell()
    return caller.f_globals if shell is None else shell.user_ns


def _shell() -> Any:
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def _id(asked: Any) -> str:
    """The id of a question; `check(attention)` means the same to whoever writes it."""
    name = asked if isinstance(asked, str) else getattr(asked, "__name__", None)
    return first_line(name, 60) if isinstance(name, str) else f"something of type {type(asked).__name__}"


def _show(make: Callable[[], Shown]) -> Shown:
    try:
        shown = make()
    except KeyboardInterrupt:
        shown = Shown([said("The check was interrupted.")])
    except BaseException as error:
        shown = Shown([said(f"{OUR_MISTAKE} {type(error).__name__}: {message_of(error)}")])
    if _shell() is None:
        _print(repr(shown))
        return shown
    from IPython.display import display

    display(shown)  # type: ignore[no-untyped-call]
    return shown


def _print(text: str) -> None:
    """On whatever standard output is: one with few letters, or one that nobody reads any more."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    plain = text if encoding.lower().startswith("utf") else text.translate(PLAIN)
    with contextlib.suppress(BrokenPipeError):
        print(plain.encode(encoding, "replace").decode(encoding))


def _checked(ids: tuple[str, ...], names: dict[str, Any]) -> Shown:
    files = _files(names)
    if not files:
        return _elsewhere()
    works: dict[Path, Work] = {}

    def live(path: Path) -> Work:
        return works.setdefault(path, Work(f"{path.stem.removeprefix('test_')}.ipynb", names))

    def limit(question: str) -> float:
        return SECONDS if question in ids or not ids else OTHERS

    checked = run_checks(files, live, limit)
    if checked.problem:
        return Shown([said(checked.problem)])
    return _cards(ids, checked, StudentWork(next(iter(works.values()))))


def _elsewhere() -> Shown:
    here = f"{Path.cwd().name} holds no public checks (test_*.py)"
    return Shown([said(f"{here}: open the notebook in the folder of the exercise, beside its test file.")])


def _walkthrough(names: dict[str, Any]) -> Shown:
    files = _files(names)
    if not files:
        return _elsewhere()
    page = files[0].parent / "walkthrough.html"
    if not page.is_file():
        return Shown([said("walkthrough.html is not beside this file: download the exercise again to see it.")])
    return Shown([Page(page.name, page.read_text(encoding="utf-8", errors="replace"))])


def _files(names: dict[str, Any]) -> list[Path]:
    """The test files beside the notebook; some editors start it elsewhere, and students change folders."""
    beside = [Path(str(names[name])).parent for name in ("__vsc_ipynb_file__", "__file__") if names.get(name)]
    started = [Path(str(folder)) for folder in names.get("_dh", ())[:1]]  # IPython's history of folders
    folders = [Path.cwd(), *beside, *started]
    return next((files for folder in folders if (files := test_files(folder))), [])


def _cards(ids: tuple[str, ...], checked: Checked, student: StudentWork) -> Shown:
    tallies = {key: tally for lesson in checked.lessons for key, tally in lesson.tallies.items()}
    unknown = [id for id in ids if id not in tallies]
    if unknown:
        return Shown([said(f'There is no question "{unknown[0]}" here. The questions are: {", ".join(tallies)}.')])
    declared = [table for module in checked.modules if isinstance(table := getattr(module, "PICTURES", None), dict)]
    pictures = {id: one for table in declared for id, one in table.items() if isinstance(one, Picture)}
    stopped = stopped_cell(_shell())
    cards = [_question(tallies[id], pictures.get(id), student, stopped) for id in ids]
    cards = cards or [card for lesson in checked.lessons for card in _overview(lesson, stopped)]
    return Shown([*cards, *(Progress(lesson, ids) for lesson in checked.lessons)])


def _question(tally: Tally, picture: Picture | None, student: StudentWork, stopped: StoppedCell) -> Card:
    told = stopped.told(tally.question.names)
    return question_card(tally, None if told else _drawing(picture, tally, student), told)


def _overview(lesson: Lesson, stopped: StoppedCell) -> Iterator[Card]:
    told = stopped.told([name for tally in lesson.tallies.values() for name in tally.question.names])
    yield from [said(told, MEND)] if told else []
    yield from map(overview_card, lesson.tallies.values())
    yield from map(said, remarks(lesson))


def _drawing(picture: Picture | None, tally: Tally, student: StudentWork) -> Drawing | None:
    """What the student's function calculates for the picture, where it can be drawn; the checks say the rest."""
    if picture is None or tally.status == "not_attempted":
        return None
    try:
        # the checks have shown no prints either
        with unseen(), time_limit(SECONDS, work_of(student).owns):
            returned = picture.make(student)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None
    return drawn(picture, returned)


def _weights(weights: Any, inputs: tuple[Any, Any, Any], names: dict[str, Any]) -> Shown:
    if callable(weights) and not isinstance(weights, torch.Tensor):
        if any(given is None for given in inputs):
            return Shown([said("Give it queries, keys and values as well: show_weights(attention, Q, K, V).")])
        weights = _called(weights, getattr(weights, "__name__", "the function"), inputs, names)
        if isinstance(weights, Shown):
            return weights
    tree = safely_described(weights)
    if tree.tensor is None:
        return Shown([said(f"Weights are a table of numbers; {spoken(tree)} cannot be drawn.")])
    if not tree.tensor.numel():
        return Shown([said(f"The weights have shape {list(tree.tensor.shape)}; there is nothing to draw.")])
    off = off_sums(tree.tensor)
    lines = [f"{capital(off)}, so these are not weights over the positions read."] if off else []
    return Shown([Card(lines=[*lines, *not_drawn(tree.tensor)], tables=[Heat(tree.tensor)])])


def _called(function: Any, name: str, inputs: tuple[Any, Any, Any], names: dict[str, Any]) -> Any:
    """The third thing that the function returns, or what to show in its place."""
    student = StudentWork(Work("", names))
    try:
        with time_limit(SECONDS, work_of(student).owns):
            returned = StudentFunction(student, name, function)(*inputs)
    except NotAttempted as signal:
        return Shown([said(f"{signal} When it is, its weights stand here.")])
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Shown([said(*verdict(error, student)[1:])])
    found = named_parts(safely_described(returned), ("output", "scores", "weights"), f"{name}(q, k, v)")
    return Shown([said(found.message)]) if isinstance(found, Finding) else returned[2]
