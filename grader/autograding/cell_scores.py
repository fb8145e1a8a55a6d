"""What a cell shows and scores: nbgrader reads a score from a cell's outputs, and takes much for full marks.

Sources: nbgrader 0.9.6, utils.determine_grade and get_partial_grade.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from grader.report.html import question_html, question_text

Output = dict[str, Any]

# A number as test cells give it back: 0.5, np.float64(0.5), tensor(0.5, dtype=torch.float64), array(0.5); but not
# Text(0.5, 1.0, 'title'), with which a test of a plot may end, or range(0, 3).
DIGITS = r"(?P<number>[+-]?(?:nan|inf|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))"
NUMBER = re.compile(rf"(?P<of>(?:np\.\w+|tensor|array)\(\s*)?{DIGITS}(?(of)\s*(?:,\s*\w+=[^()]*)*\))", re.IGNORECASE)
FALSE = ("False", "np.False_", "tensor(False)", "array(False)")
ROUNDING = 1e-6


def question_outputs(question: dict[str, Any], points: float, count: int | None) -> list[Output]:
    """The feedback of a question, and its score as nbgrader reads it.

    Raises ValueError where the gradebook's points are not those of the answer key.
    """
    if float(question["max_score"]) != points:
        raise ValueError(
            f"the gradebook gives `{question['id']}` {points:g} points and the answer key {question['max_score']:g}"
        )
    shown = {"text/html": question_html(question), "text/plain": question_text(question)}
    score = {"text/plain": repr(float(question["score"]))}
    return [
        {"output_type": "display_data", "data": shown, "metadata": {}},
        {"output_type": "execute_result", "data": score, "metadata": {}, "execution_count": count},
    ]


def tested_outputs(outputs: Sequence[Output], points: float) -> list[Output]:
    """The outputs of a test cell, such that what is no score is not taken for full marks, and says so.

    As in nbgrader, an error or anything on stderr is 0, and a cell that ends without a value passes.
    """
    for place, output in enumerate(outputs):
        if output["output_type"] == "error" or output.get("name") == "stderr":
            break
        if output["output_type"] == "execute_result":
            score, note = _score(_plain(output), points)
            if score is None:
                break
            data = {**output["data"], "text/plain": repr(score)}
            told = [_said(note)] if note else []
            return [*outputs[:place], *told, {**output, "data": data}, *outputs[place + 1 :]]
    return list(outputs)


def _plain(output: Output) -> str:
    text = output["data"].get("text/plain", "")
    return "".join(text) if isinstance(text, list) else str(text)


def _score(text: str, points: float) -> tuple[float | None, str]:
    """The score that a value stands for, None where nbgrader's own reading holds (a text, a table, True)."""
    if text.strip() in FALSE:
        return 0.0, "This test ended with False, which counts 0."
    match = NUMBER.fullmatch(text.strip())
    if match is None:
        return (None, "") if text.strip() else (0.0, "This test ended with a value that shows nothing, which counts 0.")
    score = float(match["number"])
    if 0 <= score <= points:
        return score, ""
    if points < score <= points + ROUNDING:
        return points, ""
    what = "is no number" if math.isnan(score) else "is less than 0" if score < 0 else f"is more than {points:g}"
    return 0.0, f"This test ended with {text.strip()[:40]}, which {what} and counts 0."


def _said(sentence: str) -> Output:
    """A sentence of ours as an output, which scores nothing."""
    return {"output_type": "display_data", "data": {"text/plain": sentence}, "metadata": {}}


NO_STEP = "This question has no score, so it counts 0: c.Autograde.autograde_preprocessors lacks GradeInSandbox."


def not_graded(why: str = NO_STEP) -> Output:
    """An error, which nbgrader counts as 0: what a question cell holds until it has its score."""
    return {"output_type": "error", "ename": "NotGraded", "evalue": why, "traceback": [why]}
