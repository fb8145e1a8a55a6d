"""What a cell may put out, and its way to the grader: in order, from any thread, and never without bound."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grader.worker.descriptors import Descriptor
from grader.worker.wire import send

TEXT = 2**20  # bytes that a cell may print
EVERYTHING = 8 * 2**20  # bytes that it may put out in all
DECIDING = 256 * 2**10  # bytes; an error or a result of this size is kept whatever else there is, since it can
MOST_DECIDING = 8  # decide the cell's score, but not more often than this
CUT = "\n... Output truncated ...\n"

LEAST = 2 * 2**10  # bytes that any output counts for: thousands of small ones cost whoever reads them
EAGER = 1_000  # sends of one cell before its text is gathered: a cell that hangs should show what it printed
GATHERED = 32 * 2**10  # characters
GATHERING = 0.1  # seconds


@dataclass
class Bounds:
    """The bytes that are left. The worker keeps them to spare the link, and the grader to be safe."""

    text: int = TEXT
    everything: int = EVERYTHING
    deciding: int = MOST_DECIDING

    def cut(self, text: str) -> str:
        """As much of `text` as is left, with a last line that says so; after that, nothing."""
        if self.text < 0:  # said so already
            return ""
        data = text.encode(errors="replace")
        left = min(self.text, self.everything)
        if len(data) > left:
            self.text = -1
            self.everything -= left
            return data[:left].decode(errors="ignore") + CUT
        self.text -= len(data)
        self.everything -= len(data)
        return text

    def takes(self, size: int, deciding: bool) -> bool:
        """Whether an output of `size` bytes is still kept."""
        size = max(size, LEAST)
        if deciding and size <= DECIDING and self.deciding > 0:
            self.deciding -= 1
            return True
        if size > self.everything:
            return False
        self.everything -= size
        return True


def short_error(ename: str, evalue: str, traceback: Iterable[str]) -> dict[str, Any]:
    """An error in the bytes that are always kept: of long texts, the beginning and the end."""
    lines = list(traceback)
    if sum(len(line) for line in lines) > DECIDING // 8:
        lines = [_middle_cut("\n".join(lines), DECIDING // 8)]
    return {
        "type": "error",
        "ename": _middle_cut(ename, 200),
        "evalue": _middle_cut(evalue, DECIDING // 32),
        "traceback": lines,
    }


def _middle_cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most // 2] + CUT + text[-(most // 2) :]


@dataclass
class Outlet:
    """Sends what the cells of this process put out, each as JSON in a frame's second part."""

    link: socket.socket
    bounds: Bounds = field(default_factory=Bounds)
    _pid: int = field(default_factory=os.getpid)
    _name: str = "stdout"
    _parts: list[str] = field(default_factory=list)
    _size: int = 0
    _sends: int = 0
    _sent_at: float = 0.0
    _told: bool = False

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._descriptors = [Descriptor("stdout", 1), Descriptor("stderr", 2)]

    def begin_cell(self) -> None:
        """A new cell, with all its bounds."""
        self._renew()
        self._sends = 0

    def end_cell(self) -> None:
        """Send what is left, also what stands in Python's own buffers."""
        for stream in (sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(Exception):
                stream.flush()  # type: ignore[union-attr]
        self.flush()
        for descriptor in self._descriptors:
            descriptor.trim()

    def text(self, name: str, text: str) -> None:
        """Something was printed. A forked process has no link of its own: what it prints comes by descriptor."""
        if os.getpid() != self._pid:
            os.write(1 if name == "stdout" else 2, text.encode(errors="replace"))
            return
        if self.bounds.text < 0:
            return  # at once: what prints this much should lose little time by it
        with self._lock:
            self._take_descriptors()
            self._gather(name, text)

    def output(self, event: dict[str, Any], deciding: bool = False) -> None:
        """Anything else. Raises TypeError or ValueError for what is not JSON, as a kernel does."""
        if os.getpid() != self._pid:
            return
        data = json.dumps(event, default=_as_json).encode()
        with self._lock:
            self.flush()
            if event["type"] == "clear_output":
                self._renew()
            replaces = event["type"] == "update_display_data" and len(data) <= EVERYTHING
            if replaces or self.bounds.takes(len(data), deciding):
                self._send(data)
            elif not self._told:
                self._told = True
                self._send(json.dumps({"type": "stream", "name": "stderr", "text": CUT}).encode())

    def say(self, message: dict[str, Any]) -> None:
        """Send an answer, not in the middle of what a thread prints."""
        with self._lock:
            send(self.link, message)

    def flush(self) -> None:
        """Send the text that is gathered."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._take_descriptors()
            self._flush()

    def _renew(self) -> None:
        self.bounds = Bounds()
        self._told = False

    def _take_descriptors(self) -> None:
        for descriptor in self._descriptors:
            text = descriptor.new(self.bounds.text)
            if text:
                self._gather(descriptor.name, text)

    def _gather(self, name: str, text: str) -> None:
        text = self.bounds.cut(text)
        if not text:
            return
        if name != self._name:
            self._flush()
            self._name = name
        self._parts.append(text)
        self._size += len(text)
        overdue = time.monotonic() - self._sent_at > GATHERING
        if self._sends < EAGER or self._size > GATHERED or overdue:
            self._flush()

    def _flush(self) -> None:
        if self._parts:
            text = "".join(self._parts)
            self._parts.clear()
            self._size = 0
            self._send(json.dumps({"type": "stream", "name": self._name, "text": text}).encode())

    def _send(self, data: bytes) -> None:
        self._sends += 1
        self._sent_at = time.monotonic()
        send(self.link, {"op": "output"}, data)


def _as_json(value: Any) -> object:
    """What a kernel makes of values that JSON does not have: bytes as base64, dates, iterables, numbers."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "__iter__"):
        return list(value)
    if hasattr(value, "__index__"):
        return int(value)
    return float(value)
