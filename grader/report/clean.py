"""HTML that students' notebooks show, made fit for a page that others open: it lays out, and runs nothing."""

from __future__ import annotations

import bleach
from bleach.css_sanitizer import ALLOWED_CSS_PROPERTIES, CSSSanitizer
from nbconvert.filters import strip_files_prefix

TAGS = (
    "a abbr b blockquote br caption center code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 "
    "h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead "
    "tr tt u ul var"
).split()
ATTRIBUTES = "align class colspan height id rowspan scope style title valign width".split()
LAYOUT = (
    "border border-bottom border-collapse border-left border-right border-spacing border-top margin margin-bottom "
    "margin-left margin-right margin-top max-height max-width min-width opacity padding padding-bottom padding-left "
    "padding-right padding-top list-style-type"
).split()
STYLES = CSSSanitizer(allowed_css_properties=[*ALLOWED_CSS_PROPERTIES, *LAYOUT])  # type: ignore[no-untyped-call]


def clean_html(element: object) -> str:
    """HTML without scripts, forms, frames, and pictures from elsewhere; what is left out is shown as text.

    nbconvert's own filter of this name also leaves out paragraphs, headings and pictures.
    """
    text = element.decode("utf-8", "replace") if isinstance(element, bytes) else str(element)
    cleaned: str = bleach.clean(  # type: ignore[no-untyped-call]
        text,
        tags=TAGS,
        attributes={"*": ATTRIBUTES, "a": _of_link, "img": _of_picture},
        protocols=["data", "http", "https", "mailto"],
        css_sanitizer=STYLES,
    )
    return cleaned


def clean_text_cell(html: str) -> str:
    """nbconvert's filter `strip_files_prefix`, through which nbgrader's pages put every text cell, and nothing else."""
    return clean_html(strip_files_prefix(html))  # type: ignore[no-untyped-call]


def _of_link(tag: str, name: str, value: str) -> bool:
    """A link that holds a page of its own would open it as ours."""
    return name in ATTRIBUTES or (name == "href" and not value.strip().lower().startswith("data:"))


def _of_picture(tag: str, name: str, value: str) -> bool:
    """A picture from another place would tell its owner who reads the page, and when."""
    return name in ("alt", *ATTRIBUTES) or (name == "src" and (value.startswith("data:image/") or ":" not in value))
