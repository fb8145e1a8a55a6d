"""A small example of what is wrong: the first of the public inputs that shows it, as data, as text and as HTML."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import re
import shutil
import subprocess
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.autograding.cell_scores import question_outputs
from grader.grading.counterexample import counterexample
from grader.grading.grade import Grading
from grader.key import AnswerKey, CodeQuestion, ValueQuestion, load_key
from grader.key.code import Probe, probe_outcome
from grader.key.draw import Draw, secret_draw
from grader.key.steps import Mistake
from grader.key.trials import Caller
from grader.key.values import NumberPart
from grader.observing.numbers import within
from grader.observing.outcome import Outcome
from grader.reading.submission import Cell, Submission
from grader.report.clean import clean_html
from grader.report.example import WIDTH, example_html, example_text
from grader.report.html import question_html, question_text
from grader.results import Example, QuestionResult, Result, result_from_json
from grader.sandbox.sandbox import Sandbox
from tests.warm import warm

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "l10_attention"
CLASS = ROOT / "tests/submissions" / ASSIGNMENT
KEY = load_key(ROOT / "solutions/keys", ASSIGNMENT)
CODE = tuple(KEY.code_questions.values())
Function = Callable[..., Any]

# What no value, shape, dtype or error shows: what becomes of gradients, and of the inputs afterwards.
NOT_SHOWN = {  # gradients and changed inputs
    "queries_and_keys_detached",
    "output_detached",
    "weights_divided_in_place",
    "query_scaled_in_place",
    "key_transposed_in_place",
}

every_question = pytest.mark.parametrize("question", CODE, ids=lambda question: question.id)
every_mistake = pytest.mark.parametrize(
    ("question", "mistake"),
    [
        pytest.param(question, mistake, id=f"{question.id}: {mistake.name}")
        for question in CODE
        for mistake in question.mistakes
    ],
)


def calling(function: Function) -> Caller:
    def calls(asked: Iterable[tuple[Probe, int]]) -> Iterator[Outcome]:
        return (probe_outcome(function, probe, seed) for probe, seed in asked)

    return calls


def shown(question: CodeQuestion, function: Function) -> Example:
    example = counterexample(question, question.small_probes(), calling(function))
    assert example is not None
    return example


def with_mistake(question: CodeQuestion, name: str) -> Function:
    mistake = next(mistake for mistake in question.mistakes if mistake.name == name)
    return question.with_mistakes((mistake,)).reference()


# --- the inputs of the key ----------------------------------------------------------------------------


@every_question
def test_a_right_function_has_no_example(question: CodeQuestion) -> None:
    assert len(list(question.small_probes())) > 1
    assert counterexample(question, question.small_probes(), calling(question.reference())) is None


@every_mistake
def test_every_mistake_is_shown_that_small_inputs_can_show(question: CodeQuestion, mistake: Mistake) -> None:
    example = counterexample(question, question.small_probes(), calling(question.with_mistakes((mistake,)).reference()))
    assert (example is None) == (mistake.name in NOT_SHOWN)


def test_what_is_not_shown_is_a_mistake_of_the_key() -> None:
    assert {mistake.name for question in CODE for mistake in question.mistakes} >= NOT_SHOWN


@every_question
def test_small_inputs_are_small_and_come_from_the_smallest_on(question: CodeQuestion) -> None:
    sizes = []
    for probe in question.small_probes():
        tensors = [argument for argument in probe.arguments if isinstance(argument, torch.Tensor)]
        assert all(max(tensor.shape) <= 4 and tensor.numel() <= 12 for tensor in tensors)
        assert all((4 * tensor == (4 * tensor).round()).all() for tensor in tensors)  # halves and quarters at most
        assert all(tensor.isfinite().all() for tensor in probe.expected.tensors.values())
        sizes.append(max(tensor.shape[-2] for tensor in tensors if tensor.ndim > 1))
    assert sizes[0] == min(sizes)  # rows


NUMBERS = [
    part
    for question in KEY.questions
    if isinstance(question, ValueQuestion)
    for part in question.parts
    if isinstance(part, NumberPart) and not part.name.endswith(("_SHAPE", "_WIDTH"))  # sizes, not figures
]


@pytest.mark.parametrize("part", NUMBERS, ids=lambda part: part.name)
def test_no_answer_of_the_lesson_stands_in_an_example(part: NumberPart) -> None:
    answer = part.expected.values
    for question in CODE:
        for probe in question.small_probes():
            for tensor in probe.expected.tensors.values():
                for row in tensor.reshape(-1, tensor.shape[-1]).tolist():
                    starts = range(len(row) - len(answer) + 1)
                    assert not any(
                        all(within(*pair, 4, part.slack) for pair in zip(row[start:], answer, strict=False))
                        for start in starts
                    )


# --- which input, and which part of what came back ----------------------------------------------------


def made_question(returns: str = "second first") -> CodeQuestion:
    """`f(x)` returns twice and three times the double: the second is made from the first."""
    question = AnswerKey("l1", "One").code("f", points=1, takes="x", returns=returns, axes={"second": "rows, columns"})

    @question.step
    def first(x: Any) -> Any:
        return 2 * x

    if "second" in returns:

        @question.step
        def second(first: Any) -> Any:
            return 3 * first

    @question.cases("all is right", points=1)
    def _(rng: Draw) -> Any:
        yield (rng.normal(3, 2),)

    @question.small
    def _() -> Any:
        yield (torch.tensor([[1.0]], dtype=torch.float64),)
        yield (torch.tensor([[1.0, 2.0]], dtype=torch.float64),)
        yield (torch.tensor([[3.0, 4.0], [5.0, 6.0]], dtype=torch.float64),)
        yield (torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], dtype=torch.float64),)

    return question


ONE = made_question("first")
TWO = made_question()


def test_the_smallest_input_that_goes_wrong_is_shown() -> None:
    example = shown(ONE, lambda x: 2 * x if x.numel() == 1 else x)
    assert example == Example("f(x)", {"x": [[1, 2]]}, "", [[1, 2]], [[2, 4]])


def test_inputs_after_it_are_not_asked_for() -> None:
    asked = 0
    probes = list(ONE.small_probes())

    def calls(trials: Iterable[tuple[Probe, int]]) -> Iterator[Outcome]:
        nonlocal asked
        for probe, seed in trials:
            asked += 1
            yield probe_outcome(lambda x: x, probe, seed)

    assert counterexample(ONE, probes, calls) is not None
    assert asked == 2 < 2 * len(probes)  # each is called twice


def test_of_several_parts_the_first_of_the_chain_is_shown_whatever_its_place_in_the_tuple() -> None:
    assert shown(TWO, lambda x: (x, x)).part == "first"
    assert shown(TWO, lambda x: (x, 2 * x)).part == "second"


def test_random_numbers_and_what_an_earlier_call_left_show_nothing() -> None:
    calls = iter(range(1000))
    assert counterexample(ONE, ONE.small_probes(), calling(lambda x: x + torch.rand(()))) is None
    assert counterexample(ONE, ONE.small_probes(), calling(lambda x: x + next(calls))) is None


def test_a_function_that_is_not_written_shows_nothing() -> None:
    def f(x: Any) -> Any:
        raise NotImplementedError

    assert counterexample(ONE, ONE.small_probes(), calling(f)) is None


def test_a_question_without_small_inputs_shows_nothing() -> None:
    question = dataclasses.replace(ONE, small_inputs=None)
    assert counterexample(question, question.small_probes(), calling(lambda x: x)) is None


# --- what is shown, golden ----------------------------------------------------------------------------


def text(function: Function, question: CodeQuestion = ONE) -> str:
    return example_text(shown(question, function))


def block(said: str) -> str:
    return textwrap.dedent(said).strip("\n")


def test_wrong_values_are_marked() -> None:
    attention = KEY.code_questions["attention"]
    assert text(with_mistake(attention, "half_of_width"), attention) == block("""
        A small example:

          q = [[1], [2]]
          k = [[0], [1], [3]]
          v = [[4, 0], [0, 2], [1, 1]]

          attention(q, k, v)
          scores    came back     should be
          row 0     0  *2   *6    0  1  3
          row 1     0  *4  *12    0  2  6

          * marks what is wrong.
    """)


def test_one_result_of_one_row_has_no_names_of_its_own() -> None:
    mix_rows = KEY.code_questions["mix_rows"]
    assert text(with_mistake(mix_rows, "columns_mixed"), mix_rows) == block("""
        A small example:

                 rows = [[1, 2], [3, 6]]
          proportions = None

          mix_rows(rows, proportions)
              came back     should be
              *1.5  *4.5    2  4

          * marks what is wrong.
    """)


def test_nan_stands_as_such() -> None:
    reading_weights = KEY.code_questions["reading_weights"]
    assert text(with_mistake(reading_weights, "one_maximum_for_all"), reading_weights) == block("""
        A small example:

          scores = [[1000, 0], [0, 0]]

          reading_weights(scores)
                   came back     should be
          row 0       1     0    1    0
          row 1    *NaN  *NaN    0.5  0.5

          * marks what is wrong.
    """)


def test_a_wrong_shape_is_told_and_both_tables_are_shown_without_marks() -> None:
    assert text(lambda x: torch.zeros(2, 2)) == block("""
        A small example:

          x = [[1]]

          f(x)
                   came back    should be
          row 0    0  0         2
          row 1    0  0

          The shape is [2, 2]; it should be [1, 1].
    """)


def test_a_crash_shows_the_first_line_of_the_error() -> None:
    def f(x: Any) -> Any:
        raise ValueError("\n" + "many words " * 20 + "\nmore")

    assert text(f) == block("""
        A small example:

          x = [[1]]

          f(x)
          came back  ValueError: many words many words many words many words many
                     words many words many words many words many words many words
                     many words many words many words many w…
          should be  [[2]]

          The inputs are float64.
    """)


def test_of_a_batch_the_first_entry_that_is_wrong_is_shown() -> None:
    def f(x: Any) -> Any:
        y = 2 * x
        if x.ndim == 3:
            y[1, 0, 1] = 0.12345
        return y, 3 * 2 * x

    question = dataclasses.replace(TWO, chain=swapped(TWO))
    assert text(f, question) == block("""
        A small example:

          x = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]

          f(x)
          first[1]    came back      should be
          row 0       10  *0.1235    10  12
          row 1       14  16         14  16

          * marks what is wrong.
          Only the first entry of the batch that is wrong, [1], is shown.
    """)


def swapped(question: CodeQuestion) -> Any:
    chain = question.chain.with_mistakes(())
    chain.returns = ("first", "second")
    return chain


def test_another_dtype_is_told_though_the_numbers_are_right() -> None:
    example = shown(ONE, lambda x: (2 * x).float())
    assert (example.got, example.expected) == ([[2]], [[2]])
    assert example.note == "The inputs are float64, and float32 came back."
    assert "*" not in example_text(example)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        ({"a": 1}, "a dict"),
        ((1, 2, 3), "a tuple of 3"),
        (7, "an int"),
        ("<b>", "the text '<b>'"),
        (torch.zeros(2, 3), "one tensor of shape [2, 3]"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_tuple_of_tensors_is_named_as_the_student_knows_it(value: Any, said: str) -> None:
    example = shown(TWO, lambda x: value)
    assert (example.got, example.expected) == (said, "2 tensors: second and first")
    assert f"came back  {said}" in example_text(example)


def test_a_numpy_array_is_no_tensor() -> None:
    assert shown(ONE, lambda x: x.numpy()).got == "a numpy array of shape [1, 1]"


# --- figures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "figure"),
    [
        (math.nan, "NaN"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (1e300, "1e+300"),
        (-1234567.0, "-1.235e+06"),
        (1 / 3, 0.3333),
        (-0.00001, 0),
        (2.00001, "2.00001"),  # wrong, though it reads as 2
    ],
)
def test_every_number_can_be_printed_and_is_json(number: float, figure: float | str) -> None:
    example = shown(ONE, lambda x: torch.full_like(x, number))
    assert example.got == [[figure]]
    written = json.dumps(dataclasses.asdict(example), allow_nan=False)
    assert Example(**json.loads(written)) == example
    assert re.search(r"\*-?[\d.]|\*-?(NaN|inf)", example_text(example))


@pytest.mark.parametrize("shape", [(7, 1), (1, 7), (0, 3), (2, 2, 2), (1000, 1000)], ids=str)
def test_what_is_too_large_to_be_read_at_a_glance_is_its_shape(shape: tuple[int, ...]) -> None:
    assert shown(ONE, lambda x: torch.zeros(shape)).got == f"a tensor of shape {list(shape)}"


def test_one_number_in_place_of_a_table_is_shown() -> None:
    assert "came back    should be\n      7            2" in text(lambda x: torch.tensor(7.0))


def test_wide_tables_stand_below_each_other() -> None:
    wide = [[-1.2345] * 6] * 6
    told = example_text(Example("f(x)", {"x": wide}, "first", wide, [[0.1234] * 6] * 6))
    assert max(map(len, told.splitlines())) <= WIDTH
    assert len(re.findall(r"^  first    (came back|should be)$", told, re.MULTILINE)) == 2
    assert "x = [[-1.2345, -1.2345, -1.2345, -1.2345, -1.2345, -1.2345],\n       [" in told


# --- HTML ---------------------------------------------------------------------------------------------


def test_the_table_has_a_caption_and_headers_and_marks_wrong_cells_by_more_than_colour() -> None:
    page = example_html(Example("f(x)", {"x": [[1, 2]]}, "first", [[1, "NaN"], [3, 4]], [[1, 2], [3, 4]]))
    assert f"<caption {page.partition('<caption ')[2].partition('>')[0]}>first of f(x)</caption>" in page
    assert re.findall(r'<th scope="colgroup" colspan="2"[^>]*>([^<]*)', page) == ["came back", "should be"]
    assert re.findall(r'<th scope="row"[^>]*>([^<]*)', page) == ["row 0", "row 1"]
    cells = re.findall(r'<td style="([^"]*)">([^<]*)</td>', page)
    assert [said for _, said in cells] == ["1", "✗ NaN", "1", "2", "3", "4", "3", "4"]
    assert [said for style, said in cells if "bold" in style and "border-bottom" in style] == ["✗ NaN"]
    assert "<p>✗ marks what is wrong.</p>" in page
    assert set(re.findall(r"(?<![-\w])(?:color|background)[^;\"]*", page)) == {"color: inherit"}  # legible on any


def test_rows_that_one_side_lacks_are_empty_cells() -> None:
    page = example_html(Example("f(x)", {}, "", [[1, 2]], [[1], [2]]))
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    assert [re.findall(r"<td[^>]*>([^<]*)", row) for row in rows] == [[""], ["1", "2", "1"], ["", "", "2"]]


EVIL = "<script>alert(1)</script>\x1b[31m\u202e & \"'"


@pytest.mark.parametrize("place", ["call", "inputs", "part", "got", "figure", "expected", "note"])
def test_what_a_student_gave_is_text_in_both(place: str) -> None:
    plain: dict[str, Any] = {"call": "f(x)", "inputs": {"x": [[1]]}, "part": "p", "got": [[1]], "expected": [[2]]}
    evil: Any = {"x": EVIL} if place == "inputs" else [[EVIL]] if place == "figure" else EVIL
    example = Example(**(plain | {"got" if place == "figure" else place: evil}))
    page, said = example_html(example), example_text(example)
    assert "<script>" not in page
    assert "<script>alert(1)</script>" in html.unescape(page)
    assert not {"\x1b", "\u202e"} & ({*page} | {*said})


def test_nbgraders_pages_show_all_of_it() -> None:
    example = shown(ONE, lambda x: x)
    result = QuestionResult("f", "f()", "failed", 0, 1, feedback="**f()**: not right yet.", example=example)
    plain = as_json(result)
    data = question_outputs(plain, 1.0, 3)[0]["data"]
    assert data["text/plain"] == question_text(plain) == f"f(): not right yet.\n\n{example_text(example)}"
    assert data["text/html"] == question_html(plain)
    clean = clean_html(data["text/html"])
    for part in ("<caption", "<pre", 'scope="colgroup"', 'scope="row"', 'colspan="1"', "✗ 1", "border-bottom"):
        assert clean.count(part) == data["text/html"].count(part)
        assert part in clean or part == 'scope="row"'  # one row needs no name


# --- results ------------------------------------------------------------------------------------------


def as_json(question: QuestionResult) -> dict[str, Any]:
    result = Result("l1", "alice", "l1.py", 0, 1, "graded", (question,))
    plain: dict[str, Any] = json.loads(json.dumps(result.to_json(), allow_nan=False))["questions"][0]
    return plain


def test_a_result_with_an_example_comes_back_from_json_as_it_was() -> None:
    for function in (lambda x: x, lambda x: x / 0, lambda x: None, lambda x: x[0, 0]):
        question = QuestionResult("f", "f()", "failed", 0, 1, example=shown(ONE, function))
        result = Result("l1", "alice", "l1.py", 0, 1, "graded", (question,))
        assert result_from_json(json.loads(json.dumps(result.to_json(), allow_nan=False))) == result


def test_a_result_without_an_example_has_no_field_for_it() -> None:
    assert "example" not in as_json(QuestionResult("f", "f()", "passed", 0, 1))


@pytest.mark.parametrize(
    "change",
    [
        {"got": None},
        {"got": True},
        {"got": {"a": 1}},
        {"got": [[[[[[[1]]]]]]]},
        {"inputs": [1]},
        {"inputs": {"x": None}},
        {"call": 1},
        {"more": 1},
    ],
    ids=str,
)
def test_another_example_in_a_stored_result_is_refused(change: dict[str, Any]) -> None:
    question = QuestionResult("f", "f()", "failed", 0, 1, example=Example("f(x)", {}, "", 1, 2))
    plain = Result("l1", "alice", "l1.py", 0, 1, "graded", (question,)).to_json()
    assert result_from_json(plain).questions[0].example is not None
    plain["questions"][0]["example"] |= change
    with pytest.raises(ValueError, match=r"is no|not the fields"):
        result_from_json(plain)


# --- graded -------------------------------------------------------------------------------------------


IMPORTS = "import math, time, torch\nSEEN = []"
ATTENTION = """
def attention(q, k, v):
    scores = q @ k.mT / (q.shape[-1] / 2)
    {}
    weights = scores.softmax(-1)
    return weights @ v, scores, weights
