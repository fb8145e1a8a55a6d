"""`grader hint`: a question back, in place of an answer. Hints stand in the public test file, beside the checks."""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.errors import CourseError
from grader.student.folder import changed, exercise
from grader.student.tally import Question, points_text
from grader.wording import printable

ID = re.compile(r"[A-Za-z0-9_-]+(\(\))?")


def hint_command(words: Sequence[str]) -> int:
    """Print the hint of a question, `words` being its id, the folder of the exercise, both, or nothing.

    0: a hint was shown, or nothing is left to do; 1: there is none to show. Raises CourseError.
    """
    asked, path = _understood(words)
    _, files = exercise(path, f"hint {asked}" if asked else "hint")
    if not asked:
        return _next(files)
    table = {id: question for file in files for id, question in _table(file).items()}
    return _show(_found(asked, table))


def _understood(words: Sequence[str]) -> tuple[str, Path]:
    """The id, "" for none, and the folder."""
    if len(words) > 2:
        raise CourseError("One question at a time: grader hint ID, or grader hint ID FOLDER.")
    if len(words) == 2:
        return words[0], Path(words[1])
    is_id = bool(words) and ID.fullmatch(words[0]) is not None and not Path(words[0]).exists()
    return (words[0], Path()) if is_id else ("", Path(*words))


def _table(file: Path) -> dict[str, Question]:
    """The questions of a test file. Raises CourseError where it cannot be run."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise CourseError(changed(file.name))
    module = importlib.util.module_from_spec(spec)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            spec.loader.exec_module(module)
        return dict(module.QUESTIONS)
    except KeyboardInterrupt:
        raise
    except BaseException:  # what ends a module may be no Exception, such as pytest.skip()
        raise CourseError(changed(file.name)) from None


def _found(asked: str, table: Mapping[str, Question]) -> Question:
    """The question of this id, or that asks for this name: the checks name what is written, not ids."""
    if asked in table:
        return table[asked]
    known = {id.casefold(): id for id in table}
    known |= {name.casefold(): id for id, question in table.items() for name in question.names}
    wanted = asked.removesuffix("()").casefold()
    if wanted in known:
        return table[known[wanted]]
    close = dict.fromkeys(known[name] for name in difflib.get_close_matches(wanted, known, n=3, cutoff=0.5))
    ask = f"did you mean {' or '.join(close)}?" if close else f"the questions are {', '.join(table)}."
    raise CourseError(f'There is no question "{printable(asked)}" here: {ask}')


def _next(files: Sequence[Path]) -> int:
    from grader.student.running import run_checks  # pytest and torch, and only now

    checked = run_checks(files)
    if checked.problem:
        raise CourseError(checked.problem)
    for lesson in checked.lessons:
        if lesson.problem:
            _say(f"{lesson.problem} Mend that first; then hints help.")
            return 1
        if lesson.next is not None:
            return _show(lesson.next.question)
    for lesson in checked.lessons:
        _say(lesson.closing())
    return 0


def _show(question: Question) -> int:
    title = f"{question.title}: " if question.title else ""
    _say(f"{title}{question.written}, {points_text(question.points)}", "bold")
    if not question.hint:
        _say("This question has no hint; its text in the exercise says what is asked for.")
        return 1
    _say(f"Ask yourself: {question.hint}")
    return 0


def _say(text: str, style: str = "") -> None:
    Console(highlight=False).print(Text(printable(text), style), soft_wrap=True)
