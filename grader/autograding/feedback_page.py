"""The page that a student gets back: nbgrader's own, with what keeps some people from reading it mended.

It concerns every assignment of the course. Its words are nbgrader's and ours, so its language is English.
"""

from __future__ import annotations

import re
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode

# Links that differ from the text around them by more than their colour, no marks for links behind headings, and colours
# with a contrast of 4.5 and more: nbgrader's own for links in blue headings has 2.4, IPython's for comments 3.9.
STYLE = """<style>
a { text-decoration: underline; }
#toc a, .rendered_html a { color: #23527c; }
div.nbgrader_cell .panel-heading a { color: #ffffff; }
a.anchor-link { display: none; }
div.input_area, div.input_area .highlight, div.input_area pre { background: #ffffff; }
div.output_error pre span { color: inherit !important; }
</style>
"""
CELLS = re.compile(r'<div [^<>]*id="notebook"')
ENTRY = re.compile(r'(<li><a href="#([A-Za-z0-9_-]+)">)Test cell(</a>)')  # of nbgrader's table of contents


class FeedbackExporter(HTMLExporter):
    """nbgrader's feedback page with its language, legible links and code, and test cells by id in its contents."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **named: Any) -> tuple[Any, dict[str, Any]]:
        """The page of one notebook, and nbconvert's resources."""
        page, resources = super().from_notebook_node(nb, resources, **named)
        return mended(page), resources


def mended(page: str) -> str:
    """The page; one of another form, which a later nbgrader may write, only with what can be mended in it."""
    head, end, body = page.partition("</head>")
    if end:
        head = head.replace("<html>", '<html lang="en">', 1) + STYLE
    cells = CELLS.search(body)
    contents = cells.start() if cells else 0
    return f"{head}{end}{ENTRY.sub(_named, body[:contents])}{body[contents:]}"


def _named(entry: re.Match[str]) -> str:
    return f"{entry[1]}{entry[2]}{entry[3]}"