"""
MATCH = """
def match_scores(q, k):
    {}
    return q @ k.mT / 2
"""


@pytest.fixture(scope="module")
def grading(key: AnswerKey) -> Grading:
    return Grading(key, 2.0)


def graded(grading: Grading, sandbox: Sandbox, *sources: str) -> dict[str, QuestionResult]:
    cells = tuple(Cell(number, source, 1) for number, source in enumerate((IMPORTS, *sources), start=1))
    submission = Submission("alice", "attention.ipynb", "notebook", cells, "the hash of a submission", ())
    return {question.id: question for question in grading.grade(submission, sandbox).questions}


def scores(questions: dict[str, QuestionResult]) -> dict[str, Any]:
    """All that counts."""
    return {name: (one.score, one.status, one.checks, one.mistakes) for name, one in questions.items()}


def test_a_wrong_function_gets_an_example_of_public_inputs_only(grading: Grading, any_sandbox: Sandbox) -> None:
    told = graded(grading, any_sandbox, ATTENTION.format(""), MATCH.format(""))
    example = told["attention"].example
    assert example is not None
    assert example.inputs == {"q": [[1], [2]], "k": [[0], [1], [3]], "v": [[4, 0], [0, 2], [1, 1]]}
    written = json.dumps(dataclasses.asdict(example))
    question = grading.key.code_questions["attention"]
    for check in question.checks:
        draw = secret_draw(grading.key.secret, "the hash of a submission", question.id, check.name)
        for probe in question.probes(check, draw):
            for tensor in (*probe.arguments, *probe.expected.tensors.values()):
                assert not [number for number in tensor.flatten().tolist() if f"{number:.3f}" in written]


def test_what_is_right_not_attempted_or_answered_by_a_name_has_none(grading: Grading, any_sandbox: Sandbox) -> None:
    told = graded(grading, any_sandbox, ATTENTION.format("raise NotImplementedError"), MATCH.format("pass"))
    assert [name for name, one in told.items() if one.example] == ["attention", "match_scores"][::-1]
    right = "def project(x, table):\n    return x @ table.mT"
    stub = "def attend_one(query, k, v):\n    raise NotImplementedError"
    told = graded(grading, any_sandbox, right, stub, "FIXED_MIX = [1, 2]")
    assert [name for name, one in told.items() if one.example] == []
    assert told["project"].status == "passed"


@pytest.mark.parametrize(
    "stop",
    ["while q.shape[-1] == 1: pass", "if q.shape[-1] == 1: import os; os._exit(3)", "if q.shape[-1] == 1: exit()"],
    ids=["hangs", "ends the program", "exits"],
)
def test_what_becomes_of_the_calls_changes_no_score(
    stop: str, grading: Grading, any_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No scored input has one column, so that only the example meets it. A child lost there is not counted either."""
    monkeypatch.setattr("grader.sandbox.session.MOST_LOADS", 1)
    later = "def attend_one(query, k, v):\n    return query\nFIXED_MIX = 1 / 0"
    plain = graded(grading, any_sandbox, ATTENTION.format(""), MATCH.format(""), later)
    stopped = graded(grading, any_sandbox, ATTENTION.format(stop), MATCH.format(""), later)
    assert scores(stopped) == scores(plain)
    assert plain["attention"].example is not None
    example = stopped["attention"].example
    assert example is None or example.got == "SystemExit: None"


