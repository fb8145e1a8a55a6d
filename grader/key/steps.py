"""A reference as a chain of named steps, wired by argument name; a mistake replaces one of them, or several at once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

Step: TypeAlias = Callable[..., Any]
TAKEN = "taken"  # before all steps: it puts the arguments into the order in which the function takes them
CODE = "code"  # no step: what is wrong with a function as a program
RETURNED = "returned"  # the last step: it puts together what the function gives back


@dataclass(frozen=True)
class Mistake:
    """One way to go wrong: `replacement` in place of the step named `step`, and a sentence to the student.

    `also` are further steps that the same slip changes, by name.
    """

    step: str
    name: str
    message: str
    replacement: Step
    also: Mapping[str, Step] = field(default_factory=dict, hash=False)

    @property
    def replaced(self) -> dict[str, Step]:
        """All replacements, by the step's name."""
        return {self.step: self.replacement, **self.also}


class Chain:
    """Named steps in order. A step's arguments are the function's own and earlier steps' results, by name."""

    def __init__(self, takes: Sequence[str], returns: Sequence[str]) -> None:
        self.takes = tuple(takes)
        self.returns = tuple(returns)
        self.steps: dict[str, Step] = {}

    def add(self, step: Step) -> None:
        """Add a step under its function's name. Raises ValueError for a name that stands already."""
        name = step.__name__
        if name in self.steps or name in self.takes:
            raise ValueError(f"the step `{name}` stands twice; give each step a name of its own")
        _check_wiring(name, step, (*self.takes, *self.steps))
        self.steps[name] = step

    def with_mistakes(self, mistakes: Sequence[Mistake]) -> Chain:
        """The same chain with the replacements of `mistakes` in place of their steps."""
        chain = Chain(self.takes, self.returns)
        chain.steps = dict(self.steps)
        for mistake in mistakes:
            chain.steps |= mistake.replaced
        return chain

    def function(self) -> Callable[..., Any]:
        """The whole function; it takes and returns what the student's should."""
        steps = dict(self.steps)
        steps[RETURNED] = steps.pop(RETURNED, _returned(self.returns))  # the last
        wiring = [(name, step, wanted_by(step)) for name, step in steps.items() if name != TAKEN]

        def run(*arguments: Any) -> Any:
            values = self._taken(arguments)
            for name, step, wanted in wiring:
                values[name] = step(**{argument: values[argument] for argument in wanted})
            return values[RETURNED]

        return run

    def rounded(self, decimals: int, only: str | None = None) -> Chain:
        """The same chain whose results are rounded to so many decimals, after each step or after one."""
        chain = Chain(self.takes, self.returns)
        chain.steps = {
            name: _rounding(step, decimals) if only in (None, name) else step for name, step in self.steps.items()
        }
        return chain

    def value(self, step: str, arguments: Sequence[Any], known: Mapping[str, Any]) -> Any:
        """What a step makes of the arguments and of the results of earlier steps that are `known`."""
        values = self._taken(arguments)
        for name in (*self._before(step), step):
            values[name] = known[name] if name in known else self._made(name, values)
        return values[step]

    def _made(self, name: str, values: Mapping[str, Any]) -> Any:
        step = self.steps[name]
        return step(**{argument: values[argument] for argument in wanted_by(step)})

    def _taken(self, arguments: Sequence[Any]) -> dict[str, Any]:
        """The arguments by name; one that is left out is its default None."""
        given = [*arguments, *[None] * (len(self.takes) - len(arguments))]
        values = dict(zip(self.takes, given, strict=True))
        order = self.steps.get(TAKEN)
        return values if order is None else dict(zip(self.takes, order(**values), strict=True))

    def check_mistake(self, mistake: Mistake) -> None:
        """Raises ValueError when one of the mistake's steps or of their arguments does not exist."""
        for step, replacement in mistake.replaced.items():
            if step not in (TAKEN, RETURNED, *self.steps):
                raise ValueError(f"the mistake `{mistake.name}` replaces `{step}`, which is no step")
            _check_wiring(mistake.name, replacement, (*self.takes, *self._before(step)))

    def _before(self, step: str) -> Sequence[str]:
        """The steps whose results another one can take."""
        order = [name for name in self.steps if name not in (TAKEN, RETURNED)]
        return [] if step == TAKEN else order if step == RETURNED else order[: order.index(step)]


def _rounding(step: Step, decimals: int) -> Step:
    def rounded(*values: Any) -> Any:
        value = step(**dict(zip(wanted_by(step), values, strict=True)))
        return value.round(decimals=decimals) if isinstance(value, torch.Tensor) else value

    return _named_like(wanted_by(step), rounded)


@functools.cache
def wanted_by(step: Step) -> tuple[str, ...]:
    """The names of a step's arguments; looking at a signature takes longer than running most steps."""
    return tuple(inspect.signature(step).parameters)


def _check_wiring(name: str, step: Step, known: Sequence[str]) -> None:
    for wanted in wanted_by(step):
        if wanted not in known:
            raise ValueError(f"`{name}` takes `{wanted}`, which is neither an argument nor an earlier step")


@functools.cache
def _returned(names: tuple[str, ...]) -> Step:
    """The step that gathers what is returned: one for all chains, since `wanted_by` keeps each step for good."""
    return _named_like(names, lambda *values: values[0] if len(names) == 1 else values)


def _named_like(names: Sequence[str], function: Callable[..., Any]) -> Step:
    """`function` under a signature of its own, so that wiring by name finds its arguments."""

    def step(**values: Any) -> Any:
        return function(*(values[name] for name in names))

    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    step.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return step
