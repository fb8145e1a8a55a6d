"""How far right answers lie apart, how near the nearest mistake is, and whether a tolerance stands clear of both.

Distances are those of the comparison itself: of `|given - right| / (1 + |right|)` the largest, so that a tolerance of
1e-6 lets pass what lies within 1e-6.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.key.arguments import dtype_of, widened
from grader.key.code import CodeCheck, CodeQuestion, Probe
from grader.key.judge import gradient_tolerance, judge
from grader.key.steps import Mistake
from grader.observing.calling import floating
from grader.observing.compare import parts_of, tolerances
from grader.observing.outcome import Outcome
from grader.observing.returned import Returned
from grader.verifying.proof import Proof
from grader.verifying.rehearsal import Function, Rehearsal, Run
from grader.wording import counted

FORMULATIONS = 6  # right ones, at least, among which the spread is measured
CLEAR = 2.0  # a tolerance is this many times the spread, and the nearest mistake this many times the tolerance
ROUNDING = 100  # times the tolerance of a dtype; a mistake that is further off is one of numbers


@dataclass(frozen=True)
class Margin:
    """A check's tolerance for one dtype, between the spread of right answers and the nearest mistake.

    `widest` is the formulation that lies farthest from the reference, `mistake` the nearest of those that this check
    catches by values alone; "" where there is none.
    """

    check: str
    dtype: torch.dtype
    tolerance: float
    spread: float
    widest: str
    nearest: float
    mistake: str

    @property
    def above_spread(self) -> bool:
        return self.spread * CLEAR <= self.tolerance

    @property
    def below_mistakes(self) -> bool:
        return self.nearest > self.tolerance * CLEAR


def tolerances_stand_clear(rehearsals: Sequence[Rehearsal], margins: Sequence[Sequence[Margin]]) -> Proof:
    """`margins` are those of each question, in order."""
    failures: list[str] = []
    for rehearsal, measured in zip(rehearsals, margins, strict=True):
        missing = FORMULATIONS - len(formulations(rehearsal.question))
        if missing > 0:
            failures.append(
                f"{rehearsal.id}: the spread of right answers needs {counted(missing, 'more formulation')}. Write the "
                f"function in other ways that are right, each under `@{rehearsal.id}.alternative`."
            )
        failures += [f"{rehearsal.id}: {said}" for margin in measured for said in _too_close(margin)]
    number = counted(sum(map(len, margins)), "tolerance")
    return Proof("every tolerance is clear of right answers and of mistakes", tuple(failures), number)


def _too_close(margin: Margin) -> Iterator[str]:
    if not margin.above_spread and margin.spread <= margin.tolerance:  # beyond that it fails, as another proof tells
        yield (
            f'"{margin.check}" has the tolerance {margin.tolerance:g}, and {margin.widest} lies {margin.spread:.1e} '
            f"from the reference. Give the check a tolerance of {_rounded_up(margin.spread * 2 * CLEAR):g} or more."
        )
    if not margin.below_mistakes:
        yield (
            f'"{margin.check}" has the tolerance {margin.tolerance:g}, and `{margin.mistake}` lies only '
            f"{margin.nearest:.1e} from the reference. Give the check a smaller tolerance, or cases that show more."
        )


def margins_of(rehearsal: Rehearsal) -> list[Margin]:
    """One for each check and each dtype of its inputs, measured on all draws."""
    right = {name: rehearsal.runs(function) for name, function in formulations(rehearsal.question).items()}
    wrong = {f"{mistake.name}": rehearsal.runs_with(mistake) for mistake in rehearsal.question.mistakes}
    return [
        _margin(check, dtype, right, wrong)
        for check in rehearsal.question.checks
        for dtype in dict.fromkeys(probe.expected.dtype for checks, probe in rehearsal.trials[0] if check in checks)
    ]


def formulations(question: CodeQuestion) -> dict[str, Function]:
    """The author's alternatives, and three that are right whatever the question is."""
    reference = question.reference()
    return {
        "the reference": reference,
        "the reference in float64, rounded at the end": _rounded(reference),
        "the reference on inputs that lie otherwise in memory": lambda *given: reference(*map(_strided, given)),
        **{f"`{function.__name__}`": function for function in question.alternatives},
    }


