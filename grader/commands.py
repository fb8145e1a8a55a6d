"""What `grader grade` does, step by step; the command line only reads options and exit codes."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grader.errors import CourseError
from grader.grading.grade import Grading
from grader.grading.jobs import Graded, Plan, grade_class
from grader.grading.store import FOLDER
from grader.key import AnswerKey, load_key
from grader.reading.discover import Discovery, discover
from grader.reading.lesson import question_notebook
from grader.report.lines import json_lines, json_list
from grader.report.output import output
from grader.report.table import show_class
from grader.results import Result
from grader.sandbox.isolation import Isolation, Requested, choose, warning
from grader.sandbox.limits import Limits, WorkerBroken
from grader.wording import printable

FORMATS = ("table", "json", "jsonl")
LATER = ("csv", "junit", "gradescope", "html")


@dataclass(frozen=True)
class Options:
    """The options of `grader grade`, as typed."""

    jobs: int | None = None
    format: str = "table"
    output: Path | None = None
    fresh: bool = False
    timeout: float | None = None
    isolation: Requested = "auto"
    quiet: bool = False


def grade_command(assignment: str, paths: Sequence[Path], options: Options) -> int:
    """Grade and report; the exit code of the contract. Raises CourseError."""
    if options.format in LATER:
        raise CourseError(f"--format {options.format} is not there yet; use one of {', '.join(FORMATS)}.")
    torch.set_num_threads(1)  # the jobs are threads: each would start as many again
    key = load_key(Path("solutions/keys"), assignment)
    stem = question_notebook(Path("solutions", assignment))
    isolation = choose(options.isolation, Path())
    seconds = options.timeout or key.seconds
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # half a character of a student's must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        with _stopped_as_by_hand():
            return _grade(key, seconds, discover(assignment, paths, stem), isolation, options)
    except WorkerBroken as error:
        _say(f"Nothing more can be graded, since {error}")
        return 1


@contextlib.contextmanager
def _stopped_as_by_hand() -> Iterator[None]:
    """SIGTERM and SIGHUP as Ctrl-C, so that nothing of the run stays behind."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has one
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _grade(key: AnswerKey, seconds: float, discovery: Discovery, isolation: Isolation, options: Options) -> int:
    with discovery as found, output(options.output) as out:
        if told := warning(options.isolation, isolation, Path()):
            _say(told)
        plan = Plan(
            options.jobs or os.cpu_count() or 1,
            isolation,
            Limits(seconds),
            FOLDER,
            options.fresh,
        )
        return _run(Grading(key, seconds), found, plan, options, out)


@dataclass
class _Count:
    """What the closing words and the exit code need of all that was graded."""

    graded: int = 0
    stored: int = 0
    faultless: list[float] = field(default_factory=list)  # seconds of CPU
    problems: list[str] = field(default_factory=list)

    def add(self, one: Graded) -> None:
        self.stored += one.stored
        self.graded += not (one.stored or one.problem)
        if one.faultless and not one.stored:
            self.faultless.append(one.cpu)
        if one.problem:
            self.problems.append(one.problem)


def _run(grading: Grading, found: Discovery, plan: Plan, options: Options, out: IO[str]) -> int:
    started = time.monotonic()
    count = _Count()
    with _progress(len(found.entries), options.quiet) as advance:
        stream = _counted(_stored_safely(grade_class(grading, found.entries, plan)), count, advance)
        try:
            _write(stream, options.format, grading.key, out)
            out.flush()
        except OSError as error:
            where = options.output or "standard output"
            raise CourseError(f"The results could not be written to {where}: {error.strerror}.") from error
    problems = [*found.problems, *count.problems]
    for problem in problems:
        _say(problem)
    if options.format == "table" and not options.quiet:
        _say(_closing(count, time.monotonic() - started, plan))
    return 1 if problems else 0


def _stored_safely(graded: Iterator[Graded]) -> Iterator[Graded]:
    try:
        yield from graded
    except OSError as error:
        raise CourseError(
            f"Results cannot be stored in {FOLDER}/: {error.strerror}. Nothing more was graded."
        ) from error


def _counted(graded: Iterable[Graded], count: _Count, advance: Callable[[], None]) -> Iterator[Result]:
    for one in graded:
        advance()
        count.add(one)
        yield one.result


def _write(results: Iterator[Result], format: str, key: AnswerKey, out: IO[str]) -> None:
    if format == "table":
        show_class(Console(file=out, highlight=False), results, f"{key.assignment} · {key.title}")
        return
    for piece in (json_list if format == "json" else json_lines)(results):
        out.write(piece)


@contextlib.contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Callable[[], None]]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda: None
        return
    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("grading", total=total)
        yield lambda: bar.advance(task)


def _closing(count: _Count, seconds: float, plan: Plan) -> str:
    text = f"{count.graded} graded in {seconds:.1f} s with {plan.jobs} {'job' if plan.jobs == 1 else 'jobs'}"
    text += f", {count.stored} unchanged since the last run" if count.stored else ""
    if count.faultless:
        text += f"; a submission without faults took {statistics.median(count.faultless):.3f} s of CPU"
    return f"{text} ({plan.isolation}). Stored in {plan.folder}/."


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr)
