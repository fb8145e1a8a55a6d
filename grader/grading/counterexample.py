"""The smallest of the inputs made for showing on which a student's function goes wrong, and what came of it.

These inputs are public and earn nothing. They are called when all that counts has been called, and cells never run
again for them: whatever becomes of these calls changes no score.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from grader.grading.calls import caller_of
from grader.grading.scoring import Scoring
from grader.key.code import CodeQuestion, Probe
from grader.key.judge import judge
from grader.key.trials import Caller, observe
from grader.observing.compare import close, compare, parts_of, spoken
from grader.observing.outcome import Finding, Outcome, Raised
from grader.observing.returned import Returned
from grader.results import Example, QuestionResult
from grader.sandbox.child import SlotGone
from grader.sandbox.limits import WorkerBroken
from grader.sandbox.session import Session
from grader.wording import first_line, joined

LARGEST = 6  # rows and columns of a table that is shown
LONGEST = 150  # characters of an error
UNTOLD = ("not_attempted", "timed_out", "died", "repeat")


def with_examples(
    graded: Mapping[str, QuestionResult],
    session: Session,
    scorings: Mapping[str, Scoring],
    small: Callable[[CodeQuestion], Sequence[Probe]],
) -> dict[str, QuestionResult]:
    """The results, those of wrong functions with an example where one shows it; `small` are a question's small inputs.

    When the child is lost, the rest goes without: to run the cells again could change what is still to be graded.
    """
    session.end_scoring()
    told = dict(graded)
    with contextlib.suppress(SlotGone, WorkerBroken):  # all that counts is graded
        for name, scoring in scorings.items():
            if not _is_shown(graded[name], scoring):
                continue
            session.begin_question()
            if not session.at_work:
                break
            example = _safely(scoring.question, small, caller_of(scoring.question, session, set()))
            told[name] = dataclasses.replace(graded[name], example=example)
    return told


def _is_shown(result: QuestionResult, scoring: Scoring) -> bool:
    """Whether a function was called, came back each time, and is wrong in something else than a rule."""
    rule_is_broken = bool(scoring.question.rule) and any(
        check.name == scoring.question.rule and check.status != "passed" for check in result.checks
    )
    return result.status in ("partial", "failed", "crashed") and scoring.steady and not rule_is_broken


def _safely(question: CodeQuestion, small: Callable[[CodeQuestion], Sequence[Probe]], caller: Caller) -> Example | None:
    """An example is an extra: a fault of ours in making one must not cost the question's grade."""
    try:
        return counterexample(question, small(question), caller)
    except (SlotGone, WorkerBroken):
        raise
    except Exception:
        return None


def counterexample(question: CodeQuestion, small: Iterable[Probe], caller: Caller) -> Example | None:
    """The first of the small inputs that comes out wrong; None where all are right, or where one does not come back
    or gives something else when called again.
    """
    trials = (((probe.check,), probe) for probe in small)
    for _, probe, outcome, again in observe(trials, caller):
        finding = judge(probe, outcome, again=again)
        if finding is not None:
            return None if finding.stage in UNTOLD else _example(question, probe, outcome)
    return None


def _example(question: CodeQuestion, probe: Probe, outcome: Outcome) -> Example:
    call = f"{question.id}({', '.join(probe.names)})"
    inputs = {name: _figures(value) for name, value in probe.named.items()}
    return Example(call, inputs, *_told(question, probe, outcome))


def _told(question: CodeQuestion, probe: Probe, outcome: Outcome) -> tuple[str, Any, Any, str]:
    """The part that is wrong, what came back, what should have, and a note."""
    expected = probe.expected
    names = _in_order(question)
    whole = (
        _small(expected.tensors[names[0]])
        if expected.single
        else f"{len(names)} tensors: {joined(list(expected.tensors))}"
    )
    if outcome.raised is not None:
        return "", _error(outcome.raised), whole, f"The inputs are {_dtype(expected.dtype)}."
    parts = parts_of(outcome.value, expected)
    if isinstance(parts, Finding):
        return "", spoken(outcome.value), whole, ""
    found = ((name, compare(outcome.value, expected, (name,))) for name in names)
    name, finding = next((name, finding) for name, finding in found if finding is not None)
    label = "" if expected.single else name
    return _part(label, parts[name], expected.tensors[name], finding, question.axes.get(name, ""), expected.dtype)


