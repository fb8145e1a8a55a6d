"""A question answered by a function: its reference, its mistakes and the checks that earn its points."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

from grader.key.arguments import copied, dtype_of, widened
from grader.key.draw import Draw
from grader.key.steps import Chain, Mistake, Step
from grader.observing.calling import call, floating, gradients_of, want_gradients
from grader.observing.compare import Expected, call_text
from grader.observing.outcome import Outcome
from grader.wording import joined

Cases: TypeAlias = Callable[[Draw], Iterator[Sequence[Any]]]
SmallInputs: TypeAlias = Callable[[], Iterator[Sequence[Any]]]
Formulation: TypeAlias = Callable[..., Any]  # a whole function, which takes and returns what the student's should


@dataclass(frozen=True)
class CodeCheck:
    """Cases that must all come out right for the check's points.

    `only`: the returned names compared (default all). `gradient`: compare the gradient of the first
    returned tensor too. `unchanged`: the inputs must be as they were. `repeat`: two calls must agree.
    `keeps_dtype`: the check is about the dtype, so that a reference with a mistake in it excuses no other.
    Checks with the same cases that look at different parts share their calls.
    """

    name: str
    points: float
    cases: Cases
    only: tuple[str, ...] = ()
    gradient: bool = False
    unchanged: bool = False
    repeat: bool = False
    tolerance: float | None = None
    keeps_dtype: bool = False

    def shares_calls(self, other: CodeCheck) -> bool:
        """Whether one set of calls serves both."""
        return self._common == other._common

    @property
    def _common(self) -> dict[str, Any]:
        """What checks that share their calls have in common."""
        return {name: value for name, value in vars(self).items() if name not in ("name", "points", "only")}


@dataclass(frozen=True, eq=False)  # each is its own: what is sent for it is kept by it
class Probe:
    """One call that `check` makes, and each check that shares its calls, with what should come of it."""

    check: CodeCheck
    arguments: tuple[Any, ...]
    seeds: Mapping[int, torch.Tensor]
    expected: Expected
    gradients: tuple[torch.Tensor | None, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def named(self) -> dict[str, Any]:
        """The arguments by the names that the exercise gives them."""
        return dict(zip(self.names, self.arguments, strict=True))


@dataclass
class CodeQuestion:
    """A function that the student writes. `axes` says, per returned name, what its axes are; `forbids` are the
    dotted names of what it must not call: whether it does is a rule of the question, worth no points of its own.
    `alternatives` are other ways to write it that are right as well.
    """

    id: str
    title: str
    points: float
    chain: Chain
    hint: str = ""
    axes: Mapping[str, str] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    checks: list[CodeCheck] = field(default_factory=list)
    telling: list[Cases] = field(default_factory=list)
    mistaken: bool = False
    forbids: tuple[str, ...] = ()
    small_inputs: SmallInputs | None = None
    alternatives: list[Formulation] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.id,)

    @property
    def asks(self) -> tuple[tuple[str, float], ...]:
        """What is checked, and for how many points each."""
        rule = ((self.rule, 0.0),) if self.forbids else ()
        return (*rule, *((check.name, check.points) for check in self.checks))

    @property
    def rule(self) -> str:
        """That the forbidden functions are not called, as a sentence; "" where none are."""
        return f"{joined(self.forbids)} {'are' if len(self.forbids) > 1 else 'is'} not called" if self.forbids else ""

    def step(self, function: Step) -> Step:
        """Decorator: the next step of the reference, named by its function."""
        self.chain.add(function)
        return function

    def mistake(self, step: str, message: str, **also: Step) -> Callable[[Step], Step]:
        """Decorator: a mistake in `step`, named by its function, with the sentence that the student reads.

        `also`: other steps that the same slip changes. Raises ValueError for a step that does not exist.
        """

        def add(function: Step) -> Step:
            mistake = Mistake(step, function.__name__, message, function, also)
            self.chain.check_mistake(mistake)
            self.mistakes.append(mistake)
            return function

        return add

    def alternative(self, function: Formulation) -> Formulation:
        """Decorator: the whole function, written in another way that is right. `grader verify` measures with it how
        far right answers lie apart.
        """
        self.alternatives.append(function)
        return function

    def cases(
        self,
        name: str,
        points: float,
        only: str = "",
        *,
        gradient: bool = False,
        unchanged: bool = False,
        repeat: bool = False,
        tolerance: float | None = None,
        keeps_dtype: bool = False,
    ) -> Callable[[Cases], Cases]:
        """Decorator: a generator of argument tuples, worth `points` when all come out right.

        The rest are the fields of CodeCheck. Raises ValueError for a returned name that does not exist.
        """
        unknown = set(only.split()) - set(self.chain.returns)
        if unknown:
            raise ValueError(f"`{self.id}` returns no {', '.join(sorted(unknown))}")

        def add(cases: Cases) -> Cases:
            names = tuple(only.split())
            check = CodeCheck(name, points, cases, names, gradient, unchanged, repeat, tolerance, keeps_dtype)
            self.checks.append(check)
            return cases

        return add

    def tells_apart(self, cases: Cases) -> Cases:
        """Decorator: a generator of argument tuples on which mistakes differ that nothing else tells apart.

        They are called to name a mistake and earn nothing; the reference may raise on them.
        """
        self.telling.append(cases)
        return cases

    def small(self, inputs: SmallInputs) -> SmallInputs:
        """Decorator: a generator of argument tuples made for showing, from the smallest on; at most 6 rows and columns.

        Students read them, with what should come back, so no answer of the lesson may stand in them.
        """
        self.small_inputs = inputs
        return inputs

    def small_probes(self) -> Iterator[Probe]:
        """The calls on the inputs made for showing; each is made twice, for random numbers show nothing."""
        inputs = self.small_inputs
        if inputs is None:
            return iter(())
        return self.probes(CodeCheck("small inputs", 0, lambda _: inputs(), repeat=True), Draw(0))

    def trials(self) -> list[list[CodeCheck]]:
        """The checks, those together that share their calls."""
        together: list[list[CodeCheck]] = []
        for check in self.checks:
            same = next((trial for trial in together if trial[0].shares_calls(check)), None)
            if same is None:
                together.append([check])
            else:
                same.append(check)
        return together

    def with_mistakes(self, mistakes: Sequence[Mistake]) -> CodeQuestion:
        """The same question, whose reference makes the mistakes."""
        return dataclasses.replace(self, chain=self.chain.with_mistakes(mistakes), mistaken=True)

    def reference(self) -> Callable[..., Any]:
        """The reference function: takes and returns what the student's should."""
        return self.chain.function()

    def probes(self, check: CodeCheck, draw: Draw) -> Iterator[Probe]:
        """The check's calls on inputs from `draw`, with what the reference makes of them in float64; each is made when
        it is asked for.
        """
        reference = self.reference()
        return (self._probe(check, tuple(arguments), draw, reference) for arguments in check.cases(draw))

    def expecting(self, probe: Probe) -> Probe:
        """The same call, with what this question's reference makes of it."""
        return self._expecting(probe.check, probe.arguments, self.reference(), lambda first: probe.seeds)

    def telling_probes(self, draw: Draw) -> Iterator[Probe]:
        """The calls that only tell mistakes apart, of which nothing is expected."""
        for cases in self.telling:
            for arguments in cases(draw):
                call = call_text(self.id, self.chain.takes, arguments)
                check = CodeCheck("tells mistakes apart", 0, cases)
                yield Probe(check, tuple(arguments), {}, Expected(call, {}, torch.float64, False))

    def _probe(self, check: CodeCheck, arguments: tuple[Any, ...], draw: Draw, reference: Step) -> Probe:
        place = 0 if len(self.chain.returns) > 1 else -1
        dtype = dtype_of(arguments)

        def seeds(first: torch.Tensor) -> dict[int, torch.Tensor]:
            return {place: draw.normal(*first.shape, dtype=dtype)} if check.gradient else {}

        return self._expecting(check, arguments, reference, seeds)

    def _expecting(
        self,
        check: CodeCheck,
        arguments: tuple[Any, ...],
        reference: Step,
        seeded: Callable[[torch.Tensor], Mapping[int, torch.Tensor]],
    ) -> Probe:
        """`seeded` gives the seeds of the gradient, given the first returned tensor."""
        own_dtypes = not floating(arguments) or (self.mistaken and not check.keeps_dtype)
        returned = self._parts(reference(*widened(arguments)))
        seeds = seeded(returned[self.chain.returns[0]])
        gradients = _gradients(reference, arguments, seeds) if seeds else ()
        expected = Expected(
            call_text(self.id, self.chain.takes, arguments),
            returned,
            dtype_of(arguments),
            len(returned) == 1,
            self.axes,
            check.tolerance,
            self._own_dtypes(reference, arguments, returned) if own_dtypes else {},
        )
        return Probe(check, arguments, seeds, expected, gradients, self.chain.takes[: len(arguments)])

    def _own_dtypes(
        self, reference: Step, arguments: tuple[Any, ...], widely: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.dtype]:
        """What the reference itself gives. A right one keeps the dtype of its inputs, where there are floating-point
        tensors among them; a mistake may be just that it does not.
        """
        if all(tensor.dtype == torch.float64 for tensor in floating(arguments)):
            return {name: part.dtype for name, part in widely.items()}
        return {name: part.dtype for name, part in self._parts(reference(*copied(arguments))).items()}

    def _parts(self, value: Any) -> dict[str, torch.Tensor]:
        parts = value if len(self.chain.returns) > 1 else (value,)
        return dict(zip(self.chain.returns, parts, strict=True))


def _gradients(
    reference: Step, arguments: tuple[Any, ...], seeds: Mapping[int, torch.Tensor]
) -> tuple[torch.Tensor | None, ...]:
    """Of the reference in float64; none where a mistake in it cuts them off."""
    wide = {place: seed.to(torch.float64) for place, seed in seeds.items()}
    inputs = widened(arguments)
    want_gradients(inputs)
    try:
        return gradients_of(reference(*inputs), wide, inputs)
    except Exception:
        return ()


def probe_outcome(function: Callable[..., Any], probe: Probe, seed: int | None = None) -> Outcome:
    """What a reference or a mistake does on a probe, observed as a student's function is."""
    return call(function, copied(probe.arguments), gradient=probe.seeds, after=probe.check.unchanged, seed=seed)


def points_add_up(points: float, parts: Sequence[float], what: str) -> None:
    """Raises ValueError when the parts are not worth the whole."""
    if not math.isclose(sum(parts), points):
        raise ValueError(f"{what} is worth {points:g} points, but its checks add up to {sum(parts):g}")
