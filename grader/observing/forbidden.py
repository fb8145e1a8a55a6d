"""Which forbidden functions a call reaches while it runs: the second net beside reading the source.

It hangs in the process of the student's code, which can take it down. It catches honest work and plain ways round
a rule. It does not see operators (`@`), ufuncs of NumPy and types written in C, nor other processes.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch
from torch.overrides import TorchFunctionMode

from grader.observing.cells import cell_number
from grader.observing.outcome import Called

Test: TypeAlias = Callable[[types.FrameType], bool]  # whether a frame of some code is a call of the forbidden thing
STARTS = ("__new__", "__init__", "__call__", "forward")  # what a use of a class or of its instances runs


@dataclass
class Watched:
    """How calls of forbidden things are known: C functions and operators by equality, methods of C types by their
    name and type, all that is written in Python by its code and a test of the frame.
    """

    things: dict[Any, str] = field(default_factory=dict)
    methods: dict[str, list[tuple[type, str]]] = field(default_factory=dict)
    codes: dict[types.CodeType, list[tuple[Test, str]]] = field(default_factory=dict)


def named(name: str, module: Callable[[str], Any] = importlib.import_module) -> Any:
    """The function or class of a dotted name. Raises ValueError with a sentence where there is none."""
    thing, path = None, ""
    for part in name.split("."):
        path = f"{path}.{part}" if path else part
        try:
            known = thing is not None and hasattr(thing, part)
            thing = getattr(thing, part) if known else module(path)
        except (ImportError, KeyError, ValueError):
            raise ValueError(f"`{name}` does not exist: there is no `{path}`") from None
    if isinstance(thing, types.ModuleType) or not callable(thing):
        raise ValueError(f"`{name}` is neither a function nor a class")
    return thing


def watched(names: Sequence[str]) -> Watched:
    """What to look for. The student's code may have changed torch: a name that is no longer there is left out, and
    nothing is imported, for it may be torch that is.
    """
    found = Watched()
    for name in names:
        with contextlib.suppress(Exception):
            for thing in _spellings(name):
                _add(found, thing, name)
    return found


def _spellings(name: str) -> Iterator[Any]:
    """The thing; for a C function of torch also the operator that it is, and each form of an operator."""
    thing = named(name, sys.modules.__getitem__)
    yield thing
    if isinstance(thing, types.BuiltinFunctionType) and name.startswith("torch."):
        yield (thing := getattr(torch.ops.aten, thing.__name__))
    if isinstance(thing, torch._ops.OpOverloadPacket):
        yield from (getattr(thing, overload) for overload in thing.overloads())  # type: ignore[no-untyped-call]


def _add(found: Watched, thing: Any, name: str) -> None:
    if isinstance(thing, types.MethodDescriptorType):
        found.methods.setdefault(thing.__name__, []).append((thing.__objclass__, name))
    for code, test in _python_code(thing):
        if cell_number(code.co_filename) is None:  # else the student has put an own function in its place
            found.codes.setdefault(code, []).append((test, name))
    found.things[thing] = name  # the last, for a thing that cannot be hashed


def _python_code(thing: Any) -> Iterator[tuple[types.CodeType, Test]]:
    """The code that a call of the thing runs, where it is written in Python."""
    if isinstance(thing, type):
        starts = [getattr(thing, start, None) for start in STARTS]
        yield from (
            (start.__code__, _first(start.__code__, thing, _is_of)) for start in starts if inspect.isfunction(start)
        )
    elif inspect.ismethod(thing):
        yield thing.__func__.__code__, _first(thing.__func__.__code__, thing.__self__, _is)
    elif inspect.isfunction(function := inspect.unwrap(thing)):
        yield function.__code__, _closes_over(function)
    elif inspect.isfunction(start := type(thing).__call__):
        yield start.__code__, _first(start.__code__, thing, _is)


def _first(code: types.CodeType, thing: Any, test: Callable[[Any, Any], bool]) -> Test:
    """The code is shared by all instances, and often by other classes: `self` says whose call it is."""
    argument = code.co_varnames[:1]
    return lambda frame: any(test(frame.f_locals.get(name), thing) for name in argument)


def _is(first: Any, thing: Any) -> bool:
    return first is thing


def _is_of(first: Any, thing: Any) -> bool:
    return thing in (first if isinstance(first, type) else type(first)).__mro__


def _closes_over(function: types.FunctionType) -> Test:
    """Functions made by one maker (max_pool1d, max_pool2d) share their code: what they close over tells them apart."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return lambda frame: all(frame.f_locals.get(name) is cell.cell_contents for name, cell in cells.items())


class _TorchCalls(TorchFunctionMode):
    """Hears of torch's functions that C code calls, such as `functools.partial` and `map`, unseen by a profiler."""

    def __init__(self, hear: Callable[[Any, types.FrameType], None]) -> None:
        super().__init__()
        self._hear = hear

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._hear(func, sys._getframe(1))
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def watching(names: Sequence[str]) -> Iterator[dict[str, Called]]:
    """The forbidden functions that were called within, with the student's line that did first."""
    calls: dict[str, Called] = {}
    if not names:
        yield calls
        return
    known = watched(names)

    def hear(thing: Any, frame: types.FrameType) -> None:
        _note(calls, known.things.get(thing), frame)

    before, before_in_threads = sys.getprofile(), threading.getprofile()
    profile = _profile(known, calls)
    mode = _TorchCalls(hear)
    mode.__enter__()  # type: ignore[no-untyped-call]
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(before_in_threads)
        with contextlib.suppress(Exception):  # the student's code may have ended the mode
            mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]


def _profile(known: Watched, calls: dict[str, Called]) -> Callable[[types.FrameType, str, Any], None]:
    things, methods, codes = known.things, known.methods, known.codes

    def profile(frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "call":
            for test, name in codes.get(frame.f_code, ()):
                if test(frame):
                    _note(calls, name, frame)
        elif event == "c_call":
            _note(calls, things.get(arg), frame)
            for kind, name in methods.get(arg.__name__, ()):
                if kind in type(arg.__self__).__mro__:
                    _note(calls, name, frame)

    return profile


def _note(calls: dict[str, Called], name: str | None, frame: types.FrameType) -> None:
    if name is None or name in calls:
        return
    calls[name] = Called(name)
    inner: types.FrameType | None = frame
    while inner is not None and (cell := cell_number(inner.f_code.co_filename)) is None:
        inner = inner.f_back
    if inner is not None:
        calls[name] = Called(name, cell, inner.f_lineno)