def test_what_a_call_leaves_behind_changes_no_score(grading: Grading, any_sandbox: Sandbox) -> None:
    """Functions that are asked for later, and answers, are judged on what they were before."""
    other = ATTENTION.format("scores = scores + len(SEEN)")
    plain = graded(grading, any_sandbox, other, MATCH.format("pass"))
    remembers = MATCH.format("if q.shape == (1, 4): SEEN.append(1)")
    told = graded(grading, any_sandbox, other, remembers)
    assert told["match_scores"].example is not None
    assert scores(told) == scores(plain)


def test_random_functions_and_those_that_hang_or_end_the_program_have_none(
    grading: Grading, any_sandbox: Sandbox
) -> None:
    for line in ("scores = torch.randn_like(scores)", "while True: pass", "import os; os._exit(3)"):
        told = graded(grading, any_sandbox, ATTENTION.format(line))
        assert told["attention"].score < 20
        assert told["attention"].example is None


def test_a_broken_rule_is_told_without_an_example(any_sandbox: Sandbox) -> None:
    key = AnswerKey("l1", "One", secret=b"s" * 32)
    question = key.code("f", points=1, takes="x", returns="first", forbids="torch.mul")
    question.chain, question.checks, question.small_inputs = ONE.chain, ONE.checks, ONE.small_inputs
    for body, has_example in (("torch.mul(x, 3)", False), ("x * 3", True)):
        told = graded(Grading(key, 2.0), any_sandbox, f"def f(x):\n    return {body}")
        assert told["f"].status == "failed"
        assert (told["f"].example is not None) == has_example


