"""Two calls are the same when nothing that was observed of them differs."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from grader.observing.calling import call
from grader.observing.match import Outcomes, same_outcome, same_value
from grader.observing.outcome import Outcome, Raised
from grader.observing.returned import describe


def observed(function: Any, *arguments: Any, **more: Any) -> Outcome:
    return call(function, [value.clone() if isinstance(value, torch.Tensor) else value for value in arguments], **more)


ONES = torch.ones(2, 3, dtype=torch.float64)

SAME = [
    (1, 1),
    ("a", "a"),
    (None, None),
    (ONES, ONES + 1e-9),
    (ONES.float(), ONES.float() + 1e-6),
    ((ONES, [ONES]), [ONES, (ONES,)]),
    ({"a": 1}, {"a": 1}),
    (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf])),
    (torch.zeros(0, 3), torch.zeros(0, 3)),
]
DIFFERENT = [
    (1, 2),
    (1, True),
    (1, "1"),
    ("a", "b"),
    (ONES, ONES.mT),
    (ONES, ONES.float()),
    (ONES, ONES.numpy()),
    (ONES, ONES + 1e-3),
    (ONES[:1], ONES),
    ((ONES,), (ONES, ONES)),
    ((ONES,), ONES),
    ({"a": 1}, {"b": 1}),
    (torch.tensor([math.nan]), torch.tensor([1.0])),
    (torch.tensor([math.inf]), torch.tensor([-math.inf])),
    (torch.tensor([math.inf]), torch.tensor([1e30])),
    (torch.zeros(0, 3), torch.zeros(3, 0)),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=str)
def test_equal_values_match(one: Any, other: Any) -> None:
    assert same_value(describe(one), describe(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=str)
def test_different_values_do_not_match(one: Any, other: Any) -> None:
    assert not same_value(describe(one), describe(other))
    assert not same_value(describe(other), describe(one))


def test_a_tolerance_of_its_own_holds_for_every_part() -> None:
    near = ONES + 5e-3
    assert same_value(describe((ONES, ONES)), describe((ONES, near)), 1e-2)
    assert not same_value(describe((ONES, ONES)), describe((ONES, near)))


def test_exceptions_match_by_their_type() -> None:
    def wrong(error: Exception) -> Any:
        def function(x: Any) -> Any:
            raise error

        return function

    one, other = (observed(wrong(ValueError(text)), ONES) for text in ("a", "b"))
    assert same_outcome(one, other)
    assert not same_outcome(one, observed(wrong(TypeError("a")), ONES))
    assert not same_outcome(one, observed(lambda x: x, ONES))


@pytest.mark.parametrize("ended", ["timed_out", "died", "missing"])
def test_a_call_that_did_not_return_matches_none_that_did(ended: Any) -> None:
    assert not same_outcome(Outcome(ended), observed(lambda x: None, ONES))
    assert not same_outcome(Outcome(ended), Outcome("raised", raised=Raised("ValueError", "")))


def test_inputs_changed_on_the_way_are_seen() -> None:
    clean = observed(lambda x: x * 2, ONES, after=True)
    in_place = observed(lambda x: x.mul_(2).clone(), ONES, after=True)
    assert not same_outcome(clean, in_place)
    assert same_outcome(clean, observed(lambda x: x + x, ONES, after=True))


def test_gradients_are_part_of_what_a_call_did() -> None:
    weigh = {-1: ONES}
    through = observed(lambda x: x * 2, ONES, gradient=weigh)
    cut = observed(lambda x: x.detach() * 2, ONES, gradient=weigh)
    other = observed(lambda x: (x.detach() * 3 - x) * 1.0, ONES, gradient=weigh)
    assert same_outcome(through, observed(lambda x: x + x, ONES, gradient=weigh))
    assert not same_outcome(through, cut)
    assert not same_outcome(through, other)


@pytest.mark.parametrize(("one", "other"), [*SAME, *DIFFERENT], ids=str)
def test_the_functions_that_did_the_same_are_found_among_many(one: Any, other: Any) -> None:
    table = Outcomes()
    for number, value in enumerate((ONES, other, None, one, other)):
        table.add(number, Outcome("returned", describe(value)))
    asked = Outcome("returned", describe(one))
    outcomes = [Outcome("returned", describe(value)) for value in (ONES, other, None, one, other)]
    assert sorted(table.same(asked)) == [place for place, known in enumerate(outcomes) if same_outcome(asked, known)]
    assert 3 in table.same(asked)


def test_nothing_is_kept_of_what_was_only_looked_for() -> None:
    table = Outcomes()
    table.add(0, Outcome("returned", describe(ONES)))
    for size in range(5):
        assert table.same(Outcome("returned", describe(torch.zeros(size)))) == []
    assert len(table._stacked) <= 1


def test_torch_and_numpy_say_by_different_types_that_shapes_do_not_fit() -> None:
    one, other = (Outcome("raised", raised=Raised(kind, "")) for kind in ("RuntimeError", "ValueError"))
    assert same_outcome(one, other)
    assert not same_outcome(one, Outcome("raised", raised=Raised("NameError", "")))
