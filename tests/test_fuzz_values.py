"""Whatever is read of what a student's code gave back: it can be compared, judged and told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from grader.grading.diagnose import Diagnosis
from grader.key import AnswerKey
from grader.key.code import Probe, probe_outcome
from grader.key.judge import judge, parts_right
from grader.key.values import ValueQuestion
from grader.observing import outcome, returned
from grader.observing.compare import spoken
from grader.observing.match import same_outcome, same_value
from grader.observing.numbers import NotNumbers, read_numbers
from grader.observing.outcome import Finding, Outcome
from grader.sandbox.child import BROKEN
from tests.fuzzing import fuzzed, json_values, sent, spoil, tensors, trees

LONGEST = 5_000  # characters that one finding may say


@dataclass(frozen=True)
class Known:
    """A call of a question's own, the checks that look at it, and what a worker would send if it came out right."""

    checks: Sequence[Any]
    probe: Probe
    plain: dict[str, Any]
    tensors: dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def diagnosis(key: AnswerKey) -> Diagnosis:
    return Diagnosis(key.code_questions["attention"])


@pytest.fixture(scope="module")
def calls(diagnosis: Diagnosis) -> list[Known]:
    found = []
    for checks, probe in diagnosis.probes:
        blob: dict[str, torch.Tensor] = {}
        plain = outcome.to_wire(probe_outcome(diagnosis.question.reference(), probe), blob)
        found.append(Known(checks, probe, json.loads(json.dumps(plain)), blob))
    return found


@pytest.fixture(scope="module")
def right(calls: list[Known]) -> list[Outcome]:
    return [outcome.from_wire(call.plain, call.tensors) for call in calls]


def assert_told(finding: Finding | None) -> None:
    if finding is not None:
        assert finding.message.endswith((".", "?", "`")), finding
        assert len(finding.message) < LONGEST
        assert_writable(finding.message)


def assert_writable(text: str) -> None:
    """No half of a character is in it, which no page could hold."""
    assert text.encode("utf-8")


@fuzzed(60)
@given(st.data())
def test_any_outcome_of_a_call_is_judged_diagnosed_and_told(
    calls: list[Known], right: list[Outcome], diagnosis: Diagnosis, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(calls) - 1))
    known = calls[place]
    blob = {**known.tensors, **data.draw(sent)} if data.draw(st.booleans()) else known.tensors
    if "t0" in blob and data.draw(st.booleans()):  # a call that gives no tensor has none
        blob = {**blob, "t0": data.draw(tensors(blob["t0"].shape))}
    try:
        plain = spoil(data.draw, known.plain, 2, trees | json_values) if data.draw(st.integers(0, 3)) else known.plain
        got = outcome.from_wire(plain, blob)
    except BROKEN:
        return
    again = right[place]
    assert isinstance(same_outcome(got, again), bool)
    for check in known.checks:
        assert_told(judge(known.probe, got, check.only))
        assert_told(judge(known.probe, got, check.only, again))
    parts_right(known.probe, got)
    diagnosis.mistakes(dict(enumerate([*right[:place], got, *right[place + 1 :]])))


@fuzzed(80)
@example({"kind": "text", "text": "1" + "0" * 199 + "/1e-300"}, {})
@example({"kind": "number", "number": 10**400}, {})
@example({"kind": "tensor", "tensor": "t0"}, {"t0": torch.zeros([1] * 32, dtype=torch.bfloat16)})
@example({"kind": "tensor", "tensor": "t0"}, {"t0": torch.full((2, 0), 1.0)})
@given(trees, sent)
def test_any_value_of_a_name_is_judged_and_told(key: AnswerKey, plain: Any, blob: dict[str, torch.Tensor]) -> None:
    try:
        tree = returned.from_wire(plain, blob)
    except BROKEN:
        return
    assert spoken(tree).encode("utf-8")
    assert isinstance(same_value(tree, tree), bool)
    for question in key.questions:
        for part in question.parts if isinstance(question, ValueQuestion) else ():
            assert_told(part.judge(tree))


@fuzzed(80)
@given(trees, sent)
def test_any_value_is_numbers_or_a_reason_why_not(plain: Any, blob: dict[str, torch.Tensor]) -> None:
    try:
        given_numbers = read_numbers(returned.from_wire(plain, blob))
    except BROKEN:
        return
    except NotNumbers as wrong:
        assert_writable(str(wrong))
        return
    table = torch.tensor(given_numbers.values, dtype=torch.float64).reshape(given_numbers.shape)
    assert bool(torch.isfinite(table).all())
    assert len(str(given_numbers)) < 300


@fuzzed(60)
@given(trees, sent)
def test_what_was_read_from_the_wire_comes_back_from_it(plain: Any, blob: dict[str, torch.Tensor]) -> None:
    try:
        tree = returned.from_wire(plain, blob)
    except BROKEN:
        return
    tensors_again: dict[str, torch.Tensor] = {}
    again = returned.from_wire(json.loads(json.dumps(returned.to_wire(tree, tensors_again))), tensors_again)
    assert again.kind == tree.kind
    assert again.tensor is None or torch.equal(again.tensor.isnan(), tree.tensor.isnan())


def test_an_input_of_another_dtype_afterwards_is_a_changed_input(calls: list[Known]) -> None:
    known = next(call for call in calls if call.probe.check.unchanged)
    got = outcome.from_wire(known.plain, known.tensors)
    doubled = [
        returned.Returned("tensor", "Tensor", tree.tensor.to(torch.bfloat16).to(torch.float16)) for tree in got.after
    ]
    assert judge(known.probe, got) is None
    found = judge(known.probe, Outcome("returned", got.value, after=tuple(doubled), gradients=got.gradients))
    assert found is not None
    assert found.stage == "inputs"
