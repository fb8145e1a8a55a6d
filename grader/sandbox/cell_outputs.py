"""What one cell put out, as a notebook holds it, from events that a worker sent and that may be anything.

Raises ValueError, or another error of data that is not as it should be, for an event that ours never sends.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from grader.worker.outputs import CUT, EVERYTHING, LEAST, MOST_DECIDING, TEXT, Bounds, short_error

NOTEBOOK = 32 * 2**20  # bytes that all cells may put out together
SLACK = 64 * 2**10  # bytes that the worker's own notes on what it truncated may take
DEEPEST = 32  # levels of lists and dicts in an output
MOST_LINES = 1_000  # of a traceback
OBJECT = 64  # bytes that a value takes in memory at least
JSON = re.compile(r"application/(.*\+)?json")
WIDGET = "application/vnd.jupyter.widget-view+json"  # of which nbconvert reads the model_id
FIELDS = {
    "stream": {"name", "text"},
    "display_data": {"data", "metadata", "display_id"},
    "update_display_data": {"data", "metadata", "display_id"},
    "execute_result": {"data", "metadata"},
    "error": {"ename", "evalue", "traceback"},
    "clear_output": {"wait"},
}


@dataclass
class _Kept:
    output: dict[str, Any]
    size: int  # bytes taken of its cell's bounds, and of the notebook's
    bounds: Bounds
    parts: list[str] = field(default_factory=list)  # of a stream's text


@dataclass
class Room:
    """What the cells of a notebook share: the bytes that are left, and the outputs that can be updated, by name."""

    bounds: Bounds = field(default_factory=lambda: Bounds(NOTEBOOK, NOTEBOOK, 1_000))
    shown: dict[str, list[_Kept]] = field(default_factory=dict)


@dataclass
class CellOutputs:
    """The outputs of the cell that runs as number `count`."""

    room: Room
    count: int
    kept: list[_Kept] = field(default_factory=list)
    bounds: Bounds = field(default_factory=lambda: Bounds(TEXT + SLACK, EVERYTHING + SLACK, MOST_DECIDING))
    clear_next: bool = False
    told: bool = False

    def apply(self, event: Any) -> None:
        """Do with an event what a Jupyter client does."""
        if not isinstance(event, dict) or set(event) - {"type"} != FIELDS.get(event.get("type", "")):
            raise ValueError("no event of ours")
        kind = event["type"]
        if kind == "clear_output":
            self.clear_next = bool(event["wait"])
            if not self.clear_next:
                self._clear()
            return
        if kind == "update_display_data":
            self._update(_text(event["display_id"]), _bundle(event["data"]), _object(event["metadata"]))
            return
        if self.clear_next:
            self._clear()
        if kind == "stream":
            self._stream(event["name"], _text(event["text"]))
        elif kind == "error":
            self._add(_error(**{name: event[name] for name in FIELDS["error"]}), deciding=True)
        else:
            self._show(kind, event)

    def error(self, ename: str, evalue: str, traceback: list[str]) -> None:
        """Add an error, however much there is already: a cell without it could score in full."""
        self.kept.append(_Kept(_error(ename, evalue, traceback), 0, self.bounds))

    def reported(self, error: Any) -> None:
        """Add the error that ended the cell, unless it was shown: no hook may keep it from being seen."""
        if error is not None and not any(kept.output.get("ename") == error["ename"] for kept in self.kept):
            lines = error["traceback"] or ["ERROR: An error occurred while showtraceback was disabled"]
            self.error(error["ename"], error["evalue"], lines)

    def plain(self) -> list[dict[str, Any]]:
        """The outputs as plain JSON, as nbformat 4 has them."""
        for kept in self.kept:
            if kept.parts:
                kept.output["text"] = "".join(kept.parts)
        return [kept.output for kept in self.kept]

    def _stream(self, name: Literal["stdout", "stderr"], text: str) -> None:
        if name not in ("stdout", "stderr"):
            raise ValueError("no stream of ours")
        last = self.kept[-1] if self.kept else None
        if last is None or last.output.get("name") != name:
            last = self._add({"output_type": "stream", "name": name, "text": ""}, deciding=False)
        text = self.room.bounds.cut(self.bounds.cut(text))
        if last is not None and text:
            last.parts.append(text)

    def _show(self, kind: str, event: dict[str, Any]) -> None:
        output: dict[str, Any] = {
            "output_type": kind,
            "data": _bundle(event["data"]),
            "metadata": _sizes(event["metadata"]),
        }
        if kind == "execute_result":
            output["execution_count"] = self.count
        name = event.get("display_id")
        if name is not None:  # an output of a name that there is already changes that one, too
            self._update(_text(name), output["data"], output["metadata"])
        kept = self._add(output, deciding=kind == "execute_result")
        if kept is not None and name is not None:
            self.room.shown.setdefault(name, []).append(kept)

    def _update(self, name: str, data: dict[str, Any], metadata: dict[str, Any]) -> None:
        size = max(_size(data) + _size(metadata), LEAST)
        for kept in self.room.shown.get(name, []):
            self._give_back(kept)
            if kept.bounds.takes(size, deciding=False) and self.room.bounds.takes(size, deciding=False):
                kept.output |= {"data": data, "metadata": metadata}
                kept.size = size

    def _add(self, output: dict[str, Any], deciding: bool) -> _Kept | None:
        size, before = _size(output), self.bounds.everything
        if self.bounds.takes(size, deciding) and self.room.bounds.takes(size, deciding):
            self.kept.append(_Kept(output, before - self.bounds.everything, self.bounds))
            return self.kept[-1]
        if not self.told:
            self.told = True
            self.kept.append(_Kept({"output_type": "stream", "name": "stderr", "text": CUT}, 0, self.bounds))
        return None

    def _clear(self) -> None:
        self.clear_next = False
        for kept in self.kept:
            self._give_back(kept)
        gone = {id(kept) for kept in self.kept}
        self.kept = []
        for name, shown in self.room.shown.items():
            self.room.shown[name] = [kept for kept in shown if id(kept) not in gone]
        self.bounds = Bounds(TEXT + SLACK, EVERYTHING + SLACK, self.bounds.deciding)

    def _give_back(self, kept: _Kept) -> None:
        for bounds in (kept.bounds, self.room.bounds):
            bounds.everything += kept.size
        text = sum(map(len, kept.parts))
        self.room.bounds.text += text
        self.room.bounds.everything += text
        kept.size = 0


def _error(ename: Any, evalue: Any, traceback: Any) -> dict[str, Any]:
    if not isinstance(traceback, list):
        raise ValueError("no list of lines")
    lines = [_text(line) for line in traceback]
    lines = lines if len(lines) <= MOST_LINES else ["\n".join(lines)]  # a million empty ones are no long text
    error = short_error(_text(ename), _text(evalue), lines)
    return {"output_type": error.pop("type"), **error}


def _text(value: Any) -> str:
    """A string that can be written as UTF-8: half of a surrogate pair cannot."""
    if not isinstance(value, str):
        raise ValueError("no text")
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _sizes(value: Any) -> dict[str, Any]:
    """What is said about data; about pictures only numbers and yes or no, since nbconvert writes their width, and the
    name of their file, into a page as they stand.
    """
    kept = {name: said for name, said in _object(value).items() if name != "filenames"}
    for name in [name for name in kept if name.startswith("image/")]:
        said = kept.pop(name)
        if isinstance(said, dict):
            kept[name] = {key: one for key, one in said.items() if isinstance(one, (bool, int, float))}
    return kept


def _bundle(value: Any) -> dict[str, Any]:
    """Data by its type: JSON where the type says so, text everywhere else."""
    return {
        mime: data if JSON.fullmatch(mime) or isinstance(data, str) else json.dumps(data)
        for mime, data in _object(value).items()
        if mime != WIDGET or (isinstance(data, dict) and isinstance(data.get("model_id"), str))
    }


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("no object")
    clean: dict[str, Any] = _clean(value, DEEPEST)
    return clean


def _clean(value: Any, depth: int) -> Any:
    """The same value with texts that can be written and numbers that are finite."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, (list, dict)):
        return value
    if depth == 0:
        return CUT.strip()
    if isinstance(value, list):
        return [_clean(item, depth - 1) for item in value]
    return {_text(name): _clean(item, depth - 1) for name, item in value.items()}


def _size(value: Any) -> int:
    """Bytes of memory, roughly; short values take many times what they take as JSON."""
    if isinstance(value, str):
        return OBJECT + len(value.encode())
    if isinstance(value, list):
        return OBJECT + sum(map(_size, value))
    if isinstance(value, dict):
        return OBJECT + sum(_size(name) + _size(item) for name, item in value.items())
    return OBJECT
