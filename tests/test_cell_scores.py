"""What a test cell's outputs score: as nbgrader reads them, but nothing that is no score counts in full."""

from __future__ import annotations

import re
from typing import Any

import nbformat
import pytest
from nbgrader.utils import determine_grade

from grader.autograding import cell_scores
from grader.autograding.cell_scores import not_graded, question_outputs
from grader.report.clean import clean_html
from grader.report.html import question_html, submission_html

POINTS = 2.0


def result(text: str) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}, "execution_count": 1}


def stream(name: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": "words\n"}


ERROR = {"output_type": "error", "ename": "AssertionError", "evalue": "", "traceback": []}


def score(outputs: list[dict[str, Any]]) -> float:
    """What nbgrader itself reads."""
    meta = {"grade": True, "solution": False, "points": POINTS, "grade_id": "x"}
    cell = nbformat.v4.new_code_cell("x", metadata={"nbgrader": meta})
    cell.outputs = [nbformat.from_dict(output) for output in outputs]
    return float(determine_grade(cell)[0])


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([], POINTS),
        ([stream("stdout")], POINTS),
        ([ERROR], 0),
        ([stream("stderr")], 0),
        ([result("1.5")], 1.5),
        ([result("0")], 0),
        ([result("True")], POINTS),
        ([result("'all tests passed'")], POINTS),
        ([result("{'a': 1}")], POINTS),
        ([result("Text(0.5, 1.0, 'title')")], POINTS),
        ([result("range(0, 10)")], POINTS),
        ([result("tensor([0.5000])")], POINTS),
        ([result("0.5, 0.3")], POINTS),
        ([stream("stderr"), result("1.0")], 0),
        ([result("1.0"), ERROR], 1.0),
    ],
)
def test_these_score_as_in_nbgrader(outputs: list[dict[str, Any]], expected: float) -> None:
    assert score(outputs) == expected
    assert score(cell_scores.tested_outputs(outputs, POINTS)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nan", 0),
        ("tensor(nan)", 0),
        ("-1", 0),
        ("False", 0),
        ("np.False_", 0),
        ("tensor(0.)", 0),
        ("tensor(0.5000, dtype=torch.float64)", 0.5),
        ("tensor(1.5, grad_fn=<SumBackward0>)", 1.5),
        ("np.float64(0.5)", 0.5),
        ("array(0.5)", 0.5),
        ("", 0),
    ],
)
def test_these_score_in_full_in_nbgrader_and_what_they_say_with_us(text: str, expected: float) -> None:
    if text:
        assert score([result(text)]) == POINTS
    assert score(cell_scores.tested_outputs([result(text)], POINTS)) == expected


@pytest.mark.parametrize("text", ["inf", "3", "1e9"])
def test_more_than_the_cell_is_worth_stops_nbgrader_and_counts_nothing_with_us(text: str) -> None:
    with pytest.raises(ValueError, match="partial credit cannot be greater"):
        score([result(text)])
    made = cell_scores.tested_outputs([result(text)], POINTS)
    assert score(made) == 0
    assert "is more than 2 and counts 0" in made[0]["data"]["text/plain"]


def test_a_rounding_above_the_points_is_the_points() -> None:
    assert score(cell_scores.tested_outputs([result("2.0000000001")], POINTS)) == POINTS


QUESTION = {
    "id": "attention",
    "status": "failed",
    "score": 0.5,
    "max_score": 2,
    "feedback": "**attention()**: not right yet, 0.5 of 2 points.\n\n`<b>` raised <script>alert(1)</script> ![x](http://e)",
}


def test_a_question_scores_what_its_result_says() -> None:
    assert score(question_outputs(QUESTION, POINTS, 3)) == 0.5
    assert score([not_graded()]) == 0


def test_points_of_another_key_are_refused() -> None:
    with pytest.raises(ValueError, match="gives `attention` 5 points and the answer key 2"):
        question_outputs(QUESTION, 5.0, 3)


PAGES = [question_html(QUESTION), submission_html([QUESTION], ["<script>x</script>", "a `b`"])]


@pytest.mark.parametrize("page", PAGES, ids=["question", "submission"])
def test_what_a_student_wrote_is_text_on_the_page(page: str) -> None:
    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert clean_html(page).count("&lt;script&gt;") == page.count("&lt;script&gt;")


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<iframe src='data:text/html,x'></iframe>",
        "<div style='background:url(javascript:alert(1))' onclick='alert(1)'>x</div>",
        "<img src='https://example.org/seen.png'>",
        "<form action='https://example.org'><input name=a></form>",
        "<svg onload=alert(1)></svg>",
        "<style>*{display:none}</style>",
        "<object data='x'></object><embed src='x'><base href='https://example.org'><meta http-equiv=refresh>",
    ],
)
def test_html_of_students_runs_and_loads_nothing(html: str) -> None:
    clean = clean_html(html)
    tags = re.findall(r"<\s*(\w+)([^>]*)>", clean)
    assert not [name for name, _ in tags if name not in ("a", "img", "div")]
    assert not [rest for _, rest in tags if re.search(r"\bon\w+=|javascript:|https?:|url\(", rest)]


def test_html_that_only_lays_out_stays() -> None:
    html = '<h2 id="x">T</h2><p>a <b>b</b></p><table><tbody><tr><td style="padding: 2px;">1</td></tr></tbody></table>'
    assert clean_html(html).replace('"', "'") == html.replace('"', "'")
    assert 'src="data:image/png;base64,AA"' in clean_html('<img src="data:image/png;base64,AA">')
