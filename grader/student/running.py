"""Run the public checks of a folder with pytest, in this process and without its output."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader import pytest_plugin
from grader.student.folder import changed
from grader.student.record import Work
from grader.student.tally import Lesson

# Only what the checks need: no settings, no other plugins, no files left behind, nothing that a notebook's own
# process would miss afterwards.
UNWANTED = ("cacheprovider", "faulthandler", "logging", "threadexception", "unraisableexception")
OPTIONS = (
    "-q",
    f"--config-file={os.devnull}",
    "--noconftest",
    "--import-mode=importlib",
    "--capture=no",
    "--tb=native",  # quick to make, and nobody sees it
    "--no-summary",
    *(f"-pno:{name}" for name in UNWANTED),
)


@dataclass
class Checked:
    """What the checks said. `problem` is a sentence, where they could not be run."""

    lessons: list[Lesson] = field(default_factory=list)
    modules: list[ModuleType] = field(default_factory=list)
    problem: str = ""


def run_checks(
    files: Sequence[Path],
    live: Callable[[Path], Work] | None = None,
    limit: Callable[[str], float] | None = None,
) -> Checked:
    """Run the checks of these files of one folder.

    `live` gives, for a test file, names that exist already; else the student's file beside it is loaded. `limit`
    gives the seconds for a check of a question.
    """
    listener = _Listener({path.resolve(): live(path) for path in files} if live else {}, limit)
    paths = [str(path.resolve()) for path in files]
    with _plain_pytest(), unseen():
        folder = f"--rootdir={files[0].resolve().parent}"
        code = pytest.main(["-p", pytest_plugin.__name__, *OPTIONS, folder, *paths], plugins=[listener])
    _forget(paths)
    if not listener.checked.problem:
        listener.checked.problem = _problem(code, files)
    return listener.checked


def _problem(code: int, files: Sequence[Path]) -> str:
    if code == pytest.ExitCode.INTERRUPTED:
        return "The checks were interrupted."
    return "" if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else changed(files[0].name)


class _Listener:
    """A pytest plugin that keeps what the run gives."""

    def __init__(self, works: dict[Path, Work], limit: Callable[[str], float] | None) -> None:
        self.checked = Checked()
        self._works = works
        self._limit = limit

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[pytest_plugin.WORKS].update(self._works)
        if self._limit is not None:
            config.stash[pytest_plugin.LIMIT] = self._limit

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.checked.problem = changed(Path(report.nodeid).name)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        modules = (item.module for item in session.items if isinstance(item, pytest.Function))
        self.checked.modules = list(dict.fromkeys(modules))
        ending: Any = session.config.pluginmanager.get_plugin("grader-ending")
        self.checked.lessons = list(ending.lessons.values())


@contextlib.contextmanager
def unseen() -> Iterator[None]:
    """Nothing that is printed is seen, nor kept: an endless loop that prints would fill the memory."""
    with (
        open(os.devnull, "w", encoding="utf-8", errors="replace") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


@contextlib.contextmanager
def _plain_pytest() -> Iterator[None]:
    """No settings of pytest's reach the run from the environment, and it leaves none there."""
    before = os.environ.copy()
    for name in [name for name in before if name.startswith("PYTEST_")]:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _forget(paths: Sequence[str]) -> None:
    """The next run reads the files anew, and another folder may have files of the same names."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in paths:
            del sys.modules[name]
