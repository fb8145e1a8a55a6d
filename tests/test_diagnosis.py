"""What is wrong is named: by the key's mistakes, by how calls end, by steps that stand alone, by one's own function."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.markdown import unmarked
from grader.results import QuestionResult, Result
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session import Session

RIGHT = """
import math, torch
def attention(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    weights = scores.softmax(dim=-1)
    return weights @ v, scores, weights
"""
Grade = Callable[..., Result]


@pytest.fixture(scope="module")
def grading(key: AnswerKey) -> Grading:
    return Grading(key, 3.0)


@pytest.fixture
def grade(grading: Grading, any_sandbox: Sandbox, session_of: Callable[..., Session]) -> Grade:
    return lambda *cells: grading.grade(session_of(any_sandbox, *cells).submission, any_sandbox)


def question(result: Result, id: str = "attention") -> QuestionResult:
    return next(one for one in result.questions if one.id == id)


def names(result: Result, id: str = "attention") -> set[str]:
    return {mistake.name for mistake in question(result, id).mistakes}


def changed(old: str, new: str, source: str = RIGHT) -> str:
    assert old in source
    return source.replace(old, new)


# --- faults that no step has ------------------------------------------------------------------------------------------

PROGRAMS = {
    "undefined_name": changed("math.sqrt", "sqrt"),
    "missing_module": changed("    scores", "    import einops_of_mine\n    scores"),
    "syntax_error": changed("(q, k, v):", "(q, k, v)"),
    "never_ends": changed("    scores", "    while True: pass\n    scores"),
    "ends_the_program": changed("    scores", "    import os; os._exit(0)\n    scores"),
    "random_numbers": changed("softmax(dim=-1)", "softmax(dim=-1) * torch.rand(1)"),
    "remembers_calls": changed("def", "calls = []\ndef").replace(
        "    return", "    calls.append(1)\n    v = v * len(calls)\n    return"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fault_of_the_program_is_named(grade: Grade, name: str) -> None:
    result = grade(PROGRAMS[name])
    assert names(result) == {name}
    assert question(result).mistakes[0].step == "code"
    assert question(result).mistakes[0].message in unmarked(question(result).feedback)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fault_of_the_program_is_told_once(grade: Grade, name: str) -> None:
    text = question(grade(PROGRAMS[name])).feedback
    assert (
        text.count(" raised ") + text.count("Two calls") + text.count("still running") + text.count("ended the") == 1
    ), text


def test_a_function_that_remembers_is_named_with_the_mistake_that_a_first_call_shows(grade: Grade) -> None:
    source = PROGRAMS["remembers_calls"].replace("softmax(dim=-1)", "softmax(dim=-2)")
    assert names(grade(source)) == {"softmax_over_queries", "remembers_calls"}


# --- steps that stand alone -------------------------------------------------------------------------------------------


def test_a_step_is_named_though_nothing_explains_the_one_before(grade: Grade) -> None:
    source = changed("q @ k.mT", "(q @ k.mT) ** 3").replace("softmax(dim=-1)", "softmax(dim=-2)")
    assert names(grade(source)) == {"softmax_over_queries"}


def test_nothing_is_named_where_every_step_is_something_else(grade: Grade) -> None:
    source = (
        changed("q @ k.mT", "(q @ k.mT) ** 3")
        .replace("softmax(dim=-1)", "tanh()")
        .replace("weights @ v", "weights.exp() @ v")
    )
    assert names(grade(source)) == set()


def test_a_part_that_comes_back_twice_names_nothing(grade: Grade) -> None:
    assert (
        names(grade(changed("v, scores, weights", "v, weights, weights").replace("softmax(dim=-1)", "cos()"))) == set()
    )


def test_mistakes_that_only_unusual_sizes_tell_apart_are(grade: Grade) -> None:
    source = changed("q.shape[-1]", "q.shape[-2]").replace("weights @ v", "weights.mT @ v")
    assert names(grade(source)) == {"scaled_by_queries", "weights_transposed"}


@pytest.mark.parametrize("constant", [1.0, 0.01, 1e-4])
def test_a_constant_in_the_scores_is_named(grade: Grade, constant: float) -> None:
    assert names(grade(changed("q.shape[-1])", f"q.shape[-1]) + {constant}"))) == {f"constant_added_{constant:g}"}


@pytest.mark.parametrize("order", ["q, v, k", "k, v, q", "v, k, q", "v, q, k"])
def test_parameters_in_another_order_are_named(grade: Grade, order: str) -> None:
    found = names(grade(changed("(q, k, v)", f"({order})")))
    assert len(found) == 1
    assert found.pop().startswith("taken_as_")


# --- what is not there is not named -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "only_here", ["time.time() % 1", "np.random.default_rng().random()", "SystemRandom().random()"]
)
def test_what_changes_from_start_to_start_is_not_told_as_memory_of_calls(grade: Grade, only_here: str) -> None:
    head = "import time\nimport numpy as np\nfrom random import SystemRandom\n"
    result = grade(head + changed("softmax(dim=-1)", f"softmax(dim=-1) + {only_here}"))
    assert names(result) == {"never_the_same"}


TURNED = """
import math, torch
def attention(q, k, v):
    scores = k @ q.mT / math.sqrt(q.shape[-1])
    weights = scores.softmax(dim=-2)  # each query's weights sum to 1
    return weights.mT @ v, scores, weights
"""


def test_steps_that_suit_turned_scores_are_no_mistakes(grade: Grade) -> None:
    assert names(grade(TURNED)) == {"queries_and_keys_swapped"}


def test_an_output_that_is_right_has_no_mistake_though_other_weights_come_back(grade: Grade) -> None:
    result = grade(changed("v, scores, weights", "v, scores, weights.mT"))
    assert names(result) == set()
    assert "scores and output are right; weights are not." in question(result).feedback


@pytest.mark.parametrize("given", ["(proportions[:, None] * rows).mean(dim=0)", "proportions @ rows / len(rows)"])
def test_only_given_proportions_are_divided_again(grade: Grade, given: str) -> None:
    source = f"def mix_rows(rows, proportions=None):\n    return rows.mean(dim=0) if proportions is None else {given}"
    assert names(grade(source), "mix_rows") == {"given_ones_divided_again"}


@pytest.mark.parametrize("turned", ["torch.einsum('qd,kd->qk', q, k)", "torch.mm(q, k.t())", "q @ k.transpose(0, 1)"])
def test_what_stops_at_a_batch_is_not_told_to_be_one_way_to_write_it(grade: Grade, turned: str) -> None:
    result = grade(changed("q @ k.mT", turned))
    assert names(result) == {"all_axes_turned"}
    assert "It takes single tables only" in unmarked(question(result).feedback)


@pytest.mark.parametrize("returned", ["weights @ v", "(weights @ v, weights)"])
def test_scores_that_do_not_come_back_are_not_said_to_be_scaled(grade: Grade, returned: str) -> None:
    said = question(grade(UNSCALED.replace("weights @ v, scores, weights", returned))).feedback
    assert "are not divided by the square root of the width" in said
    assert "You return" not in said


# --- what is told -----------------------------------------------------------------------------------------------------


def test_a_cause_that_differs_in_sizes_only_is_told_once(grade: Grade) -> None:
    text = unmarked(question(grade(changed("math.sqrt(", "torch.sqrt("))).feedback)
    assert text.count("raised TypeError") == 1


def test_numbers_that_are_nearly_right_read_differently(grade: Grade) -> None:
    rounded = changed("return weights @ v, scores,", "return weights @ v, scores.round(decimals=5),")
    said = next(check.message for check in question(grade(rounded)).checks if check.message)
    got, _, expected = said.partition("scores[0, 0] is ")[2].rstrip(".").partition(", expected ")
    assert got != expected


# --- numbers ----------------------------------------------------------------------------------------------------------

UNSCALED = changed(" / math.sqrt(q.shape[-1])", "")
Q, V = torch.tensor([[2.0, 1.0]]), torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])
K = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
FOLLOWS = (Q @ K.mT).softmax(dim=-1)[0].tolist()


def told(result: Result, name: str = "ROW_WEIGHTS") -> str:
    return next(check.message for check in question(result, "row_answer").checks if check.name.startswith(name))


def test_a_wrong_number_that_one_s_own_function_gives_is_told_as_such(grade: Grade) -> None:
    said = told(grade(UNSCALED, f"ROW_WEIGHTS = {FOLLOWS}"))
    assert "follows from your attention(): Your scores are not divided by the square root" in said
    assert said.endswith("Mend that, and this follows.")


def test_it_is_told_where_no_mistake_is_named_too(grade: Grade) -> None:
    odd = changed("q @ k.mT", "(q @ k.mT) ** 3").replace("softmax(dim=-1)", "sigmoid()")
    numbers = torch.sigmoid((Q @ K.mT) ** 3 / 2**0.5)[0].tolist()
    assert "follows from your attention(), which is not right yet." in told(grade(odd, f"ROW_WEIGHTS = {numbers}"))


def test_another_wrong_number_does_not_follow(grade: Grade) -> None:
    assert "follows from your" not in told(grade(UNSCALED, "ROW_WEIGHTS = [0.2, 0.3, 0.5]"))


@pytest.mark.parametrize("ending", ["raise ValueError", "return None", "return 'text'", "while True: pass", "return q"])
def test_a_function_that_gives_nothing_explains_nothing(grade: Grade, ending: str) -> None:
    result = grade(changed("    scores", f"    {ending}\n    scores"), "ROW_WEIGHTS = [0.2, 0.3, 0.5]")
    assert "follows from your" not in told(result)
    assert result.status == "graded"


def test_an_error_carried_forward_earns_the_share_that_the_key_says(
    any_sandbox: Sandbox, session_of: Callable[..., Session]
) -> None:
    key = AnswerKey("toy", title="Toy", secret=b"secret")
    half = key.code("half", points=1, takes="x", returns="halved")
    half.step(halved)
    half.mistake("halved", "You double.")(doubled)
    half.cases("halves", points=1)(lambda rng: iter([(rng.normal(3),)]))
    answers = key.values("answers", points=4, title="Answers")
    for name, share in (("NONE", 0.0), ("SOME", 0.5)):
        key.numeric(answers, name, points=2, says=name, answer=lambda half: half(torch.ones(2) * 3.0), carried=share)
    handed_in = session_of(any_sandbox, "def half(x): return 2 * x", "NONE = SOME = [6.0, 6.0]").submission
    result = Grading(key, 3.0).grade(handed_in, any_sandbox)
    assert [(check.status, check.points) for check in question(result, "answers").checks] == [
        ("failed", 0),
        ("partial", 1),
    ]
    assert question(result, "answers").status == "partial"
    assert result.score == 1


def test_a_share_beyond_all_is_refused() -> None:
    key = AnswerKey("toy", title="Toy")
    answers = key.values("answers", points=1, title="Answers")
    with pytest.raises(ValueError, match="share of 2"):
        key.numeric(answers, "ONE", points=1, says="ONE", answer=lambda: torch.tensor(1.0), carried=2)


def halved(x: torch.Tensor) -> torch.Tensor:
    return x / 2


def doubled(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


def test_early_rounding_is_told_apart_from_a_wrong_method(grade: Grade) -> None:
    scores = (Q @ K.mT / 2**0.5).round(decimals=2)
    weights = scores.softmax(dim=-1).round(decimals=2)
    output = (weights @ V)[0].tolist()
    said = told(grade(RIGHT, f"ROW_OUTPUT = {output}"), "ROW_OUTPUT")
    assert "comes from the right method, but numbers were rounded to 2 decimals on the way" in said


def test_what_does_not_have_the_shape_of_an_answer_is_not_calculated_with(grade: Grade) -> None:
    """Two tables that were subtracted would make one of a hundred million numbers."""
    odd = """
import torch
calls = []
def attention(q, k, v):
    calls.append(1)
    shape = (2, 1, 10_000, 1) if len(calls) % 2 else (2, 1, 1, 10_000)
    return (torch.zeros(shape),) * 3
"""
    result = grade(odd, "V_ROW_INCREASE = 0.5")
    said = next(check.message for check in question(result, "v_row_increase").checks)
    assert "follows from your" not in said
    assert result.status == "graded"


def test_a_function_that_is_right_in_nothing_carries_no_points_forward(
    any_sandbox: Sandbox, session_of: Callable[..., Session]
) -> None:
    key = AnswerKey("toy", title="Toy", secret=b"secret")
    half = key.code("half", points=1, takes="x", returns="halved")
    half.step(halved)
    half.cases("halves", points=1)(lambda rng: iter([(rng.normal(3),)]))
    answers = key.values("answers", points=2, title="Answers")
    key.numeric(answers, "SOME", points=2, says="SOME", answer=lambda half: half(torch.ones(2) * 3.0), carried=0.5)
    handed_in = session_of(any_sandbox, "def half(x): return 0 * x", "SOME = [0, 0]").submission
    result = Grading(key, 3.0).grade(handed_in, any_sandbox)
    assert result.score == 0
    assert "SOME = [0, 0] follows from your half()" in question(result, "answers").feedback


# --- starting anew ----------------------------------------------------------------------------------------------------


def test_a_program_that_starts_anew_was_never_called(any_sandbox: Sandbox, session_of: Callable[..., Session]) -> None:
    with session_of(any_sandbox, "calls = []\ndef f():\n    calls.append(1)\n    return len(calls)") as session:
        assert [session.call("f", ()).value.number for _ in range(2)] == [1, 2]
        assert session.start_anew()
        assert session.call("f", ()).value.number == 1


def test_cells_that_take_long_are_not_run_again_to_explain(
    any_sandbox: Sandbox, session_of: Callable[..., Session]
) -> None:
    cells = "import time; time.sleep(1.2)", "calls = []\ndef f():\n    calls.append(1)\n    return len(calls)"
    with session_of(any_sandbox, *cells) as session:
        assert session.call("f", ()).value.number == 1
        assert not session.start_anew()
        assert session.call("f", ()).value.number == 2, "the program is the one that it was"


def test_starting_anew_uses_up_nothing_that_grading_may_need(
    any_sandbox: Sandbox, session_of: Callable[..., Session]
) -> None:
    with session_of(any_sandbox, "def f(): return 'fine'") as session:
        for _ in range(20):
            assert session.start_anew()
        assert session.given_up == ""
        assert session.call("f", ()).value.text == "fine"
        assert set(session.values) == {"f"}


def test_a_function_that_ends_the_program_when_it_is_called_the_same_way_again_is_graded(grade: Grade) -> None:
    source = """
import os, torch
last = [None]
def match_scores(q, k):
    if last[0] is not None and torch.equal(last[0], q):
        os._exit(0)
    last[0] = q.clone()
    return (q @ k.mT) ** 3
"""
    result = grade(source)
    assert result.status == "graded"
    assert question(result, "match_scores").status == "failed"


# --- names that would not be right ------------------------------------------------------------------------------------

SCALED = "    scores = q @ k.mT / math.sqrt(q.shape[-1])\n"
BODIES = {
    "nothing returned, no output": (SCALED + "    weights = scores.softmax(dim=-1)\n", {"nothing_returned"}),
    "nothing returned, only scores": (SCALED, {"nothing_returned"}),
    "nothing returned, printed": (SCALED + "    print(scores.softmax(dim=-1))\n    return\n", {"nothing_returned"}),
    "keys not turned": ("    scores = q @ k / math.sqrt(q.shape[-1])\n", {"keys_as_they_stand"}),
    "values in place of keys": ("    scores = q @ v.mT / math.sqrt(q.shape[-1])\n", {"values_for_keys"}),
    "a step in place": (
        SCALED + "    weights = torch.exp(scores - scores.amax(-1, keepdim=True))\n"
        "    weights /= weights.sum(-1, keepdim=True)\n    return weights @ v, scores, weights\n",
        {"weights_divided_in_place"},
    ),
    "in another order, and a fault without a name": (
        "    scores = q @ k.mT / 0.7\n    weights = scores.softmax(dim=-1)\n    return weights @ v, weights, scores\n",
        set(),
    ),
}
USUAL_END = "    weights = scores.softmax(dim=-1)\n    return weights @ v, scores, weights\n"


@pytest.mark.parametrize("name", BODIES)
def test_what_the_code_does_is_named_and_nothing_else(grade: Grade, name: str) -> None:
    body, expected = BODIES[name]
    ends = "return" in body or "nothing" in name
    code = f"import math, torch\ndef attention(q, k, v):\n{body}{'' if ends else USUAL_END}"
    assert names(grade(code)) == expected


def test_a_step_in_place_that_costs_the_gradient_is_told_as_that(grade: Grade) -> None:
    text = question(grade(f"import math, torch\ndef attention(q, k, v):\n{BODIES['a step in place'][0]}")).feedback
    assert "in place" in text
    assert "numpy" not in text


WITHOUT_A_NAME = {
    "values scaled": "w = s.softmax(-1)\n    return w @ (v / math.sqrt(q.shape[-1])), s, w",
    "exponentials over the queries": "e = s.exp()\n    w = e / e.sum(0)\n    return w @ v, s, w",
    "the queries averaged": "w = s.softmax(-1)\n    return w @ q, s, w",
    "values first": "w = s.softmax(-1)\n    return v @ w, s, w",
    "NaN everywhere": "w = s.softmax(-1) * math.nan\n    return w @ v, s, w",
    "bfloat16": "w = s.bfloat16().softmax(-1)\n    return w @ v.bfloat16(), s, w",
    "whole numbers": "w = s.softmax(-1).long()\n    return w @ v.long(), s, w",
    "numpy": "w = s.softmax(-1)\n    return (w @ v).numpy(), s.numpy(), w.numpy()",
    "rounded": "w = s.softmax(-1)\n    return torch.round(w @ v, decimals=4), s, w",
    "nothing but lists": "w = s.softmax(-1)\n    return (w @ v).tolist(), s.tolist(), w.tolist()",
}


@pytest.mark.parametrize("name", WITHOUT_A_NAME)
def test_whatever_a_function_gives_it_is_graded(grade: Grade, name: str) -> None:
    code = f"import math, torch\ndef attention(q, k, v):\n    s = q @ k.mT\n    {WITHOUT_A_NAME[name]}"
    assert question(grade(code)).status in ("partial", "failed", "crashed")
