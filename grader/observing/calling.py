"""Call one function on copies of some inputs and describe all that came of it.

The same code runs in the worker (on a student's function) and in the grader (on the reference and on its
mistakes), so that the two can be compared.
"""

from __future__ import annotations

import inspect
import random
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grader.observing.cells import cell_number, message_of
from grader.observing.forbidden import watching
from grader.observing.outcome import Called, Outcome, Raised
from grader.observing.returned import Returned, describe
from grader.observing.seen import last_trace, line_at, near_name, seen_at


def call(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    gradient: Mapping[int, torch.Tensor] | None = None,
    after: bool = False,
    seed: int | None = 0,
    forbids: Sequence[str] = (),
) -> Outcome:
    """Call `function`; tensors among `arguments` must be the caller's to lose.

    `gradient` maps places in the returned tuple (-1: the value itself) to the tensors that weigh them in
    the scalar whose gradient is taken. `seed` is set first (None: left alone, for the grader's threads).
    `forbids` are functions whose calls are told; to watch for them takes time.
    """
    if gradient:
        want_gradients(arguments)
    if seed is not None:
        seed_all(seed)
    called: Mapping[str, Called] = {}
    try:
        with watching(forbids) as called:
            value = function(*arguments)
    except BaseException as error:
        return Outcome("raised", raised=_raised(error, function), forbidden=tuple(called.values()))
    tree = safely_described(value)
    gradients, note = _gradients(value, gradient, arguments) if gradient else ((), "")
    left = tuple(safely_described(argument) for argument in arguments) if after else ()
    return Outcome("returned", tree, after=left, gradients=gradients, note=note, forbidden=tuple(called.values()))


def seed_all(number: int) -> None:
    """The same submission must get the same grade; calls get different seeds, so noise still shows."""
    random.seed(number)
    np.random.seed(number)
    torch.default_generator.manual_seed(number)  # torch.manual_seed also queues one for each kind of GPU, slowly


def safely_described(value: object) -> Returned:
    """`describe`, for objects that may do anything when touched."""
    try:
        return describe(value)
    except BaseException as error:
        return Returned("other", type(value).__name__, note=f"that cannot be read ({type(error).__name__})")


def want_gradients(arguments: Sequence[Any]) -> None:
    """Have those that can have a gradient get one."""
    for tensor in floating(arguments):
        tensor.requires_grad_()


def floating(arguments: Iterable[Any]) -> list[torch.Tensor]:
    """The floating-point tensors among them."""
    return [one for one in arguments if isinstance(one, torch.Tensor) and one.is_floating_point()]


def gradients_of(
    value: Any, seeds: Mapping[int, torch.Tensor], arguments: Sequence[Any]
) -> tuple[torch.Tensor | None, ...]:
    """The gradient of sum(seed * returned part) for each floating-point tensor among the arguments. Raises what torch
    raises.
    """
    parts = [value if place < 0 else value[place] for place in seeds]
    loss: Any = sum((part * seed).sum() for part, seed in zip(parts, seeds.values(), strict=True))
    return torch.autograd.grad(loss, floating(arguments), allow_unused=True)


def _gradients(
    value: Any, seeds: Mapping[int, torch.Tensor], arguments: Sequence[Any]
) -> tuple[tuple[Returned, ...], str]:
    try:
        found = gradients_of(value, seeds, arguments)
    except BaseException as error:
        return (), f"{type(error).__name__}: {message_of(error)}"
    return tuple(safely_described(gradient) for gradient in found), ""


def is_stub(error: BaseException, function: Any) -> bool:
    """Whether `error` is NotImplementedError straight from `function`, which does nothing else."""
    code = getattr(function, "__code__", None)
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if type(error) is not NotImplementedError or code is None or not frames or frames[-1].f_code is not code:
        return False
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    parameters = code.co_argcount + code.co_kwonlyargcount + starred
    return set(code.co_names) <= {"NotImplementedError"} and code.co_nlocals == parameters


def _raised(error: BaseException, function: Any) -> Raised:
    """The exception in words, with the last line of it that the student wrote."""
    stub = is_stub(error, function)
    kind, message = type(error).__name__, message_of(error)
    own = last_trace(error, lambda frame: cell_number(frame.f_code.co_filename) is not None)
    if own is None:
        return Raised(kind, message, stub=stub)
    where = cell_number(own.tb_frame.f_code.co_filename), own.tb_lineno, line_at(own)
    return Raised(kind, message, *where, stub, tensors=seen_at(own), near=near_name(error, own.tb_frame))
