"""The page that a student gets back: nbgrader's own, with what keeps some people from reading it mended."""

from __future__ import annotations

import re
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode

# Links that differ from the text around them by more than their colour, and colours with a contrast of 4.5 and more:
# nbgrader's own for links in blue headings has 2.4.
STYLE = """<style>
a { text-decoration: underline; }
#toc a, .rendered_html a { color: #23527c; }
div.nbgrader_cell .panel-heading a { color: #ffffff; }
a.anchor-link { display: none; }
div.input_area, div.input_area .highlight, div.input_area pre { background: #ffffff; }
</style>
</head>"""
ENTRY = re.compile(r'(<li><a href="#([A-Za-z0-9_-]+)">)Test cell(</a>)')  # of nbgrader's table of contents


class FeedbackExporter(HTMLExporter):
    """nbgrader's feedback page with its language, legible links, and the questions by name in its table of contents."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **named: Any) -> tuple[Any, dict[str, Any]]:
        """The page of one notebook, and nbconvert's resources."""
        page, resources = super().from_notebook_node(nb, resources, **named)
        head, end, body = page.partition("</head>")
        contents, body_start, cells = body.partition('<div id="notebook"')
        head = head.replace("<html>", '<html lang="en">', 1)
        return f"{head}{STYLE if end else ''}{ENTRY.sub(_named, contents)}{body_start}{cells}", resources


def _named(entry: re.Match[str]) -> str:
    return f"{entry[1]}{entry[2]}{entry[3]}"