def _in_order(question: CodeQuestion) -> list[str]:
    """The returned names as the chain makes them: what comes first spoils what follows."""
    steps = [step for step in question.chain.steps if step in question.chain.returns]
    return [*steps, *(name for name in question.chain.returns if name not in steps)]


def _part(
    label: str, got: Returned, wanted: torch.Tensor, finding: Finding, axes: str, dtype: torch.dtype
) -> tuple[str, Any, Any, str]:
    if got.kind != "tensor" or got.tensor is None:
        return label, spoken(got), _small(wanted), ""
    if got.tensor.shape != wanted.shape:
        meaning = f" ({axes})" if axes else ""
        note = f"The shape is {list(got.tensor.shape)}; it should be {list(wanted.shape)}{meaning}."
        return label, _small(got.tensor), _small(wanted), note
    note = ""
    if finding.stage == "dtype":
        note = f"The inputs are {_dtype(dtype)}, and {_dtype(got.tensor.dtype)} came back."
    return _values(label, got.tensor, wanted, note)


def _values(label: str, got: torch.Tensor, wanted: torch.Tensor, note: str) -> tuple[str, Any, Any, str]:
    """Of a batch, the first entry that is wrong."""
    wide, target = got.to(torch.float64), wanted.to(torch.float64)
    wrong = ~close(wide, target, got.dtype)
    if wide.ndim > 2 and bool(wrong.any()):
        entry = tuple(wrong.nonzero()[0, :-2].tolist())
        wide, target, wrong = wide[entry], target[entry], wrong[entry]
        at = ", ".join(map(str, entry))
        label = f"{label or 'result'}[{at}]"
        note = f"{note} Only the first entry of the batch that is wrong, [{at}], is shown.".strip()
    if not _is_small(wide):
        return label, _small(wide), _small(target), note
    return label, *_pairs(wide.tolist(), target.tolist(), wrong.tolist()), note


def _pairs(got: Any, wanted: Any, wrong: Any) -> tuple[Any, Any]:
    """Figures of both sides: they read the same where they are right, and differ where they are wrong."""
    if isinstance(wrong, list):
        pairs = [_pairs(*entry) for entry in zip(got, wanted, wrong, strict=True)]
        return [one for one, _ in pairs], [other for _, other in pairs]
    if not wrong:
        return _figure(wanted), _figure(wanted)
    if _figure(got) == _figure(wanted):
        return f"{got:.9g}", f"{wanted:.9g}"
    return _figure(got), _figure(wanted)


def _small(tensor: torch.Tensor) -> Any:
    """The tensor as figures, or in words where it is too large to be read at a glance."""
    return _figures(tensor) if _is_small(tensor) else f"a tensor of shape {list(tensor.shape)}"


def _is_small(tensor: torch.Tensor) -> bool:
    return tensor.ndim <= 2 and all(0 < size <= LARGEST for size in tensor.shape)


def _figures(value: Any) -> Any:
    """Figures of an input or a small tensor; anything else, such as None, as Python writes it."""
    if isinstance(value, torch.Tensor):
        return _figures(value.to(torch.float64).tolist())
    if isinstance(value, list):
        return [_figures(item) for item in value]
    return _figure(value) if isinstance(value, float) else repr(value)


def _figure(number: float) -> float | str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number) or abs(number) >= 1e6:
        return f"{number:.4g}"
    return round(number, 4) + 0.0  # no -0


def _error(raised: Raised) -> str:
    told = first_line(raised.message, LONGEST)
    return f"{raised.type}: {told}" if told else raised.type


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
