"""Frames between the grader and a worker: lengths, then JSON, then safetensors bytes.

Nothing is ever unpickled. Both ends speak it; only the parent gives deadlines and caps, because only
the parent can be trusted to keep them.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

HEADER = struct.Struct("!II")  # bytes of JSON, bytes of safetensors
ROOM = 2**18  # bytes
MAX_FRAME = 64 * 2**20  # bytes; what a worker may answer at once
MAX_JSON = 8 * 2**20  # bytes of it that are JSON, whose values take many times their bytes of memory


class Closed(Exception):
    """The other end is gone, or what it sent is no frame."""


class TooLarge(Closed):
    """A frame of more bytes than are allowed."""


class TooSlow(Exception):
    """The deadline passed before a whole frame was there."""


def roomy(*links: socket.socket) -> tuple[socket.socket, ...]:
    """The sockets, each with room for some frames that nobody reads yet."""
    for link in links:
        for room in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            link.setsockopt(socket.SOL_SOCKET, room, ROOM)
    return links


def framed(message: dict[str, Any], blob: bytes = b"") -> bytes:
    """The bytes of one frame."""
    text = json.dumps(message).encode()
    return HEADER.pack(len(text), len(blob)) + text + blob


def send(link: socket.socket, message: dict[str, Any], blob: bytes = b"") -> None:
    """Write one frame. Raises Closed when nobody reads."""
    write(link, framed(message, blob))


def write(link: socket.socket, frame: bytes) -> None:
    """Write bytes that are one frame. Raises Closed when nobody reads."""
    try:
        link.sendall(frame)
    except TimeoutError as slow:
        raise TooSlow from slow
    except OSError as gone:
        raise Closed(str(gone)) from gone


def receive(
    link: socket.socket, deadline: float | None = None, cap: int = MAX_FRAME, json_cap: int = MAX_JSON
) -> tuple[dict[str, Any], bytes]:
    """Read one frame before `deadline` (seconds of time.monotonic). Raises Closed or TooSlow.

    `cap` bounds the whole frame, `json_cap` its JSON, in bytes.
    """
    text_size, blob_size = HEADER.unpack(_exactly(link, HEADER.size, deadline))
    if text_size + blob_size > cap or text_size > json_cap:
        raise TooLarge(f"a frame of {text_size} and {blob_size} bytes, more than is allowed")
    frame = memoryview(_exactly(link, text_size + blob_size, deadline))
    try:
        message = json.loads(bytes(frame[:text_size]))
    except (ValueError, RecursionError) as wrong:
        raise Closed("a frame that is not JSON") from wrong
    if not isinstance(message, dict):
        raise Closed("a frame that is no message")
    return message, bytes(frame[text_size:])


def _exactly(link: socket.socket, size: int, deadline: float | None) -> bytearray:
    """`size` bytes in a buffer made once: growing it piece by piece takes seconds at 100 MB."""
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        try:
            link.settimeout(None if deadline is None else max(deadline - time.monotonic(), 1e-3))
            count = link.recv_into(view)
        except TimeoutError as slow:
            raise TooSlow from slow
        except OSError as gone:
            raise Closed(str(gone)) from gone
        if count == 0:
            raise Closed("the other end closed")
        view = view[count:]
        if view and deadline is not None and time.monotonic() > deadline:
            raise TooSlow  # bytes that trickle in must not move the deadline
    return buffer
