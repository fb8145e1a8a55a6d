"""A public example as check() draws it: what the student's function gives, beside the figures that are expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from grader.observing.calling import safely_described
from grader.observing.compare import close, dtype_name, named_parts, right_and_not, verb
from grader.observing.outcome import Finding
from grader.observing.returned import Returned
from grader.wording import capital, joined

ROUNDING = 1e-4  # figures in the text are rounded to 4 decimals
MOST_ROWS = 5  # that are named
ONLY = "result"  # what the one thing that comes back is called
Table: TypeAlias = torch.Tensor | Sequence[Any]


@dataclass(frozen=True)
class Picture:
    """A call and the figures that it gives, declared by the author of a lesson.

    `make` calls the student's function and `call` says how that is written. Where several things come back, `returns`
    names them in their order ("output scores weights"), and `figures` holds those to compare, by name, in the order in
    which they are calculated. `weights` names what holds shares of attention ("result" where one thing comes back): it
    is drawn with the sums of its rows, and in place of the last figures where all are right. Raises ValueError for
    names that do not fit together.
    """

    call: str
    make: Callable[[Any], Any]
    figures: Table | Mapping[str, Table]
    returns: str = ""
    weights: str = ""

    def __post_init__(self) -> None:
        known = set(self.names)
        unknown = sorted((set(self.expected) | set(filter(None, [self.weights]))) - known)
        if unknown or isinstance(self.figures, Mapping) != bool(self.returns):
            what = joined(unknown) or "figures by name go with `returns`, and figures alone without it"
            raise ValueError(f"{self.call}: {what}; what comes back is {', '.join(self.names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """What comes back, in its order."""
        return tuple(self.returns.split()) or (ONLY,)

    @property
    def expected(self) -> dict[str, torch.Tensor]:
        """The figures by name."""
        named = self.figures if isinstance(self.figures, Mapping) else {ONLY: self.figures}
        return {name: tensor_of(table) for name, table in named.items()}


@dataclass(frozen=True)
class Part:
    """One thing that came back beside the expected one: tensors of any shape, and where they differ (None where their
    shapes do). `name` is "" where nothing else came back.
    """

    name: str
    yours: torch.Tensor
    expected: torch.Tensor
    differs: torch.Tensor | None
    is_weights: bool

    @property
    def right(self) -> bool:
        """Whether figures and dtype are the expected ones."""
        return self.differs is not None and not bool(self.differs.any()) and self.yours.dtype == self.expected.dtype

    def trouble(self) -> str:
        """What is wrong with it, in words, the cheap questions first."""
        thing = self.name or "the result"
        be, hold = verb(thing), "hold" if verb(thing) == "are" else "holds"
        if self.differs is None:
            return f"{thing} {be} of shape {list(self.yours.shape)}, not {list(self.expected.shape)}"
        if self.yours.dtype != self.expected.dtype:
            return f"{thing} {be} {dtype_name(self.yours.dtype)}, not {dtype_name(self.expected.dtype)}"
        if not bool(torch.isfinite(self.yours).all()):
            return f"{thing} {hold} NaN or infinity"
        return off_sums(self.yours) if self.is_weights else ""


@dataclass(frozen=True)
class Drawing:
    """What a call gave, part by part in the order of the calculation."""

    call: str
    parts: Sequence[Part]

    @property
    def first_wrong(self) -> Part | None:
        """The first part that is not as it should be: what comes later is made of it."""
        return next((part for part in self.parts if not part.right), None)

    @property
    def shown(self) -> Part:
        """The part to look at: the first wrong one, else the weights, else the last."""
        weights = next((part for part in self.parts if part.is_weights), self.parts[-1])
        return self.first_wrong or weights

    def begin(self) -> str:
        """Where to begin, in a sentence; "" where all is right."""
        wrong = self.first_wrong
        if wrong is None:
            return ""
        other = next((part.name for part in self.parts if part is not wrong and _equal(wrong.yours, part.expected)), "")
        if other:
            return f"What came back as {wrong.name} is what {other} should be: mind the order of what you return."
        before = [part.name for part in self.parts[: self.parts.index(wrong)]]
        fine = capital(right_and_not(before, [wrong.name])) if before else ""
        trouble = wrong.trouble()
        if trouble:
            return f"{fine} {capital(trouble)}: begin there.".lstrip()
        where = f"Begin with {wrong.name}: compare" if wrong.name else "Compare"
        return f"{fine} {where} what is marked with your calculation by hand.".lstrip()


def drawn(picture: Picture, returned: Any) -> Drawing | None:
    """What `picture.make` returned beside the figures; None where that is nothing to draw, which the checks tell."""
    tree = safely_described(returned)
    trees = named_parts(tree, picture.names, picture.call) if picture.returns else {ONLY: tree}
    if isinstance(trees, Finding):
        return None
    parts = [_part(picture, name, trees[name], figures) for name, figures in picture.expected.items()]
    drawable = [part for part in parts if part is not None]
    return Drawing(picture.call, drawable) if len(drawable) == len(parts) else None


def _part(picture: Picture, name: str, tree: Returned, expected: torch.Tensor) -> Part | None:
    yours = tree.tensor
    if tree.kind != "tensor" or yours is None or not yours.numel():
        return None
    differs = ~close(yours, expected, yours.dtype, ROUNDING) if yours.shape == expected.shape else None
    return Part(name if picture.returns else "", yours, expected, differs, name == picture.weights)


def _equal(yours: torch.Tensor, expected: torch.Tensor) -> bool:
    return yours.shape == expected.shape and bool(close(yours, expected, yours.dtype, ROUNDING).all())


def off_sums(weights: torch.Tensor) -> str:
    """`rows 0 and 2 do not sum to 1`; "" where each row of two axes sums to 1. NaN counts as no sum."""
    sums = as_table(weights).to(torch.float64).sum(dim=-1)
    off = [str(row) for row in (torch.isfinite(sums) & ((sums - 1).abs() >= 1e-3)).nonzero().flatten().tolist()]
    if not off:
        return ""
    named = [*off[:MOST_ROWS], *([f"{len(off) - MOST_ROWS} more"] if len(off) > MOST_ROWS else [])]
    return f"row {off[0]} does not sum to 1" if len(off) == 1 else f"rows {joined(named)} do not sum to 1"


def as_table(numbers: torch.Tensor) -> torch.Tensor:
    """One row for a single number or a row; of more than two axes, the first table."""
    whole = numbers if numbers.ndim > 1 else numbers.reshape(1, -1)
    return whole.reshape(-1, *whole.shape[-2:])[0] if whole.numel() else whole.reshape(0, 0)


def tensor_of(table: Table) -> torch.Tensor:
    """Figures as a tensor; a student may have changed the default dtype, and those of the text are float32."""
    return table if isinstance(table, torch.Tensor) else torch.tensor(table, dtype=torch.float32)
