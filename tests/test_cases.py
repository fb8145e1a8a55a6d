"""Real solutions of the question `attention`, labelled by hand: the verdict is the label's, and each fault is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.reading.submission import read_submission
from grader.results import QuestionResult
from grader.sandbox.sandbox import Sandbox

CASES = Path(__file__).parent / "cases" / "attention"
LABELS = [json.loads(line) for line in (CASES / "labels.jsonl").read_text(encoding="utf-8").splitlines()]

# Per fault, what tells it; nothing else may be named.
NAMES = {
    "T_on_batched": {"all_axes_turned"},
    "causal_mask_applied": {"causal_mask"},
    "cosine_normalised": {"cosine"},
    "einsum_wrong_subscripts_value": {"values_transposed"},
    "adds_epsilon_to_scores": {"constant_added_0.01"},
    "applies_projection": {"random_numbers"},
    "attends_over_features": {"features_matched", "features_matched_throughout"},
    "data_detaches": {"queries_and_keys_detached"},
    "dropout_active": {"random_numbers"},
    "global_accumulator": {"remembers_calls"},
    "global_max_underflow": {"one_maximum_for_all"},
    "infinite_loop": {"never_ends"},
    "integer_division": {"floor_division"},
    "log_softmax_weights": {"logarithms"},
    "mean_of_v": {"mean_of_values"},
    "missing_keepdim": {"sums_without_axis"},
    "missing_scale": {"unscaled"},
    "mutates_k_transpose_": {"key_transposed_in_place"},
    "mutates_q": {"query_scaled_in_place"},
    "numpy_no_grad": {"output_detached", "queries_and_keys_detached"},
    "q_k_swapped": {"queries_and_keys_swapped"},
    "reshape_not_transpose": {"keys_reshaped"},
    "scale_after_softmax": {"scaled_after_softmax"},
    "scale_hard_coded_sqrt2": {"literal_root_2"},
    "scale_ndim": {"scaled_by_axes"},
    "scale_precedence_half": {"power_before_half"},
    "scale_query_len": {"scaled_by_queries"},
    "softmax_default_dim": {"softmax_without_axis"},
    "softmax_over_all_axes": {"softmax_over_everything"},
    "softmax_twice": {"softmax_twice"},
    "softmax_wrong_axis": {"softmax_over_queries"},
    "syntax_error": {"syntax_error"},
    "undefined_name": {"undefined_name"},
    "unstable_exp_overflow": {"exponentials_overflow"},
    "uses_scores_not_weights": {"scores_for_weights"},
    "value_before_softmax": {"softmax_after_values"},
    "weights_transposed": {"weights_transposed"},
    "wrong_arg_order": {"taken_as_q_v_k"},
    "wrong_return_order": {"weights_before_scores", "weights_first", "scores_first"},
}


@pytest.fixture(scope="module")
def grading(key: AnswerKey) -> Grading:
    """Each case is graded once, by its one test; what the mistakes do is computed once for all."""
    return Grading(key, 3.0)


def test_every_case_has_a_label_and_every_label_a_case() -> None:
    assert {file.stem for file in CASES.glob("*.py")} == {label["id"] for label in LABELS}
    assert len(LABELS) == 50


@pytest.mark.parametrize("label", LABELS, ids=lambda label: f"{label['id']} {'+'.join(label['faults'])}".strip())
def test_a_case_gets_the_verdict_of_its_label(label: dict[str, Any], grading: Grading, any_sandbox: Sandbox) -> None:
    submission = read_submission(CASES / f"{label['id']}.py", label["id"])
    result = grading.grade(submission, any_sandbox)
    graded = next(question for question in result.questions if question.id == "attention")
    if label["label"] == "correct":
        assert (graded.score, graded.status, graded.mistakes) == (20, "passed", ()), graded.feedback
    else:
        assert graded.score < 20, graded.feedback
        assert graded.status != "grader_error"
        check_names(label["faults"], graded)


def check_names(faults: list[str], graded: QuestionResult) -> None:
    named = {mistake.name for mistake in graded.mistakes}
    assert named <= set().union(*(NAMES[fault] for fault in faults)), f"{faults} is told as {sorted(named)}"
    untold = [fault for fault in faults if not named & NAMES[fault]]
    assert not untold, f"{untold} is not told; {sorted(named)} is:\n{graded.feedback}"
