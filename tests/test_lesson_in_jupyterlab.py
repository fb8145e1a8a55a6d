"""The released notebook as a student meets it: a real JupyterLab, a real kernel, a real browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.student.signs import LOOKS
from tests.browsers import Browser, Locator, Page, axe_trouble, chromium, expect, needs_chromium, picture, tab
from tests.servers import ASSIGNMENT, CLASS, ROOT, TOKEN, jupyterlab

pytestmark = needs_chromium
MILLISECONDS = 120_000  # to wait for anything; a loaded machine with two cores has needed thirty thousand
QUESTIONS = 16
GREEN = LOOKS["passed"].edge
DONE = re.compile("· (passed|answered)")
RIGHT, UNSCALED = "ada-all-right", "carla-unscaled"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(MILLISECONDS) as started:
        yield started


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One tab for all tests: a new one would read all of JupyterLab again."""
    with tab(browser, MILLISECONDS, width=1400, height=1000) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the exercise as students have them: as released, and with what two of the class wrote."""
    folder = tmp_path_factory.mktemp("students")
    for name in ("released", "written", "validated", RIGHT, UNSCALED):
        shutil.copytree(ROOT / "exercises" / ASSIGNMENT, folder / name)
        if name in (RIGHT, UNSCALED):
            shutil.copy(CLASS / name / "attention.ipynb", folder / name)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


def test_the_notebook_as_released_runs_from_top_to_bottom(page: Page, server: str, folder: Path) -> None:
    visit(page, server, "released")
    run_all_cells(page)
    assert troubles(page, folder / "released") == []
    for cell in checks(page):
        expect(output(cell)).to_contain_text("· not attempted")
        expect(output(cell)).to_contain_text("→ Write ")
    for cell in code_cell(page, "reveal(").filter(has_not_text="import").all():
        expect(output(cell)).to_contain_text("What do you expect?")
    expect(output(overview(page))).to_contain_text(
        f"0 of {QUESTIONS} questions done. Next: mix_rows() in attention.ipynb."
    )
    walkthrough = page.frame_locator("iframe[title='walkthrough.html']")
    expect(walkthrough.get_by_role("heading", level=1)).to_be_visible()
    page.locator("iframe").scroll_into_view_if_needed()
    picture(page, "notebook-walkthrough")
    checks(page)[0].scroll_into_view_if_needed()
    picture(page, "notebook-released")


def test_a_student_guesses_writes_and_is_told_at_once(page: Page, server: str) -> None:
    visit(page, server, "written")
    run_all_cells(page)
    guess = code_cell(page, "reveal(my_guess, average)")
    write(page, guess, text(guess).replace("None", "[1, 1]", 1))
    expect(output(guess)).to_contain_text("You expected: [1, 1]")
    expect(output(guess)).to_contain_text("tensor([1., 1.])")
    expect(output(guess)).to_contain_text("As you expected.")

    write_function(page, "mix_rows", "    return rows.sum(dim=0)")
    check = check_cell(page, "mix_rows")
    run(page, check)
    expect(output(check)).to_contain_text("· failed")
    expect(output(check).locator("caption")).to_have_text(["yours", "expected"])
    expect(output(check).locator("td", has_text="✗")).not_to_have_count(0)
    check.scroll_into_view_if_needed()
    picture(page, "notebook-failed")
    output(check).get_by_text("Stuck?").click()
    expect(output(check)).to_contain_text("what do you calculate by hand?")

    body = "    if proportions is None:\n        return rows.mean(dim=0)\n    return proportions @ rows"
    write_function(page, "mix_rows", body)
    run(page, check)
    expect(output(check)).to_contain_text("· passed")
    expect(output(check)).to_contain_text(f"1 of {QUESTIONS} questions done. Next: UNIFORM_AVERAGE in attention.ipynb.")

    write_function(page, "mix_rows", "    return rows.nothing")
    run(page, check)
    expect(output(check)).to_contain_text("→ Look at line 8: return rows.nothing")
    assert "Traceback" not in page.locator(".jp-Notebook").inner_text()

    write_function(page, "mix_rows", "    return (rows.sum(dim=0)")
    run(page, check)
    expect(output(check)).to_contain_text("The last cell that you ran stopped before it defined mix_rows(): Syntax")
    expect(output(check)).to_contain_text("→ Mend that cell and run it")
    picture(page, "notebook-stopped")


def test_with_all_solutions_every_check_is_green(page: Page, server: str, folder: Path) -> None:
    visit(page, server, RIGHT)
    run_all_cells(page)
    assert troubles(page, folder / RIGHT) == []
    for cell in checks(page):
        expect(output(cell)).to_contain_text(DONE)
        expect(output(cell).locator(f"div[style*='border-left:4px solid {GREEN}']")).to_have_count(1)
    expect(output(overview(page))).to_contain_text(
        f"{QUESTIONS} of {QUESTIONS} questions done. Save attention.ipynb and hand it in."
    )
    expect(page.locator("details")).to_have_count(0)
    attention = check_cell(page, "attention")
    expect(output(attention)).to_contain_text("your weights, as expected")
    attention.scroll_into_view_if_needed()
    picture(page, "notebook-passed")
    overview(page).scroll_into_view_if_needed()
    picture(page, "notebook-overview")


def test_a_wrong_solution_is_shown_beside_the_expected_one_and_axe_finds_nothing(page: Page, server: str) -> None:
    visit(page, server, UNSCALED)
    run_all_cells(page)
    check = check_cell(page, "match_scores")
    expect(output(check)).to_contain_text("· failed")
    expect(output(check).locator("caption")).to_have_text(["yours", "expected"])
    expect(output(check).get_by_role("img", name=re.compile("^Questions: 1 passed"))).to_be_visible()
    picture(output(check), "check-wrong")
    for theme in ("Light", "Dark"):
        page.keyboard.press("Control+Shift+C")
        page.get_by_role("textbox", name="SEARCH", exact=True).fill(f"Use Theme: JupyterLab {theme}")
        page.keyboard.press("Enter")
        expect(page.locator(f"body[data-jp-theme-name='JupyterLab {theme}']")).to_be_attached()
        assert axe_trouble(page, ".tex2jax_ignore") == []
        check.scroll_into_view_if_needed()
        picture(page, f"notebook-wrong-{theme.lower()}")


@pytest.mark.long
def test_validate_says_what_is_left_in_words(page: Page, server: str) -> None:
    visit(page, server, "validated")
    page.get_by_role("button", name="Validate").click()
    box = page.get_by_role("dialog")
    expect(box).to_contain_text("mix_rows() is not written yet.")
    assert "Traceback" not in box.inner_text()
    picture(page, "notebook-validated")


# --- what the tests do with the notebook ----------------------------------------------------------------


def visit(page: Page, server: str, name: str) -> None:
    """Open a notebook, and wait for its kernel."""
    page.goto(f"{server}lab/tree/{name}/attention.ipynb?reset&token={TOKEN}")
    expect(page.get_by_role("heading", name="Lesson 10 · Attention")).to_be_visible()
    expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']")).to_be_visible()


def run_all_cells(page: Page) -> None:
    """Run all cells and wait for the last; again where JupyterLab has lost the first click, as it sometimes does."""
    for last in (False, False, True):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        try:
            expect(output(overview(page))).to_contain_text(f"of {QUESTIONS} questions done", timeout=MILLISECONDS / 3)
            return
        except AssertionError:
            picture(page, "notebook-not-run")
            if last:
                raise


def code_cell(page: Page, source: str) -> Locator:
    return page.locator(".jp-CodeCell").filter(has=page.locator(".cm-content", has_text=source))


def check_cell(page: Page, question: str) -> Locator:
    return code_cell(page, f'check("{question}")')


def checks(page: Page) -> list[Locator]:
    """The check cells of all questions."""
    found = code_cell(page, 'check("')
    expect(found).to_have_count(QUESTIONS)
    return found.all()


def overview(page: Page) -> Locator:
    return code_cell(page, "check()")


def output(cell: Locator) -> Locator:
    return cell.locator(".jp-OutputArea-output")


def text(cell: Locator) -> str:
    return "\n".join(line.strip("\n") for line in cell.locator(".cm-line").all_inner_texts())


def write(page: Page, cell: Locator, source: str) -> None:
    """Put other text into a cell, as typed or pasted, and run it."""
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")


def write_function(page: Page, name: str, body: str) -> None:
    """Put lines in place of what stands below the docstring of a function."""
    cell = code_cell(page, f"def {name}(")
    head = text(cell).rpartition('"""')[0]
    write(page, cell, f'{head}"""\n{body}')


def run(page: Page, cell: Locator) -> None:
    """Run a check cell, which can only be read, and wait until the kernel has."""
    before = cell.locator(".jp-InputPrompt").inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(cell.locator(".jp-InputPrompt")).not_to_have_text(before)
    expect(cell.locator(".jp-InputPrompt")).not_to_have_text("[*]:")


def troubles(page: Page, folder: Path) -> list[dict[str, Any]]:
    """The errors and what stands on standard error in a notebook, once JupyterLab has saved it."""
    with page.expect_response(lambda answer: answer.request.method == "PUT" and "attention.ipynb" in answer.url):
        page.keyboard.press("Control+s")
    document = json.loads((folder / "attention.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in document["cells"] for output in cell.get("outputs", ())]
    assert len(outputs) > QUESTIONS
    return [one for one in outputs if one["output_type"] == "error" or one.get("name") == "stderr"]
