"""The page that a student gets back, in a real browser: who cannot see well, or uses no mouse, can read it too."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.autograding.feedback_page import mended
from tests.browsers import Page, axe_trouble, chromium, expect, needs_chromium, picture, tab
from tests.servers import ASSIGNMENT, copy_course, nbgrader
from tests.variants import variants

pytestmark = needs_chromium
STUDENTS = ["ada-all-right", "carla-unscaled", "lea-syntax-error", "sam-half-finished"]
MILLISECONDS = 60_000


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the feedback of some of the class, made by nbgrader's own commands."""
    course = copy_course(tmp_path_factory.mktemp("feedback") / "course", STUDENTS)
    nbgrader(course, "autograde", ASSIGNMENT)
    nbgrader(course, "generate_feedback", ASSIGNMENT)
    return course


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium(MILLISECONDS) as browser, tab(browser, MILLISECONDS) as made:
        yield made


@pytest.mark.parametrize("student", variants(STUDENTS, short=["carla-unscaled", "sam-half-finished"]))
def test_axe_finds_nothing_serious(page: Page, course: Path, student: str) -> None:
    visit(page, course, student)
    assert axe_trouble(page, only=("serious", "critical")) == []
    picture(page, f"feedback-{student}")


def test_the_table_of_contents_names_the_questions(page: Page, course: Path) -> None:
    visit(page, course, "carla-unscaled")
    expect(page.locator("#toc a")).to_have_count(16)
    page.locator("#toc").get_by_role("link", name="match_scores", exact=True).click()
    assert page.url.endswith("#match_scores")
    expect(page.get_by_text(re.compile("^Your scores are not divided")).first).to_be_in_viewport()


def test_what_is_mended_takes_no_longer_than_the_page_is_long() -> None:
    started = time.monotonic()
    for piece in ("<div ", '<div id="noteboo', '<li><a href="#a'):
        assert mended(piece * 40_000)
    assert time.monotonic() - started < 10


def visit(page: Page, course: Path, student: str) -> None:
    page.goto((course / "feedback" / student / ASSIGNMENT / "attention.html").as_uri())
