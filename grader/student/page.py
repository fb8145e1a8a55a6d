"""A page of the lesson inside the notebook: it may run its own scripts and reaches nothing of the notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

STYLE = "width:100%;height:760px;border:1px solid rgba(128,128,128,.5);border-radius:4px;background:#fff"


@dataclass(frozen=True)
class Page:
    """A file's name and its HTML, which is complete in itself."""

    name: str
    source: str

    def html(self) -> str:
        """The page in a frame."""
        frame = f'sandbox="allow-scripts" title="{escape(self.name)}" style="{STYLE}"'
        return f'<iframe {frame} srcdoc="{escape(self.source)}"></iframe>'

    def text(self) -> str:
        """What to do where no page can be shown."""
        return f"Open {self.name} in a browser: it lies beside this file."
