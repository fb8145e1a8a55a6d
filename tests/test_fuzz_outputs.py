"""Whatever a cell puts out, or a text cell holds: it makes a notebook that is valid, and a page that runs nothing."""

from __future__ import annotations

import base64
import html.parser
import json
import time
from typing import Any

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from grader.autograding.repair import repaired
from grader.report.clean import MOST_ATTRIBUTES, MOST_OPEN, TAGS, clean_html, clean_text_cell
from grader.sandbox.cell_outputs import FIELDS, MOST_LINES, NOTEBOOK, CellOutputs, Room
from tests.fuzzing import Draw, fuzzed, json_values, spoil, texts

SECONDS = 5.0  # of processor time, for one output


MIMES = (
    "text/plain",
    "text/html",
    "image/png",
    "image/svg+xml",
    "application/json",
    "application/x+json",
    "text/latex",
)
bundles = st.dictionaries(
    st.sampled_from(
        [*MIMES, "application/javascript", "application/vnd.jupyter.widget-view+json", "application/json\n"]
    )
    | texts,
    json_values,
    max_size=3,
)
FIELD_VALUES = {
    "name": st.sampled_from(["stdout", "stderr"]),
    "data": bundles,
    "metadata": bundles | st.dictionaries(texts, json_values, max_size=2),
    "display_id": st.none() | st.sampled_from(["a", "b"]) | texts,
    "wait": st.booleans(),
    "traceback": st.lists(texts, max_size=3),
}


@st.composite
def events(draw: Draw) -> Any:
    """Mostly of the shape that a worker of ours sends."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    event = {"type": kind, **{name: draw(FIELD_VALUES.get(name, texts)) for name in sorted(FIELDS[kind])}}
    return spoil(draw, event, 2) if draw(st.integers(0, 4)) == 0 else event


BROKEN = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
EMPTY_LINES = {"ename": "E", "evalue": "", "traceback": [""] * 1_000_000}


@fuzzed(40)
@example([[{"type": "stream", "name": "stdout", "text": "x"}]], EMPTY_LINES)
@given(
    st.lists(st.lists(events() | json_values, max_size=6), min_size=1, max_size=3),
    st.none() | st.fixed_dictionaries({"ename": texts, "evalue": texts, "traceback": json_values}) | json_values,
)
def test_the_outputs_of_any_events_make_a_valid_notebook(told: list[list[Any]], error: Any) -> None:
    room = Room()
    written = []
    for count, of_cell in enumerate(told, start=1):
        outputs = CellOutputs(room, count)
        try:
            for event in of_cell:
                outputs.apply(event)
            outputs.reported(error)
        except BROKEN:
            outputs.error("ProcessEnded", "This cell ended the whole program.", [])
        written.append(outputs)
    plain = [outputs.plain() for outputs in written]
    assert all(len(one.get("traceback", [])) <= MOST_LINES for of_cell in plain for one in of_cell)
    assert len(json.dumps(plain, ensure_ascii=False, allow_nan=False).encode("utf-8")) < NOTEBOOK + 1_000_000
    new = [nbformat.v4.new_code_cell(outputs=[nbformat.from_dict(one) for one in of_cell]) for of_cell in plain]
    nbformat.validate(nbformat.v4.new_notebook(cells=new))


# --- HTML --------------------------------------------------------------------------------------------------------

PIXEL = "data:image/png;base64," + base64.b64encode(b"x" * 200).decode()
MARKUP = (
    *("<script>", "</script>", "<svg onload=x()>", "<math><mtext>", "<style>", "</style>", "<textarea>", "<title>"),
    *("<a href='", "<img src=", " onerror=x()", "javascript:x()", "&#106;avascript:x()", "data:text/html,x", PIXEL),
    *(
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "</",
        "<",
        ">",
        '"',
        "'",
        "`",
        "=",
        "/",
        " ",
        "\0",
        "\f",
        "&lt;",
        "&#x3c;",
    ),
    *(
        "<table>",
        "<td>",
        "</td>",
        "<div style='",
        "color:",
        "((",
        "url(x)",
        "<p>",
        "<b>",
        "<ul>",
        "<li>",
        "</p>",
        "</b>",
    ),
)
markup = st.lists(st.sampled_from(MARKUP) | texts, max_size=20).map("".join)


class Page(html.parser.HTMLParser):
    """What a browser would make of a page: its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))


def assert_runs_nothing(text: str) -> None:
    for tag, attributes in Page(text).tags:
        assert tag in TAGS, text
        for name, value in attributes:
            assert not name.startswith("on"), text
            link = "".join((value or "").split()).lower()
            if name in ("href", "src"):
                assert not link.startswith(("javascript:", "vbscript:", "data:text", "file:")), text
            assert name != "style" or "url(" not in link, text


@fuzzed(80)
@given(markup)
def test_html_that_was_cleaned_runs_nothing(text: str) -> None:
    assert_runs_nothing(clean_html(text))


COSTLY = {
    "open tags": "<div>" * 500_000,
    "open tags of a letter": "".join(f"<b id={number}>" for number in range(3_000)) + "<p>" * 3_000,
    "tags that only seem closed": "<div><!--</div>-->" * 100_000,
    "tags closed in what is no tag": "<div><?</div>" * 100_000,
    "tags closed in a text area": "<div><textarea></div></textarea>" * (MOST_OPEN + 1),
    "attributes": "<p " + " ".join(f"a{number}" for number in range(150_000)) + ">",
    "attributes without spaces": "<p " + "a='<'" * 60_000,
    "brackets in a style": f"<p style='color:{'(' * 5_000}'>",
    "references": "<p title='" + "&lt;" * 400_000,
    "comments": "<!--" * 400_000,
    "almost too much": ("<div " + "a " * (MOST_ATTRIBUTES - 1) + ">") * MOST_OPEN,
}


@pytest.mark.parametrize("name", COSTLY)
def test_html_that_would_take_hours_is_shown_as_text(name: str) -> None:
    started = time.process_time()
    assert_runs_nothing(clean_html(COSTLY[name]))
    assert time.process_time() - started < SECONDS


written = st.lists(
    st.sampled_from(
        [
            "![x](attachment:",
            "a",
            "a%20b",
            "ü",
            " ",
            ")",
            "<img src='",
            "'>",
            '"',
            "\n",
            "$",
            "javascript:",
            "](",
            "[x]",
        ]
    )
    | texts,
    max_size=12,
).map("".join)
attached = st.dictionaries(
    st.sampled_from(["a", "a%20b", "a b", "\ud800"]) | texts,
    st.dictionaries(
        st.sampled_from(["image/png", "image/'x", "image/svg+xml"]), st.sampled_from(["AA==", "'"]) | texts
    ),
    max_size=3,
)


@fuzzed(100)
@example("![x](attachment:a%20b)", {"a b": {"image/svg+xml": "' onerror='x()"}})
@example("![x](attachment:)", {})
@example("![x](att&#97;chment:a\\)b&amp;c) ![y][z]\n\n[z]: <attachment:a (b) c>", {})
@given(written, attached | json_values)
def test_a_text_cell_of_a_repaired_notebook_becomes_html_that_runs_nothing(text: str, pictures: Any) -> None:
    cell = {"cell_type": "markdown", "source": text, "attachments": pictures}
    (cell,) = repaired("attention.ipynb", {"nbformat": 4, "cells": [cell]}, ()).notebook["cells"]
    renderer = IPythonRenderer(escape=False, attachments=cell.get("attachments", {}))
    assert_runs_nothing(clean_text_cell(MarkdownWithMath(renderer=renderer).render(cell["source"])))
