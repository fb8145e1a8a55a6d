"""A real browser for tests: Debian's Chromium, driven by Playwright, whose names come from here: without it, the tests
that ask for them are skipped.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright  # noqa: E402

__all__ = [
    "Browser",
    "Locator",
    "Page",
    "axe_trouble",
    "chromium",
    "expect",
    "needs_chromium",
    "picture",
    "tab",
]

AXE = Path(__file__).parent / "axe" / "axe.min.js"  # tests/axe/README.md says where it is from
ARTEFACTS = Path(os.environ.get("GRADER_ARTEFACTS", Path(__file__).parent.parent / "artefacts"))

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not on PATH: apt install chromium")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
)


@contextlib.contextmanager
def chromium(milliseconds: float) -> Iterator[Browser]:
    """One that has started within this time."""
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split(), timeout=milliseconds)
        yield browser
        browser.close()


@contextlib.contextmanager
def tab(browser: Browser, milliseconds: float, width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A tab that reaches this machine and nothing else: formgrader's pages ask for a script on the internet."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(milliseconds)
    expect.set_options(timeout=milliseconds)
    page.route(re.compile(r"^https?://(?!127\.0\.0\.1[:/])"), lambda route: route.abort())
    yield page
    page.close()


def picture(shown: Page | Locator, name: str) -> None:
    """Keep a screenshot of a page or of a part of it in the folder artefacts/, or in $GRADER_ARTEFACTS."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    shown.screenshot(path=ARTEFACTS / f"{name}.png")


def axe_trouble(page: Page, part: str = "html", only: Sequence[str] = ()) -> list[str]:
    """What axe-core finds in a part of a page: each rule with the first element that breaks it, and how many do.

    `only` are the impacts that count ("serious"); all do without.
    """
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("part => axe.run(part)", part)
    assert found["passes"]
    broken = [rule for rule in found["violations"] if not only or rule["impact"] in only]
    return [f"{rule['id']}: {rule['nodes'][0]['html']} and {len(rule['nodes']) - 1} more" for rule in broken]
