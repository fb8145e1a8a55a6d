"""A reference as a chain of named steps, wired by argument name; a mistake replaces one of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Step: TypeAlias = Callable[..., Any]
RETURNED = "returned"  # the last step: it puts together what the function gives back


@dataclass(frozen=True)
class Mistake:
    """One way to go wrong: `replacement` in place of the step named `step`, and a sentence to the student."""

    step: str
    name: str
    message: str
    replacement: Step


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
        chain.steps = {**self.steps, **{mistake.step: mistake.replacement for mistake in mistakes}}
        return chain

    def function(self) -> Callable[..., Any]:
        """The whole function; it takes and returns what the student's should."""
        steps = dict(self.steps)
        steps[RETURNED] = steps.pop(RETURNED, _returned(self.returns))  # the last
        wiring = [(name, step, wanted_by(step)) for name, step in steps.items()]

        def run(*arguments: Any) -> Any:
            values = dict(zip(self.takes, arguments, strict=False))
            for name in self.takes[len(arguments) :]:
                values[name] = None  # an argument with the default None
            for name, step, wanted in wiring:
                values[name] = step(**{argument: values[argument] for argument in wanted})
            return values[RETURNED]

        return run

    def check_mistake(self, mistake: Mistake) -> None:
        """Raises ValueError when the mistake's step or one of its arguments does not exist."""
        if mistake.step != RETURNED and mistake.step not in self.steps:
            raise ValueError(f"the mistake `{mistake.name}` replaces `{mistake.step}`, which is no step")
        before = list(self.steps) if mistake.step == RETURNED else list(self.steps)[: self._place(mistake.step)]
        _check_wiring(mistake.name, mistake.replacement, (*self.takes, *before))

    def _place(self, step: str) -> int:
        return list(self.steps).index(step)


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
