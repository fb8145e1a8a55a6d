"""Say whether one call came out right, and if not, the first thing that is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.crashes.telling import meaning, met, raised, sentences
from grader.key.code import Probe
from grader.markdown import code
from grader.observing.calling import floating
from grader.observing.compare import close, compare, parts_of
from grader.observing.match import same_outcome
from grader.observing.outcome import Finding, Outcome, Raised, gradient_trouble
from grader.observing.returned import Returned
from grader.wording import joined


def judge(probe: Probe, outcome: Outcome, only: Sequence[str] = (), again: Outcome | None = None) -> Finding | None:
    """The first miss on the ladder: crash, randomness, type, shape, dtype, NaN, values, gradient, changed inputs.

    `only` restricts the comparison to some returned names; `again` is a second call with the same inputs.
    """
    if outcome.ended != "returned":
        return _no_answer(probe, outcome)
    if again is not None and not same_outcome(outcome, again):
        text = "a second call with the same inputs gave something else; "
        text += "does it use random numbers, or keep something from an earlier call?"
        return Finding("repeat", f"{probe.expected.call}: {text}")
    found = compare(outcome.value, probe.expected, only)
    if found is None and probe.check.gradient:
        found = _judge_gradient(probe, outcome)
    if found is None and probe.check.unchanged:
        found = _judge_inputs(probe, outcome)
    return found


def parts_right(probe: Probe, outcome: Outcome) -> dict[str, bool]:
    """For each returned name, whether it is right; empty when the call gave no such parts."""
    if outcome.ended != "returned" or not isinstance(parts_of(outcome.value, probe.expected), dict):
        return {}
    names = probe.expected.tensors
    return {name: compare(outcome.value, probe.expected, (name,)) is None for name in names}


def _no_answer(probe: Probe, outcome: Outcome) -> Finding:
    function = probe.expected.call.partition("(")[0]
    if outcome.raised is None:
        return Finding("died" if outcome.ended == "died" else "timed_out", f"{function}() {outcome.note}.")
    if outcome.raised.stub:
        return Finding("not_attempted", f"{function}() is not written yet.")
    if outcome.raised.type == "NotImplementedError" and not outcome.raised.message:
        where = f" ({outcome.raised.place})" if outcome.raised.place else ""
        return Finding("crashed", f"{function}() still reaches a line `raise NotImplementedError`{where}.")
    return Finding("crashed", f"{probe.expected.call} raised {_spoken(outcome.raised)}")


def _spoken(error: Raised) -> str:
    """What torch or Python says, the student's line, what met there, and what it means."""
    place = f"It happened in {error.place}: {code(error.text)}." if error.text and error.place else ""
    shapes = met(error.tensors, error.type)
    return sentences(raised(error.type, error.message), place, shapes, meaning(error.type, error.message, error.near))


def _judge_gradient(probe: Probe, outcome: Outcome) -> Finding | None:
    call = probe.expected.call
    trouble = gradient_trouble(outcome.note)
    if trouble == "in place":
        overwrites = "a step in place (/=, exp_(), out=) overwrites what it needs; work on a new tensor instead"
        return Finding("gradient", f"{call}: the gradient could not be taken, since {overwrites}.")
    if trouble:
        ways = "numpy, .data, .detach(), .item(), torch.tensor() or out="
        cut = f"a result that went through {ways} forgets how it was made"
        return Finding("gradient", f"{call}: no gradient reaches the inputs; {cut}.")
    tensors = {name: value for name, value in probe.named.items() if floating([value])}
    if len(outcome.gradients) != len(tensors):
        return Finding("gradient", f"{call}: the gradient could not be taken.")
    arrived = list(zip(tensors, outcome.gradients, probe.gradients, strict=True))
    missing = [name for name, got, wanted in arrived if got.tensor is None and wanted is not None]
    if missing:
        return Finding("gradient", f"{call}: no gradient reaches {joined(missing)}.")
    for name, got, wanted in arrived:
        if wanted is not None and not _same(got, wanted, tensors[name].dtype):
            return Finding("gradient", f"{call}: the gradient that reaches {name} is not the right one.")
    return None


def _judge_inputs(probe: Probe, outcome: Outcome) -> Finding | None:
    if len(outcome.after) != len(probe.named):
        return Finding("inputs", f"{probe.expected.call}: its inputs could not be read afterwards.")
    changed = [
        name
        for (name, before), after in zip(probe.named.items(), outcome.after, strict=True)
        if isinstance(before, torch.Tensor) and not _untouched(before, after)
    ]
    if not changed:
        return None
    text = f"it changes {joined(changed)} itself; work on a new tensor instead of in place"
    return Finding("inputs", f"{probe.expected.call} returns the right values, but {text}.")


def _same(got: Returned, wanted: torch.Tensor, dtype: torch.dtype) -> bool:
    tensor = got.tensor
    if tensor is None or tensor.shape != wanted.shape:
        return False
    return bool(close(tensor, wanted, dtype, gradient_tolerance(dtype)).all())


def gradient_tolerance(dtype: torch.dtype) -> float | None:
    """A gradient adds up more roundings than a value; None where the dtype's own tolerance does."""
    return 1e-4 if dtype == torch.float32 else None


def _untouched(before: torch.Tensor, after: Returned) -> bool:
    tensor = after.tensor
    if tensor is None or tensor.shape != before.shape or tensor.dtype != before.dtype:
        return False
    return bool(torch.equal(tensor, before))
