"""A reference is a chain of steps wired by argument name; a mistake replaces one of them."""

from __future__ import annotations

from typing import Any

import pytest

from grader.key.steps import RETURNED, Chain, Mistake


def doubled(x: float) -> float:
    return 2 * x


def shifted(doubled: float, by: float | None) -> float:
    return doubled + (by or 0)


def negated(x: float) -> float:
    return -x


@pytest.fixture
def chain() -> Chain:
    chain = Chain(("x", "by"), ("shifted", "doubled"))
    chain.add(doubled)
    chain.add(shifted)
    return chain


def test_steps_find_their_arguments_by_name(chain: Chain) -> None:
    assert chain.function()(3, 1) == (7, 6)


def test_an_argument_that_is_left_out_is_none(chain: Chain) -> None:
    assert chain.function()(3) == (6, 6)


def test_one_returned_name_comes_back_alone() -> None:
    chain = Chain(("x",), ("doubled",))
    chain.add(doubled)
    assert chain.function()(3) == 6


def mistake(step: str, replacement: Any) -> Mistake:
    return Mistake(step, "wrong", "You are wrong.", replacement)


def test_a_replaced_step_feeds_the_later_ones(chain: Chain) -> None:
    assert chain.with_mistakes([mistake("doubled", negated)]).function()(3, 1) == (-2, -3)
    assert chain.function()(3, 1) == (7, 6), "the chain itself is as it was"


def test_a_replacement_may_take_other_arguments(chain: Chain) -> None:
    assert chain.with_mistakes([mistake("shifted", lambda x, doubled: x * doubled)]).function()(3, 1) == (18, 6)


def test_what_is_returned_can_be_replaced(chain: Chain) -> None:
    swapped = mistake(RETURNED, lambda doubled, shifted: [doubled, shifted])
    assert chain.with_mistakes([swapped]).function()(3, 1) == [6, 7]


def test_several_steps_can_be_replaced(chain: Chain) -> None:
    wrong = [mistake("doubled", negated), mistake(RETURNED, lambda shifted: shifted)]
    assert chain.with_mistakes(wrong).function()(3, 1) == -2
    assert chain.with_mistakes(wrong[::-1]).function()(3, 1) == -2


def test_a_name_stands_once(chain: Chain) -> None:
    with pytest.raises(ValueError, match="`doubled` stands twice"):
        chain.add(doubled)
    with pytest.raises(ValueError, match="`by` stands twice"):
        chain.add(_named("by", lambda x: x))


def test_a_step_may_only_use_what_comes_before_it(chain: Chain) -> None:
    with pytest.raises(ValueError, match="`later`"):
        chain.add(_named("early", lambda later: later))


@pytest.mark.parametrize(
    ("step", "replacement", "words"),
    [
        ("tripled", negated, "which is no step"),
        ("doubled", lambda shifted: shifted, "`shifted`"),
        ("doubled", lambda doubled: doubled, "`doubled`"),
        ("shifted", lambda nowhere: nowhere, "`nowhere`"),
    ],
)
def test_a_mistake_that_cannot_be_made_is_refused(chain: Chain, step: str, replacement: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        chain.check_mistake(mistake(step, replacement))


def test_a_mistake_in_what_is_returned_may_use_every_step(chain: Chain) -> None:
    chain.check_mistake(mistake(RETURNED, lambda x, by, doubled, shifted: x))


def _named(name: str, function: Any) -> Any:
    function.__name__ = name
    return function
