"""A real browser for tests: Debian's Chromium, driven by Playwright, whose names come from here: without it, the tests
that ask for them are skipped.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright  # noqa: E402

__all__ = ["Browser", "Locator", "Page", "Route", "chromium", "expect", "needs_chromium"]

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
