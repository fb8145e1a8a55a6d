"""HTML that students' notebooks show, made fit for a page that others open: it lays out, and runs nothing."""

from __future__ import annotations

import re
from collections import Counter
from html import escape

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

# bleach takes time that grows with the square of what is open at once, and of a tag's attributes: hours for one output.
LARGEST = 300_000  # characters, pictures aside
MOST_OPEN = 500  # tags of one name
MOST_ATTRIBUTES = 100  # of one tag
_VOID = ("br", "col", "hr", "img")
_SPACE = r"[ \t\n\f\r]"
_ATTRIBUTE = re.compile(
    rf"""(?:{_SPACE}|/)*+[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    rf"""(?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?"""
)
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>[a-zA-Z][^ \t\n\f\r/>]*+)(?P<attributes>(?:{_ATTRIBUTE.pattern})*+)")
_COMMENT = re.compile(r"<!--(?s:.*?)-->|<[!?][^>]*+>?|</[^a-zA-Z>][^>]*+>?")
_PICTURE = re.compile(r"data:image/[a-z.+-]++;base64,[A-Za-z0-9+/=\n]*+")


def clean_html(element: object) -> str:
    """HTML without scripts, forms, frames, and pictures from elsewhere; what is left out is shown as text.

    nbconvert's own filter of this name also leaves out paragraphs, headings and pictures.
    """
    text = element.decode("utf-8", "replace") if isinstance(element, bytes) else str(element)
    plain = f"<pre>{escape(text)}</pre>"
    text = _COMMENT.sub(" ", text)  # so that no tag stands in one
    if _is_costly(text):
        return plain
    try:
        return _bleached(text)
    except RecursionError:  # a style of a thousand brackets
        return plain


def _is_costly(html: str) -> bool:
    if len(html) > LARGEST and len(_PICTURE.sub("", html)) > LARGEST:
        return True
    opened: Counter[str] = Counter()
    for tag in _TAG.finditer(html):
        name = tag["name"].lower()
        opened[name] = max(opened[name] + (-1 if tag["end"] else 1), 0)
        if opened[name] > MOST_OPEN and name not in _VOID:
            return True
        if len(tag["attributes"]) > MOST_ATTRIBUTES and len(_ATTRIBUTE.findall(tag["attributes"])) > MOST_ATTRIBUTES:
            return True
    return False


def _bleached(text: str) -> str:
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
