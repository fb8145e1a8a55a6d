"""Frames between the grader and a worker: whatever the other end sends or fails to send, reading them ends."""

from __future__ import annotations

import json
import math
import random
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from grader.worker.wire import HEADER, Closed, TooSlow, receive, send

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def frame(text: bytes, blob: bytes = b"") -> bytes:
    return HEADER.pack(len(text), len(blob)) + text + blob


def pushed(link: socket.socket, data: bytes) -> threading.Thread:
    """Send from a thread, as a pipe does not take much before somebody reads."""

    def push() -> None:
        try:
            link.sendall(data)
        except OSError:
            pass

    thread = threading.Thread(target=push)
    thread.start()
    return thread


@pytest.mark.parametrize("blob", [b"", b"\0" * 10, bytes(range(256)) * 4000], ids=len)
def test_a_frame_arrives_as_it_was_sent(pair: Pair, blob: bytes) -> None:
    message = {"op": "call", "text": "ä \ud800 \0", "numbers": [1, 2.5, None, True], "inner": {"a": []}}
    sender = threading.Thread(target=send, args=(pair[1], message, blob))
    sender.start()
    assert receive(pair[0], soon()) == (message, blob)
    sender.join()


def test_frames_arrive_one_by_one(pair: Pair) -> None:
    for number in range(50):
        send(pair[1], {"number": number}, b"x" * number)
    for number in range(50):
        assert receive(pair[0], soon()) == ({"number": number}, b"x" * number)


def test_numbers_that_json_does_not_have_arrive(pair: Pair) -> None:
    send(pair[1], {"nan": math.nan, "inf": math.inf})
    message, _ = receive(pair[0], soon())
    assert math.isnan(message["nan"])
    assert message["inf"] == math.inf


def test_sixty_megabytes_arrive_at_once(pair: Pair) -> None:
    blob = bytes(60 * 2**20)
    sender = pushed(pair[1], frame(b"{}", blob))
    started = time.monotonic()
    assert receive(pair[0], soon(30))[1] == blob
    assert time.monotonic() - started < 3
    sender.join()


WHOLE = frame(b'{"op": "values"}', b"0123456789")


@pytest.mark.parametrize("size", [0, 1, HEADER.size - 1, HEADER.size, HEADER.size + 5, len(WHOLE) - 1])
def test_a_frame_that_ends_early_is_told(pair: Pair, size: int) -> None:
    pair[1].sendall(WHOLE[:size])
    pair[1].close()
    with pytest.raises(Closed):
        receive(pair[0], soon())


@pytest.mark.parametrize("size", [0, 1, HEADER.size, HEADER.size + 5, len(WHOLE) - 1])
def test_a_frame_that_stays_away_is_not_waited_for(pair: Pair, size: int) -> None:
    pair[1].sendall(WHOLE[:size])
    started = time.monotonic()
    with pytest.raises(TooSlow):
        receive(pair[0], soon(0.2))
    assert 0.1 < time.monotonic() - started < 2


def test_a_deadline_in_the_past_is_too_late(pair: Pair) -> None:
    with pytest.raises(TooSlow):
        receive(pair[0], soon(-5))


def test_bytes_that_trickle_in_do_not_move_the_deadline(pair: Pair) -> None:
    stop = threading.Event()

    def trickle() -> None:
        for byte in frame(b'{"op": "values"}', b"x" * 1000):
            if stop.wait(0.02):
                return
            pair[1].sendall(bytes([byte]))

    sender = threading.Thread(target=trickle)
    sender.start()
    started = time.monotonic()
    try:
        with pytest.raises(TooSlow):
            receive(pair[0], soon(0.4))
        assert time.monotonic() - started < 2
    finally:
        stop.set()
        sender.join()


@pytest.mark.parametrize(
    ("text_size", "blob_size"), [(2**32 - 1, 0), (0, 2**32 - 1), (2**32 - 1, 2**32 - 1), (2**31, 2**31), (60, 41)]
)
def test_a_frame_that_is_too_large_is_refused_before_it_is_read(pair: Pair, text_size: int, blob_size: int) -> None:
    pair[1].sendall(HEADER.pack(text_size, blob_size))
    with pytest.raises(Closed, match="more than is allowed"):
        receive(pair[0], soon(), cap=100)


def test_a_message_that_would_fill_the_memory_is_refused(pair: Pair) -> None:
    """Twenty megabytes of "[],[],…" become half a gigabyte of lists, and seconds in which nobody is graded."""
    sender = pushed(pair[1], frame(b'{"op": [' + b"[]," * 7_000_000 + b"0]}"))
    started = time.monotonic()
    with pytest.raises(Closed):
        receive(pair[0], soon(30))
    assert time.monotonic() - started < 1
    pair[0].close()
    sender.join()


DEEP = 200_000
GARBAGE = {
    "nothing": b"",
    "no JSON": b"hello",
    "half of it": b'{"op": ',
    "not UTF-8": b'{"op": "\xff"}',
    "zeros": bytes(100),
    "a list": b"[1, 2]",
    "a number": b"5",
    "null": b"null",
    "a string": b'"op"',
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep dicts": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "open lists": b"[" * DEEP,
    "a number of 100,000 digits": b'{"a": ' + b"9" * 100_000 + b"}",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_what_is_no_message_is_refused(pair: Pair, name: str) -> None:
    sender = pushed(pair[1], frame(GARBAGE[name]))
    with pytest.raises(Closed):
        receive(pair[0], soon())
    sender.join()


def test_random_bytes_are_refused_or_too_slow(pair: Pair) -> None:
    generator = random.Random(3)
    for _ in range(200):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(generator.randbytes(generator.randrange(60)))
            theirs.close()
            with pytest.raises(Closed):
                receive(ours, soon(), cap=1000)


def test_sending_to_nobody_is_told(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(Closed):
        send(pair[1], {"op": "values"}, b"x" * 100_000)


def test_sending_to_somebody_who_does_not_read_ends(pair: Pair) -> None:
    pair[1].settimeout(0.2)
    started = time.monotonic()
    with pytest.raises(TooSlow):
        send(pair[1], {"op": "values"}, bytes(50 * 2**20))
    assert time.monotonic() - started < 3


def test_a_message_that_only_looks_like_a_frame_is_no_pickle(pair: Pair) -> None:
    """Nothing is ever unpickled: bytes that would run code are only bytes."""
    blob = b"cos\nsystem\n(S'exit 1'\ntR."
    pair[1].sendall(frame(json.dumps({"op": "values"}).encode(), blob))
    assert receive(pair[0], soon()) == ({"op": "values"}, blob)
