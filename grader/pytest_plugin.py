"""pytest for a student's folder: `student` is their work, stubs are skipped, failures are sentences.

It does nothing for tests without `@pytest.mark.question("id")`. Such a test's file defines QUESTIONS, a table of
`grader.public.Question` by id. `pytest --tb=long` shows tracebacks in place of the sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.student.ending import Ending, failure_text
from grader.student.tally import Lesson, Question, Said, Status, Tally, to_plain

if TYPE_CHECKING:
    from grader.student.record import Work
    from grader.student.work import StudentWork

WORKS = pytest.StashKey[dict[Path, "Work | str"]]()  # by test file; a text says why there is none
LIMIT = pytest.StashKey[Callable[[str], float]]()  # seconds for a check of a question
FOUND = pytest.StashKey[dict[str, tuple[Path, str]]]()  # by id of a check: its file and its question
SELECTED = pytest.StashKey[dict[str, tuple[Path, str]]]()  # of these, what is to be run
LAST = 10  # lines of a failed check's own output that are shown


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and stand ready for what the checks will say."""
    config.addinivalue_line("markers", "question(id): the question of the lesson that a public check belongs to")
    config.stash.setdefault(WORKS, {})
    config.stash[FOUND], config.stash[SELECTED] = {}, {}
    if not hasattr(config, "workerinput"):  # xdist's workers report to the process that prints
        config.pluginmanager.register(Ending(config, config.stash[FOUND]), "grader-ending")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Note every check of a file before --lf, -k or the id of one check leaves any out."""
    report = yield
    items = [one for one in report.result or () if isinstance(one, pytest.Item)]
    collector.config.stash[FOUND].update(_asking(items))
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Whatever shuffled them: what comes first in the lesson is the next step, with -x too.

    A check of a question that the file does not have is its author's mistake.
    """
    for item in items:
        question = _question(item)
        if question and question not in _table(item):
            known = ", ".join(_table(item)) or "none"
            raise pytest.UsageError(f"{item.nodeid}: question {question!r} is not in QUESTIONS (known: {known})")
    yield
    if items and all(_question(item) for item in items):
        items.sort(key=lambda item: (str(item.path), list(_table(item)).index(_question(item)), _order(item)))


def _order(item: pytest.Item) -> tuple[int, ...]:
    """Where a check stands in its file: its line, and the place of its case."""
    cases = getattr(item, "callspec", None)
    return (item.reportinfo()[1] or 0, *(cases.indices.values() if cases else ()))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which checks are to be run."""
    session.config.stash[SELECTED] = _asking(session.items)


def _asking(items: Iterable[pytest.Item]) -> dict[str, tuple[Path, str]]:
    return {item.nodeid: (item.path, question) for item in items if (question := _question(item))}


@pytest.fixture
def student(request: pytest.FixtureRequest) -> StudentWork:
    """The student's work beside this test file: test_attention.py asks attention.ipynb or attention.py."""
    from grader.student.work import StudentFault, StudentWork, load_work

    works, path = request.config.stash[WORKS], request.path
    names = {name for question in _table(request.node).values() for name in question.names}
    if path not in works:
        try:
            works[path] = load_work(path.parent, path.stem.removeprefix("test_"), names)
        except StudentFault as fault:
            works[path] = str(fault)
            raise
    work = works[path]
    if isinstance(work, str):
        pytest.skip(work)  # it has failed one check already, and one cause is told once
    work.names = names  # of a live notebook, nobody has told them yet
    return StudentWork(work)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Stop a check that runs too long, and skip it where the student has not written anything yet."""
    question, student = _question(pyfuncitem), _student(pyfuncitem)
    if not question or student is None:
        return (yield)
    from grader.student.limit import time_limit
    from grader.student.work import SECONDS, NotAttempted, work_of

    seconds = pyfuncitem.config.stash.get(LIMIT, lambda question: SECONDS)(question)
    try:
        with time_limit(seconds, work_of(student).owns):
            return (yield)
    except NotAttempted as signal:
        raise pytest.skip.Exception(str(signal)) from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put a sentence in the place of a traceback, and note what the check said of its question."""
    report = yield
    question = _question(item)
    if (
        not question
        or question not in _table(item)
        or call.when == "teardown"
        or (call.when == "setup" and report.passed)
    ):
        return report
    said = _said(item, question, call, report)
    if report.skipped:
        reason = "not attempted" if call.when == "call" else said.message
        report.longrepr = (str(item.path), said.order[0] + 1, reason)
    elif report.failed and item.config.option.tbstyle not in ("long", "native"):
        report.longrepr = failure_text(said.check, said.message, said.place)
    # what loading prints, and long prints of the function, would drown the sentence
    report.sections = [(title, _end(text)) for title, text in report.sections if "call" in title]
    vars(report)["question"] = to_plain(said, _lesson(item))
    return report


def _said(item: pytest.Item, question: str, call: pytest.CallInfo[None], report: pytest.TestReport) -> Said:
    from grader.student.verdict import verdict
    from grader.student.work import asked_of

    check = " ".join((getattr(item, "obj", item).__doc__ or item.name).split())
    order, student = _order(item), _student(item)
    if report.passed or call.excinfo is None:
        found: tuple[Status, str, str] = ("passed", "", "")
    elif report.skipped:
        found = ("not_attempted", str(call.excinfo.value), "")
    else:
        found = verdict(call.excinfo.value, student)
    name = asked_of(student) if student is not None else ""  # a verdict may find that another one is missing
    return Said(question, check, *found, name, order)


def _end(text: str) -> str:
    return "\n".join(text.rstrip().splitlines()[-LAST:]) + "\n"


def _question(item: pytest.Item) -> str:
    marker = item.get_closest_marker("question")
    return str(marker.args[0]) if marker is not None and marker.args else ""


def _student(item: pytest.Item) -> StudentWork | None:
    """The value of the fixture, where the test uses it and it could be made."""
    student: StudentWork | None = getattr(item, "funcargs", {}).get("student")
    return student


def _table(item: Any) -> dict[str, Question]:
    table: dict[str, Question] = getattr(getattr(item, "module", None), "QUESTIONS", {})
    return table


def _lesson(item: pytest.Item) -> Lesson:
    """The item's whole table, without what other checks said."""
    found, selected = (Counter(item.config.stash[key].values()) for key in (FOUND, SELECTED))
    tallies = {
        key: Tally(key, question, found[item.path, key], selected[item.path, key])
        for key, question in _table(item).items()
    }
    work = item.config.stash[WORKS].get(item.path, "")
    if isinstance(work, str):
        return Lesson(f"{item.path.stem.removeprefix('test_')}.ipynb", tallies, problem=work)
    return Lesson(work.source, tallies, work.notes)
