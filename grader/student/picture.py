"""A public example as check() draws it: what the student's function gives, beside the figures of the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from grader.observing.calling import safely_described
from grader.observing.compare import Expected, close, parts_of, verb
from grader.observing.outcome import Finding
from grader.observing.returned import Returned
from grader.wording import joined

SHOWN = 1e-4  # figures in the text are rounded to 4 decimals
Table: TypeAlias = torch.Tensor | Sequence[Any]


@dataclass(frozen=True)
class Picture:
    """A call of the text and the figures that it gives.

    `make` calls the student's function and `call` says how that is written. Where several things come back, `returns`
    names them in their order ("output scores weights"), and `figures` holds those that the text shows, by name, in the
    order in which they are calculated. `weights` names what holds shares of attention ("result" where one thing comes
    back): it is drawn with the sums of its rows, and in place of the last figures where all are right.
    """

    call: str
    make: Callable[[Any], Any]
    figures: Table | Mapping[str, Table]
    returns: str = ""
    weights: str = ""

    @property
    def expected(self) -> dict[str, torch.Tensor]:
        """The figures by name; those of a single thing under "result"."""
        named = self.figures if isinstance(self.figures, Mapping) else {"result": self.figures}
        return {name: tensor_of(table) for name, table in named.items()}


@dataclass(frozen=True)
class Part:
    """One thing that came back beside what the text shows: tensors of any shape, and where they differ (None where
    their shapes do). `name` is "" where nothing else came back.
    """

    name: str
    yours: torch.Tensor
    expected: torch.Tensor
    wrong: torch.Tensor | None
    is_weights: bool

    @property
    def right(self) -> bool:
        """Whether it is what the text shows."""
        return self.wrong is not None and not bool(self.wrong.any())


@dataclass(frozen=True)
class Drawing:
    """What a call gave, part by part in the order of the calculation."""

    call: str
    parts: Sequence[Part]

    @property
    def wrong(self) -> Part | None:
        """The first part that is not as it should be: what comes later is made of it."""
        return next((part for part in self.parts if not part.right), None)

    @property
    def shown(self) -> Part:
        """The part to look at: the first wrong one, else the weights, else the last."""
        weights = next((part for part in self.parts if part.is_weights), self.parts[-1])
        return self.wrong or weights

    def begin(self) -> str:
        """Where to begin: "scores are as expected, and weights are not: begin there."; "" where all is right."""
        wrong = self.wrong
        if wrong is None:
            return ""
        if len(self.parts) == 1:
            told = "Compare the two shapes" if wrong.wrong is None else "Compare what is marked"
            return f"{told} with your calculation by hand."
        other = next((part.name for part in self.parts if part is not wrong and _equal(wrong.yours, part.expected)), "")
        if other:
            return f"What came back as {wrong.name} is what {other} should be: mind the order of what you return."
        before = [part.name for part in self.parts[: self.parts.index(wrong)]]
        if not before:
            return f"Begin with {wrong.name}: the rest is made of {'them' if verb(wrong.name) == 'are' else 'it'}."
        fine = f"{joined(before)} {verb(*before)} as expected"
        return f"{fine[0].upper()}{fine[1:]}, and {wrong.name} {verb(wrong.name)} not: begin there."


def _equal(yours: torch.Tensor, expected: torch.Tensor) -> bool:
    return yours.shape == expected.shape and bool(close(yours, expected, yours.dtype, SHOWN).all())


def drawn(picture: Picture, returned: Any) -> Drawing | None:
    """What `picture.make` returned beside the figures; None where that is nothing to draw, which the checks tell."""
    names = picture.returns.split() or ["result"]
    wanted = Expected(picture.call, dict.fromkeys(names, torch.empty(0)), torch.float32, single=not picture.returns)
    trees = parts_of(safely_described(returned), wanted)
    if isinstance(trees, Finding):
        return None
    parts = [_part(picture, name, trees[name], figures) for name, figures in picture.expected.items()]
    drawable = [part for part in parts if part is not None]
    return Drawing(picture.call, drawable) if len(drawable) == len(parts) else None


def _part(picture: Picture, name: str, tree: Returned, expected: torch.Tensor) -> Part | None:
    yours = tree.tensor
    if tree.kind != "tensor" or yours is None or not yours.numel():
        return None
    same = yours.shape == expected.shape
    wrong = ~close(yours, expected, yours.dtype, SHOWN) if same else None
    return Part(name if picture.returns else "", yours, expected, wrong, name == picture.weights)


def tensor_of(table: Table) -> torch.Tensor:
    """Figures as a tensor; a student may have changed the default dtype, and those of the text are float32."""
    return table if isinstance(table, torch.Tensor) else torch.tensor(table, dtype=torch.float32)
