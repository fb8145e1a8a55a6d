"""The course in a real JupyterLab and a real browser: an instructor in formgrader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsers import Browser, Locator, Page, chromium, expect, needs_chromium, picture, tab
from tests.servers import ASSIGNMENT, CLASS, TOKEN, copy_course, jupyterlab, running_for

pytestmark = needs_chromium
MILLISECONDS = 120_000  # to wait for anything; a loaded machine with two cores has needed thirty thousand
RIGHT, UNSCALED = "ada-all-right", "carla-unscaled"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(MILLISECONDS) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with tab(browser, MILLISECONDS) as made:
        yield made


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return copy_course(tmp_path / "course", [RIGHT, UNSCALED])


@pytest.fixture
def server(course: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab in the course's folder, with a slash at its end."""
    with jupyterlab(course, tmp_path / "home") as address:
        yield address


@pytest.mark.long
def test_an_instructor_grades_a_class_in_formgrader(page: Page, server: str, course: Path, tmp_path: Path) -> None:
    page.goto(f"{server}lab?token={TOKEN}")
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_role("menuitem", name="Formgrader", exact=True).click()
    expect(page.frame_locator("iframe").get_by_role("link", name=ASSIGNMENT)).to_be_visible()
    picture(page, "formgrader-in-jupyterlab")

    page.goto(f"{server}formgrader")
    press(row(page, ASSIGNMENT), "assign", f"Successfully created the student version of '{ASSIGNMENT}'")
    picture(page, "formgrader-assignments")
    row(page, ASSIGNMENT).locator(".num-submissions a").click()
    for student in (RIGHT, UNSCALED):
        press(row(page, student), "autograde", f"Successfully autograded '{ASSIGNMENT}' for student '{student}'")
        expect(row(page, student).locator(".score")).to_have_text(f"{score(student)} / 100")
    # the server runs for days, and each process that grades holds half a gigabyte
    assert running_for(tmp_path / "home") == []
    press(row(page, UNSCALED), "generate-feedback", f"Successfully generated feedback for '{ASSIGNMENT}'")
    assert (course / "feedback" / UNSCALED / ASSIGNMENT / "attention.html").is_file()
    picture(page, "formgrader-submissions")

    page.goto(f"{server}formgrader/gradebook/{ASSIGNMENT}/attention")
    page.get_by_role("row").filter(has_text=f"{score(UNSCALED)} / 100").get_by_role("link").first.click()
    expect(page.get_by_text("not divided by the square root").first).to_be_visible()
    page.get_by_text("not divided by the square root").first.scroll_into_view_if_needed()
    picture(page, "formgrader-submission")


def row(page: Page, name: str) -> Locator:
    """The row of a table that names an assignment or a student."""
    return page.get_by_role("row").filter(has_text=name)


def press(line: Locator, button: str, answer: str) -> None:
    """Press a button in a row, wait for formgrader's box that says how it went, and close it."""
    line.locator(f".{button} a").click()
    box = line.page.locator(".modal")
    expect(box.locator(".modal-title")).to_have_text(re.compile("Success|Error"))
    assert answer in box.inner_text(), box.inner_text()
    box.locator(".modal-header button").click()
    expect(box).to_have_count(0)


def score(student: str) -> int:
    return int(json.loads((CLASS / student / "expected.json").read_text())["score"])
