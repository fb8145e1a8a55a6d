"""What pytest says below everything else: the questions one by one, and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.student.tally import Lesson, Said, add_plain


class Ending:
    """Collects what the checks said, in the process that prints, and says how far the student is."""

    def __init__(self, config: pytest.Config, found: dict[str, tuple[Path, str]]) -> None:
        self.config = config
        self.found = found  # by id of a check: its file and its question
        self.lessons: dict[str, Lesson] = {}
        self._told: dict[tuple[str, str], str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the check; a sentence that another check of the question has told already is not repeated."""
        plain = getattr(report, "question", None)
        if plain is None:
            return
        file, said = report.nodeid.partition("::")[0], Said(**plain["said"])
        add_plain(self.lessons, file, plain)
        if report.failed and isinstance(report.longrepr, str):
            name = report.nodeid.rpartition("::")[2]
            # a line that crashes does so with many shapes
            cause = said.place if said.status == "crashed" and said.place else said.message
            first = self._told.setdefault((file, cause), name)
            if first != name:
                report.longrepr = failure_text(said.check, f"The same as in {first}.")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Print below everything else, so that the next step is the last line."""
        result = yield
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            for _, lesson in sorted(self.lessons.items()):
                self._print(reporter, lesson)
            if self.found and session.testscollected == 0 and not session.testsfailed:
                reporter.ensure_newline()
                known = ", ".join(dict.fromkeys(question for _, question in self.found.values()))
                reporter.write_line(f"No check was selected. The questions are {known}.")
        return result

    def _print(self, reporter: Any, lesson: Lesson) -> None:
        from grader.student.words import columns, remarks

        reporter.ensure_newline()
        if self.config.get_verbosity() >= 0 and not lesson.problem:
            reporter.section(lesson.source, sep="-")
            for colour, _, line in columns(lesson):
                reporter.write_line(line, **{colour: True})
            for remark in remarks(lesson):
                reporter.write_line(remark)
            reporter.write_line("")
        reporter.write_line(lesson.closing())


def failure_text(check: str, *lines: str) -> str:
    """What stands in the place of a traceback."""
    return "\n".join([*filter(None, lines), f"Should hold: {check.rstrip('.')}."])
