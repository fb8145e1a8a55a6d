"""Whatever bytes come from a worker: a frame is read or refused, and a submission or a notebook gets its result."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Sequence
from typing import Any

import nbformat
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.crashes.telling import met
from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.observing import returned
from grader.observing.compare import spoken
from grader.observing.outcome import from_wire
from grader.observing.returned import MAX_AXES, MAX_ELEMENTS, MAX_ITEMS
from grader.observing.seen import DTYPES, LONGEST_AXIS, MOST_AXES, MOST_SEEN
from grader.reading.submission import Cell, Submission
from grader.sandbox.child import BROKEN
from grader.sandbox.limits import Limits
from grader.sandbox.notebook_run import run_notebook
from grader.sandbox.sandbox import Sandbox
from grader.worker.pack import pack, unpack
from grader.worker.wire import HEADER, Closed, receive
from tests.fuzzing import LONGEST_SENTENCE, Draw, fuzzed, json_values, sent, spoil, spoil_bytes, tensors, trees
from tests.test_fuzz_outputs import events
from tests.test_fuzz_scripts import assert_valid

FRAME = 100_000  # bytes that are accepted


def frame(message: Any, blob: bytes = b"") -> bytes:
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return HEADER.pack(len(text), len(blob)) + text + blob


# --- frames ----------------------------------------------------------------------------------------------------------


@st.composite
def streams(draw: Draw) -> bytes:
    """Frames one after the other with something wrong in them, or in the sizes before them."""
    frames = []
    for _ in range(draw(st.integers(0, 3))):
        text = json.dumps(spoil(draw, {"op": "cell", "cell": 1})).encode(draw(st.sampled_from(["utf-8", "utf-16"])))
        one = frame(spoil_bytes(draw, text), draw(st.binary(max_size=9)))
        sizes = st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 99))
        frames.append(HEADER.pack(*draw(sizes)) + one[HEADER.size :] if draw(st.integers(0, 4)) == 0 else one)
    return spoil_bytes(draw, b"".join(frames))


@fuzzed(80)
@given(streams())
def test_a_stream_of_bytes_is_read_as_messages_until_it_is_refused(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        for _ in range(len(data) // HEADER.size + 1):
            try:
                message, blob = receive(ours, time.monotonic() + 5, FRAME)
            except Closed:
                return
            assert isinstance(message, dict)
            assert len(blob) < FRAME
        raise AssertionError("more messages than there were bytes for")


# --- tensors ---------------------------------------------------------------------------------------------------------


@st.composite
def blobs(draw: Draw) -> bytes:
    """Safetensors with something wrong: in the header's values, or in any byte."""
    packed = pack({f"t{number}": draw(tensors()) for number in range(draw(st.integers(1, 3)))})
    (size,) = struct.unpack("<Q", packed[:8])
    header, data = packed[8 : 8 + size], packed[8 + size :]
    if draw(st.booleans()):
        of_headers = (
            st.sampled_from(["F4", "F8_E8M0", "C64", "U64", "BF16", 2**62, 2**64, -1, [2**62, 0]]) | json_values
        )
        header = json.dumps(spoil(draw, json.loads(header), 2, of_headers)).encode()
        return struct.pack("<Q", len(header)) + header + data
    return spoil_bytes(draw, packed)


@fuzzed(80)
@given(blobs())
def test_bytes_are_tensors_that_can_be_described_or_refused(blob: bytes) -> None:
    try:
        found = unpack(blob)
        tree = returned.from_wire({"kind": "sequence", "items": [item(name) for name in found]}, found)
    except BROKEN:
        return
    assert tree.items == () or spoken(tree.items[0])


def item(name: str) -> dict[str, Any]:
    return {"kind": "tensor", "type": "Tensor", "tensor": name}


