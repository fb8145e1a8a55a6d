"""What stands on the student's line that raised: the tensors it names, and the name that it may have meant."""

from __future__ import annotations

import difflib
import io
import itertools
import linecache
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, TypeGuard

import torch

MOST_SEEN = 6  # tensors of a line
MOST_AXES = 8  # of each
LONGEST_AXIS = 2**48
LONGEST_NAME = 40  # characters
LONGEST_LINE = 200
MOST_LINES = 20  # of a call that goes over several
MOST_NAMES = 1_000  # that are compared with a misspelt one
# as they were before any code of a student's ran
TENSORS = (torch.Tensor, torch.nn.Parameter)
SIZE = torch.Size
DTYPES = frozenset(
    str(dtype).removeprefix("torch.") for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)
)


@dataclass(frozen=True)
class Seen:
    """A tensor by its name, shape and dtype ("float32")."""

    name: str
    shape: tuple[int, ...]
    dtype: str


def last_trace(error: BaseException, owns: Callable[[FrameType], bool]) -> TracebackType | None:
    """The last place of an exception's way that `owns` knows as the student's own; None where there is none."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        found = trace if owns(trace.tb_frame) else found
        trace = trace.tb_next
    return found


def line_at(trace: TracebackType) -> str:
    """The student's line; "" where it cannot be had."""
    try:
        return str(_line(trace, trace.tb_lineno)).strip()[:LONGEST_LINE]
    except BaseException:  # the student's code may have taken linecache apart
        return ""


def seen_at(trace: TracebackType) -> tuple[Seen, ...]:
    """The tensors that met in the operation that raised; where it names none, those of its whole line."""
    try:
        for source in (_operation(trace), _line(trace, trace.tb_lineno)):
            found = [_seen(name, _value(trace.tb_frame, name)) for name in _names(source)]
            if any(found):
                return tuple(seen for seen in found if seen is not None)[:MOST_SEEN]
    except BaseException:  # the student's own mapping of names, patched torch, or anything else
        pass
    return ()


def near_name(error: BaseException, frame: FrameType) -> str:
    """A name in reach that is almost the one that is missing; "" where there is none."""
    try:
        wanted = error.name if isinstance(error, NameError) else None
        if not _is_name(wanted) or isinstance(error, UnboundLocalError):
            return ""
        known = itertools.islice(itertools.chain(frame.f_locals, frame.f_globals), MOST_NAMES)
        return nearest(wanted, [name for name in known if _is_name(name)])
    except BaseException:
        return ""


def nearest(wanted: str, known: list[str]) -> str:
    """The one that differs in capitals only, or else in few letters; names that begin with `_` are nobody's own."""
    own = [name for name in known if not name.startswith("_") and name != wanted]
    same = [name for name in own if name.lower() == wanted.lower()]
    return next(iter(same or difflib.get_close_matches(wanted, own, 1, 0.8)), "")


def seen_from_wire(plain: Any) -> tuple[Seen, ...]:
    """What a worker says it saw, which trusts nothing: ValueError on anything else."""
    if type(plain) is not list or len(plain) > MOST_SEEN:
        raise ValueError("not the tensors of a line")
    return tuple(_read(one) for one in plain)


def name_from_wire(plain: Any) -> str:
    """A name that a worker tells, or "". Raises ValueError on anything else."""
    if plain != "" and not _is_name(plain):
        raise ValueError("not a name")
    return str(plain)


def _read(plain: Any) -> Seen:
    if type(plain) is not dict or set(plain) != {"name", "shape", "dtype"}:
        raise ValueError("not a tensor of a line")
    shape, dtype = plain["shape"], plain["dtype"]
    if type(shape) is not list or len(shape) > MOST_AXES or not all(type(size) is int for size in shape):
        raise ValueError("not a shape")
    if not _is_name(plain["name"]) or type(dtype) is not str or dtype not in DTYPES:
        raise ValueError("not a tensor of a line")
    return Seen(plain["name"], tuple(min(max(size, 0), LONGEST_AXIS) for size in shape), dtype)


def _is_name(value: Any) -> TypeGuard[str]:
    return type(value) is str and len(value) <= LONGEST_NAME and value.isidentifier()


def _seen(name: str, value: Any) -> Seen | None:
    """Only a tensor of torch's own, which is asked for nothing but its shape and dtype."""
    if type(value) not in TENSORS or not _is_name(name):
        return None
    shape, dtype = value.shape, str(value.dtype).removeprefix("torch.")
    if type(shape) is not SIZE or len(shape) > MOST_AXES or not all(type(size) is int for size in shape):
        return None
    return Seen(name, tuple(shape), dtype) if dtype in DTYPES else None


def _value(frame: FrameType, name: str) -> Any:
    return frame.f_locals[name] if name in frame.f_locals else dict.get(frame.f_globals, name)


def _operation(trace: TracebackType) -> str:
    """The source of what was being worked out: `q @ k` in `scores = (q @ k).softmax(dim=-1)`."""
    positions = trace.tb_frame.f_code.co_positions()
    first, last, start, end = next(itertools.islice(positions, trace.tb_lasti // 2, None))
    if first is None or last is None or start is None or end is None or last - first >= MOST_LINES:
        return ""
    lines = [_line(trace, number).encode() for number in range(first, last + 1)]  # columns count bytes
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return b"".join(lines).decode()


def _line(trace: TracebackType, number: int) -> str:
    return linecache.getline(trace.tb_frame.f_code.co_filename, number)


def _names(source: str) -> list[str]:
    """Names in the order in which they stand; none of an attribute, of a keyword argument or of what is assigned."""
    found: dict[str, None] = {}
    name = before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(f"({source}\n)").readline):
            if name and token.string != "=":
                found.setdefault(name)
            name = token.string if token.type == tokenize.NAME and before != "." else ""
            before = token.string
    except (tokenize.TokenError, SyntaxError):  # a part of a statement: what was read of it will do
        pass
    return list(found)