def _rounded(reference: Function) -> Function:
    def run(*given: Any) -> Any:
        value = reference(*widened(given))
        if not floating(given):
            return value
        dtype = dtype_of(given)
        return tuple(part.to(dtype) for part in value) if isinstance(value, tuple) else value.to(dtype)

    return run


def _strided(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.ndim == 0:
        return value
    return value.mT.contiguous().mT if value.ndim > 1 else torch.stack([value, value], dim=-1)[..., 0]


def _margin(check: CodeCheck, dtype: torch.dtype, right: dict[str, list[Run]], wrong: dict[str, list[Run]]) -> Margin:
    tolerance = tolerances(dtype, check.tolerance)[0]
    spreads = {name: max(_farthest(run, check, dtype) for run in runs) for name, runs in right.items()}
    near = {name: min(_farthest(run, check, dtype) for run in runs) for name, runs in wrong.items()}
    seen = min(1.0, ROUNDING * tolerances(dtype)[0] / tolerance)  # what lies nearer may be roundings alone
    near = {name: far for name, far in near.items() if seen < far < math.inf}
    widest = max(spreads, key=spreads.__getitem__)
    mistake = min(near, key=near.__getitem__, default="")
    nearest = near.get(mistake, math.inf)
    return Margin(check.name, dtype, tolerance, spreads[widest] * tolerance, widest, nearest * tolerance, mistake)


def _farthest(run: Run, check: CodeCheck, dtype: torch.dtype) -> float:
    """In tolerances; infinite where the check misses anything but numbers, which no tolerance lets pass."""
    farthest = 0.0
    for seen in run:
        if check not in seen.checks or seen.probe.expected.dtype != dtype:
            continue
        finding = judge(seen.probe, seen.outcome, check.only, seen.again)
        off = _off(seen.probe, seen.outcome, check) if finding is None or finding.stage == "values" else math.inf
        farthest = max(farthest, off)
    return farthest


def _off(probe: Probe, outcome: Outcome, check: CodeCheck) -> float:
    """The largest distance of a returned part or of a gradient, in tolerances."""
    parts = parts_of(outcome.value, probe.expected)
    if not isinstance(parts, dict):
        return math.inf
    wanted = probe.expected.tensors
    names = check.only or wanted
    off = [_distance(parts[name], wanted[name], probe.expected.dtype, check.tolerance) for name in names]
    if probe.gradients and len(outcome.gradients) == len(probe.gradients):
        pairs = zip(outcome.gradients, probe.gradients, strict=True)
        own = gradient_tolerance(probe.expected.dtype)
        off += [_distance(got, right, probe.expected.dtype, own) for got, right in pairs if right is not None]
    return max(off, default=0.0)


def _distance(got: Returned, right: torch.Tensor, dtype: torch.dtype, tolerance: float | None) -> float:
    if got.tensor is None or got.tensor.shape != right.shape:
        return math.inf
    if right.numel() == 0:
        return 0.0
    rtol, atol = tolerances(dtype, tolerance)
    wide = right.to(torch.float64)
    off = (got.tensor.to(torch.float64) - wide).abs() / (atol + rtol * wide.abs())
    return float(off.nan_to_num(nan=math.inf, posinf=math.inf).max())


def hidden_by_tolerance(rehearsal: Rehearsal, mistake: Mistake) -> str:
    """What to do about a mistake that nothing catches: the tolerance that lets it pass, where one is at fault."""
    runs = rehearsal.runs_with(mistake)
    for check in rehearsal.question.checks:
        for dtype in {seen.probe.expected.dtype for seen in runs[0] if check in seen.checks}:
            tolerance = tolerances(dtype, check.tolerance)[0]
            off = min(_farthest(run, check, dtype) for run in runs) * tolerance
            if ROUNDING * tolerances(dtype)[0] < off <= tolerance:
                return (
                    f'In "{check.name}" it lies {off:.1e} from the reference, which the tolerance {tolerance:g} lets '
                    "pass: give the check a smaller one."
                )
    return "Add a case that shows it."


def _rounded_up(value: float) -> float:
    """One digit, not below the value."""
    if not math.isfinite(value) or value <= 0:
        return value
    unit = 10.0 ** math.floor(math.log10(value))
    return math.ceil(value / unit) * unit