# --- `grader grade` -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def printed(course: Path, *arguments: str | Path) -> str:
    command = warm("grader", "grade", ASSIGNMENT, *map(str, arguments))
    done = subprocess.run(command, cwd=course, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


BLOCK = """
    A small example:

      q = [[1, 1, 1, 1]]
      k = [[1, 0, 0, 0], [1, 1, 1, 1]]

      match_scores(q, k)
          came back    should be
          *1  *4       0.5  2

      * marks what is wrong.
"""


def test_one_student_is_printed_with_an_example_of_the_next_step_and_a_class_without(course: Path) -> None:
    alone = printed(course, CLASS / "carla-unscaled")
    assert BLOCK in "\n".join(line.rstrip() for line in alone.splitlines())
    assert alone.count("A small example:") == 1
    assert max(map(len, alone.splitlines())) <= 80
    together = printed(course, CLASS / "carla-unscaled", CLASS / "ada-all-right")
    assert "A small example:" not in together


def test_json_holds_the_examples_of_what_is_wrong_and_a_rerun_the_same(course: Path) -> None:
    first = printed(course, CLASS / "carla-unscaled", "--format", "json", "--fresh")
    (result,) = json.loads(first, parse_constant=pytest.fail)
    examples = {question["id"]: question["example"] for question in result["questions"] if "example" in question}
    assert list(examples) == ["match_scores", "attention", "attend_one"]
    assert examples["match_scores"] == {
        "call": "match_scores(q, k)",
        "inputs": {"q": [[1, 1, 1, 1]], "k": [[1, 0, 0, 0], [1, 1, 1, 1]]},
        "part": "",
        "got": [[1, 4]],
        "expected": [[0.5, 2]],
        "note": "",
    }
    assert printed(course, CLASS / "carla-unscaled", "--format", "json") == first
