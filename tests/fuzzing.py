"""What the fuzz tests share: how many examples they try, and how a thing that strangers control is spoilt."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from grader.observing import returned
from grader.observing.returned import MAX_AXES
from grader.reading.cells import Unreadable
from grader.reading.submission import Submission, parse_submission

ROOT = Path(__file__).resolve().parent.parent
LESSON = "l10_attention"
CLASS = ROOT / "tests/submissions" / LESSON
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))  # of each test; 0: the same few in every run
LONGEST_SENTENCE = 1_000  # characters

Draw = Callable[[st.SearchStrategy[Any]], Any]
Test = TypeVar("Test", bound=Callable[..., Any])


def fuzzed(few: int, share: float = 1.0) -> Callable[[Test], Test]:
    """Decorator: `few` examples that are always the same or, in `make fuzz`, the `share` of many new ones."""
    quiet = [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
        HealthCheck.function_scoped_fixture,
    ]
    if not EXAMPLES:
        return settings(max_examples=few, derandomize=True, database=None, deadline=None, suppress_health_check=quiet)
    return settings(
        max_examples=max(int(EXAMPLES * share), 1),
        database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis/examples"),
        deadline=None,
        print_blob=True,
        suppress_health_check=quiet,
    )


# --- values -----------------------------------------------------------------------------------------------------

texts = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["", "\ud800", "\0", "\x1b[31m", "<script>alert(1)</script>", "`**_", "٣", "x" * 5_000, "ﬁle", "\u2028", "code"]
)
numbers = (
    st.integers() | st.floats() | st.sampled_from([10**300, -(10**300), 10**4_000, 2**63, 2**64, 1e308, 5e-324, -0.0])
)
plain_values = st.none() | st.booleans() | numbers | texts
json_values: st.SearchStrategy[Any] = st.recursive(
    plain_values,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


def deep(depth: int, value: Any = 0) -> Any:
    """A value in so many lists."""
    for _ in range(depth):
        value = [value]
    return value


def copied(value: Any) -> Any:
    """A JSON value that can be changed without changing `value`."""
    return json.loads(json.dumps(value))


def spoil(draw: Draw, document: Any, changes: int = 4, values: st.SearchStrategy[Any] = json_values) -> Any:
    """A copy of a JSON value with up to so many changes anywhere in it."""
    document = copied(document)
    for _ in range(draw(st.integers(1, changes))):
        holder, key = _place(draw, document)
        if holder is None:
            return draw(values)
        _change(draw, holder, key, values)
    return document


def _place(draw: Draw, document: Any) -> tuple[Any, Any]:
    """Something in the document: what holds it, and where there; nothing where the document holds nothing."""
    holder = key = None
    inner = document
    while isinstance(inner, (list, dict)) and inner:
        if holder is not None and draw(st.integers(0, 3)) == 0:
            break
        holder, key = inner, draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
        inner = holder[key]
    return holder, key


def _change(draw: Draw, holder: Any, key: Any, values: st.SearchStrategy[Any]) -> None:
    how = draw(st.sampled_from(["replace", "replace", "delete", "double", "exchange", "wrap", "bury"]))
    if how == "delete":
        del holder[key]
    elif how == "double" and isinstance(holder, list):
        holder.insert(draw(st.integers(0, len(holder))), copied(holder[key]))
    elif how == "double":
        holder[draw(texts)] = copied(holder[key])
    elif how == "exchange":
        other = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        holder[key], holder[other] = holder[other], holder[key]
    elif how == "wrap":
        holder[key] = draw(st.sampled_from([[holder[key]], {"source": holder[key]}]))
    elif how == "bury":
        holder[key] = deep(draw(st.sampled_from([5, 40, 150])), holder[key])
    else:
        holder[key] = draw(values)


# --- bytes ------------------------------------------------------------------------------------------------------

PIECES = (
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\r",
    b'"',
    b"\\ud800",
    b"[" * 2_000,
    b"9" * 5_000,
    b"\n<<<<<<< x\n",
)


def spoil_bytes(draw: Draw, data: bytes) -> bytes:
    """Bytes that were cut off, turned, taken out or put in somewhere; often none."""
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 5]))):
        at = draw(st.integers(0, len(data)))
        how = draw(st.sampled_from(["cut", "turn", "take", "put", "piece"]))
        if how == "cut":
            data = data[:at]
        elif how == "turn" and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << draw(st.integers(0, 7)))]) + data[at + 1 :]
        elif how == "take":
            data = data[:at] + data[at + draw(st.integers(1, 50)) :]
        elif how == "put":
            data = data[:at] + draw(st.binary(max_size=8)) + data[at:]
        else:
            data = data[:at] + draw(st.sampled_from(PIECES)) + data[at:]
    return data


ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-7", "latin-1", "cp1252", "shift_jis")


def encoded(draw: Draw, text: str) -> bytes:
    """The text in some encoding; what it cannot hold is left out, or half of it stays."""
    encoding = draw(st.sampled_from(ENCODINGS))
    return text.encode(encoding, "surrogatepass" if encoding.startswith("utf-") and encoding != "utf-7" else "ignore")


# --- what a worker says of a value -----------------------------------------------------------------------------

DTYPES = sorted(returned.READABLE, key=str)
shapes = st.lists(st.integers(0, 4), max_size=4) | st.just([1] * (MAX_AXES + 1)) | st.sampled_from([[5, 3], [5, 7]])


@st.composite
def tensors(draw: Draw, shape: Sequence[int] | None = None) -> torch.Tensor:
    """A tensor of any dtype that is read; of the `shape`, where one is given."""
    values = st.floats(width=16) | st.sampled_from([math.nan, math.inf, 1e300, -1.0, 0.0])
    shape = draw(shapes) if shape is None else list(shape)
    filled = [draw(values) for _ in range(min(math.prod(shape), 3))]
    tensor = torch.tensor(list(itertools.islice(itertools.cycle(filled), math.prod(shape))), dtype=torch.float64)
    return tensor.reshape(shape).to(draw(st.sampled_from(DTYPES)))


FIELDS = {
    "type": texts,
    "number": numbers,
    "text": texts | st.sampled_from(["2/3", "1e400", "1/0", "0,5", "nan", "1_0", "-" * 99, " C "]),
    "note": texts,
    "keys": st.lists(texts, max_size=2),
    "tensor": st.sampled_from(["t0", "t1", "t2"]),
}
leaves = st.fixed_dictionaries({"kind": st.sampled_from(returned.KINDS)}, optional=FIELDS)
tensor_leaves = st.fixed_dictionaries({"kind": st.sampled_from(["tensor", "array"]), "tensor": FIELDS["tensor"]})
number_leaves = st.fixed_dictionaries({"kind": st.just("number"), "number": numbers})
trees = st.recursive(
    leaves | tensor_leaves | number_leaves,
    lambda inner: st.fixed_dictionaries(
        {"kind": st.sampled_from(["sequence", "sequence", "dict"]), "items": st.lists(inner, max_size=4)},
        optional=FIELDS,
    ),
    max_leaves=10,
)
sent = st.fixed_dictionaries({"t0": tensors(), "t1": tensors(), "t2": tensors()})


# --- what holds for all that was read ---------------------------------------------------------------------------


def assert_sentence(text: str) -> None:
    """Something that a person can read: no trace of ours, and it can be printed and written."""
    assert text.encode("utf-8")
    assert text.endswith((".", "?")), text
    assert "Traceback" not in text
    assert "Error:" not in text
    assert len(text) <= LONGEST_SENTENCE, text[:200]
    assert all(letter.isprintable() for letter in text), ascii(text)


def read_or_refused(name: str, data: bytes) -> Submission | None:
    """What is read from the bytes, which then can be sent to a worker; None where a sentence says why not."""
    try:
        submission = parse_submission(name, data, "alice")
    except Unreadable as problem:
        assert_sentence(str(problem))
        return None
    for message in submission.messages:
        assert_sentence(message)
    for cell in submission.cells:
        assert not {"\r", "\0"} & set(cell.source)
        assert cell.source.encode("utf-8") is not None
    numbers = [cell.number for cell in submission.cells]
    assert numbers == sorted(set(numbers))
    return submission