@pytest.mark.parametrize("elements", [MAX_ELEMENTS // MAX_ITEMS + 1, MAX_ELEMENTS])
def test_a_tensor_that_is_named_again_counts_again(elements: int) -> None:
    """A few kilobytes that name one tensor ten thousand times would become gigabytes of numbers."""
    plain = {"kind": "sequence", "items": [item("t0")] * (MAX_ITEMS - 1)}
    with pytest.raises(ValueError, match="more elements"):
        returned.from_wire(plain, {"t0": torch.zeros(elements)})


@pytest.mark.parametrize("value", [torch.zeros([1] * 1_000), torch.zeros([1] * (MAX_AXES + 1)).numpy()], ids=type)
def test_a_value_of_more_axes_than_can_be_told_is_told_by_their_number(value: Any) -> None:
    tree = returned.describe(value)
    assert tree.kind == "other"
    assert "axes, too many to read" in spoken(tree)


# --- a worker that says anything --------------------------------------------------------------------------------


class FalseWorker(Sandbox):
    """A sandbox whose children answer each request with the next of the `answers` to it, over and over."""

    def __init__(self, answers: dict[str, Sequence[bytes]]) -> None:
        super().__init__("process", Limits(seconds=QUESTION_SECONDS))
        self.answers = answers

    def start(self) -> None:
        pass

    def allow(self, seconds: float, alone: bool = False) -> bool:
        return True

    def reap(self) -> dict[str, Any]:
        return {}

    def fork(self, *_: Any, **__: Any) -> socket.socket:
        ours, theirs = socket.socketpair()
        threading.Thread(target=self._answer, args=(theirs,), daemon=True).start()
        return ours

    def _answer(self, link: socket.socket) -> None:
        told = dict.fromkeys(self.answers, 0)
        try:
            with link:
                while True:
                    op = receive(link, json_cap=2**26)[0]["op"]
                    link.sendall(self.answers[op][told[op] % len(self.answers[op])])
                    told[op] += 1
        except (Closed, OSError):
            pass


QUESTION_SECONDS = 0.3
SECONDS = 60.0  # for one submission, on a machine with other things to do
ERROR = {"cell": 1, "line": 1, "type": "E", "message": "m", "text": "x"}
LOADED = {"op": "loaded", "errors": [ERROR], "notes": [[1, "note"]]}
SEEN = [{"name": "q", "shape": [5, 6], "dtype": "float32"}, {"name": "k", "shape": [], "dtype": "int64"}]
RAISED = {"type": "E", "message": "m", "cell": 1, "line": 1, "text": "x", "stub": False, "place": ""}
RAISED |= {"tensors": SEEN, "near": "scores"}


@st.composite
def answers(draw: Draw, names: Sequence[str]) -> dict[str, list[bytes]]:
    """What a child may answer: frames as ours sends them, most with something changed."""
    held = {name: draw(trees) | {"callable": draw(st.booleans())} for name in draw(st.sets(st.sampled_from(names)))}
    parts = [{"kind": "tensor", "type": "Tensor", "tensor": f"t{number}"} for number in range(3)]
    value = {"kind": "sequence", "type": "tuple", "items": parts}
    done = {"ended": "returned", "note": "", "value": value, "after": parts, "gradients": parts, "forbidden": []}
    ends = [done, done | {"value": draw(trees)}, {"ended": "raised", "raised": RAISED, "note": "", "forbidden": []}]
    blob = pack(draw(sent))
    return {
        "load": [frame({"op": "cell", "cell": 1}) + _said(draw, LOADED | {"values": held}, blob)],
        "call": [_said(draw, draw(st.sampled_from(ends)), blob) for _ in range(draw(st.integers(1, 4)))],
    }


def _said(draw: Draw, message: Any, blob: bytes) -> bytes:
    how = draw(st.integers(0, 9))
    message = spoil(draw, message, 2, trees | json_values) if how in (0, 1, 2) else message
    return frame(message, spoil_bytes(draw, blob) if how == 3 else blob) if how else draw(st.binary(max_size=60))


@st.composite
def raised(draw: Draw) -> Any:
    """An exception with something wrong in it, more often than not in what stood on its line."""
    field = draw(st.sampled_from(["tensors", "near", "tensors", ""]))
    return RAISED | {field: spoil(draw, RAISED[field])} if field else spoil(draw, RAISED)


@fuzzed(150)
@given(raised())
def test_what_stood_on_a_line_is_read_within_bounds_or_refused(plain: Any) -> None:
    try:
        read = from_wire({"ended": "raised", "raised": plain, "note": "", "forbidden": []}, {}).raised
    except BROKEN:
        return
    assert read is not None
    assert len(read.tensors) <= MOST_SEEN
    for seen in read.tensors:
        assert seen.name.isidentifier()
        assert len(seen.shape) <= MOST_AXES
        assert all(type(size) is int and 0 <= size <= LONGEST_AXIS for size in seen.shape)
        assert seen.dtype in DTYPES
    assert read.near == "" or read.near.isidentifier()
    assert len(met(read.tensors)) < LONGEST_SENTENCE
    assert met(read.tensors).isprintable()


@fuzzed(20, share=0.2)
@given(st.data())
def test_a_submission_gets_its_result_whatever_its_worker_says(key: AnswerKey, data: st.DataObject) -> None:
    worker = FalseWorker(data.draw(answers(key.names)))
    cells = (Cell(1, "def attention(q, k, v): pass", 1), Cell(2, "V_ROW_WEIGHTS = 'C'", 1))
    started = time.monotonic()
    result = Grading(key, QUESTION_SECONDS).grade(
        Submission("alice", "a.ipynb", "notebook", cells, "0" * 64, ()), worker
    )
    assert time.monotonic() - started < SECONDS
    assert_valid(result, key)


@fuzzed(20, share=0.2)
@given(st.data())
def test_a_notebook_gets_its_outputs_whatever_its_worker_says(data: st.DataObject) -> None:
    def ran() -> bytes:
        shown = [
            frame({"op": "output"}, json.dumps(event).encode()) for event in data.draw(st.lists(events(), max_size=3))
        ]
        error = {"ename": "E", "evalue": "", "traceback": ["x"]}
        end = {"op": "ran", "error": data.draw(st.sampled_from([None, error]))}
        return b"".join(shown) + _said(data.draw, end, b"")

    worker = FalseWorker({"notebook": [frame({"op": "ready"})], "run": [ran(), ran(), ran()]})
    started = time.monotonic()
    runs = run_notebook(worker, ["x", "", "y", "z"], {}, QUESTION_SECONDS)
    assert time.monotonic() - started < SECONDS
    assert len(runs) == 4
    cells = [nbformat.v4.new_code_cell(outputs=[nbformat.from_dict(one) for one in run.outputs]) for run in runs]
    nbformat.validate(nbformat.v4.new_notebook(cells=cells))
    assert json.dumps([run.outputs for run in runs], ensure_ascii=False, allow_nan=False).encode("utf-8")
