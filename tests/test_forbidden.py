"""A question may forbid named functions: seen in the source and while the function is called, told as a rule."""

from __future__ import annotations

import sys
import textwrap
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from grader.errors import CourseError
from grader.grading.grade import Grading, unreadable_result
from grader.key import AnswerKey, load_key
from grader.observing.calling import call
from grader.observing.forbidden import named
from grader.observing.outcome import Called, from_wire, to_wire
from grader.public import Miss, called, expect_not_called
from grader.reading.submission import Cell, Kind, Submission
from grader.report.html import question_html
from grader.report.table import about
from grader.results import CheckResult, QuestionResult, result_from_json
from grader.sandbox.sandbox import Sandbox

SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"
RULE = f"{SDPA} and {MHA} are not called"
CHECKS = ("values are mixed", "gradients arrive")
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F"
BY_HAND = "(q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1) @ v"


def made_key(forbids: Sequence[str] | str = (SDPA, MHA)) -> AnswerKey:
    """A key of one question, whose function is attention without batches."""
    key = AnswerKey("l10_attention", "Attention")
    attention = key.code("attention", points=20, takes="q k v", returns="output", hint="What?", forbids=forbids)

    @attention.step
    def output(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(dim=-1) @ v

    @attention.mistake("output", "Your scores are not scaled.")
    def unscaled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return (q @ k.mT).softmax(dim=-1) @ v

    for name, gradient in zip(CHECKS, (False, True), strict=True):

        @attention.cases(name, points=10, gradient=gradient)
        def _(draw: Any) -> Any:
            yield draw.normal(5, 6), draw.normal(7, 6), draw.normal(7, 3)

    key.secret = b"s" * 32
    return key


def work(*sources: str, kind: Kind = "notebook") -> Submission:
    cells = tuple(Cell(number, source, 1) for number, source in enumerate(sources, start=1))
    return Submission("alice", "attention.ipynb" if kind == "notebook" else "attention.py", kind, cells, "", ())


@pytest.fixture(scope="module")
def grading() -> Grading:
    return Grading(made_key(), 10.0)


Graded = Callable[..., QuestionResult]


@pytest.fixture
def graded(grading: Grading, any_sandbox: Sandbox) -> Graded:
    """Grades cells in the sandbox; what comes out must be a result that can be stored."""

    def grade(*sources: str, kind: Kind = "notebook") -> QuestionResult:
        result = grading.grade(work(IMPORTS, *sources, kind=kind), any_sandbox)
        assert result_from_json(result.to_json()) == result
        return result.questions[0]

    return grade


def function(body: str, before: str = "") -> str:
    return f"{before}\ndef attention(q, k, v):\n{textwrap.indent(body, '    ')}"


# --- while it is called -----------------------------------------------------------------------------------

QKV = (torch.randn(1, 5, 6), torch.randn(1, 7, 6), torch.randn(1, 7, 6))
mixer = torch.nn.MultiheadAttention(6, 1, batch_first=True)
stored = F.scaled_dot_product_attention


def in_a_thread(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    done: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: done.append(stored(q, k, v)))
    thread.start()
    thread.join()
    return done[0]


CALLS: dict[str, tuple[str, Callable[..., Any]]] = {
    "a name that is put together": (SDPA, lambda q, k, v: vars(F)["scaled_" + "dot_product_attention"](q, k, v)),
    "a stored function": (SDPA, lambda q, k, v: stored(q, k, value=v)),
    "the function itself": (SDPA, stored),
    "where torch has it from": (SDPA, lambda q, k, v: torch._C._nn.scaled_dot_product_attention(q, k, v)),
    "torch's own code": (SDPA, lambda q, k, v: mixer.eval()(q, k, k, need_weights=False)),
    "the operator": (SDPA, lambda q, k, v: torch.ops.aten.scaled_dot_product_attention(q, k, v)),
    "a form of the operator": (SDPA, lambda q, k, v: torch.ops.aten.scaled_dot_product_attention.default(q, k, v)),
    "a call from C": (SDPA, lambda q, k, v: next(map(stored, [q], [k], [v]))),
    "a thread": (SDPA, in_a_thread),
    "a new object of a class": (MHA, lambda q, k, v: torch.nn.MultiheadAttention(6, 1)),
    "an older object of a class": (MHA, lambda q, k, v: mixer(q, k, k)),
    "a part of a class": (MHA, lambda q, k, v: torch.nn.TransformerEncoderLayer(6, 1)),
    "a method written in C": ("torch.Tensor.softmax", lambda q, k, v: q.softmax(-1)),
    "a method called by a function": ("torch.Tensor.softmax", lambda q, k, v: F.softmax(q, -1)),
    "a function of Python": ("torch.nn.functional.softmax", lambda q, k, v: torch.nn.Softmax(-1)(q)),
    "a function of the standard library": ("math.sqrt", lambda q, k, v: __import__("math").sqrt(2)),
    "a function of NumPy": ("numpy.einsum", lambda q, k, v: __import__("numpy").einsum("i->", [1.0])),
    "a bound method": ("random.shuffle", lambda q, k, v: __import__("random").shuffle([1])),
    "one of several of one maker": ("torch.nn.functional.max_pool1d", lambda q, k, v: F.max_pool1d(q, 2)),
}


@pytest.mark.parametrize("form", CALLS)
def test_a_call_is_seen_however_it_is_reached(form: str) -> None:
    name, asked = CALLS[form]
    outcome = call(asked, QKV, forbids=("os.getcwd", name))
    assert [one.name for one in outcome.forbidden] == [name]
    assert (outcome.ended, call(asked, QKV).forbidden) == ("returned", ())


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        (SDPA, lambda q, k, v: (q @ k.mT).softmax(-1) @ v),
        (MHA, lambda q, k, v: torch.nn.Linear(6, 6)(q)),
        ("torch.Tensor.softmax", lambda q, k, v: torch.softmax(q, -1)),
        ("torch.softmax", lambda q, k, v: q.softmax(-1)),
        ("torch.nn.functional.max_pool2d", lambda q, k, v: F.max_pool1d(q, 2)),
        ("random.shuffle", lambda q, k, v: __import__("random").Random(1).shuffle([1])),
    ],
)
def test_another_call_of_the_same_code_or_name_is_none(name: str, asked: Callable[..., Any]) -> None:
    outcome = call(asked, QKV, forbids=(name,))
    assert (outcome.ended, outcome.forbidden) == ("returned", ())


def test_what_the_grader_calls_itself_is_none() -> None:
    """Seeds are set, gradients are taken and answers are read around the call."""
    forbids = ("torch.manual_seed", "torch.Tensor.sum", "torch.Tensor.detach", "torch.autograd.grad")
    outcome = call(lambda q: q * 2, QKV[:1], gradient={-1: torch.ones(1, 5, 6)}, after=True, forbids=forbids)
    assert (outcome.note, outcome.forbidden) == ("", ())


def test_a_call_that_raises_tells_too_and_nothing_is_watched_afterwards() -> None:
    def asked(q: torch.Tensor) -> None:
        stored(q, q, q)
        raise StopIteration

    outcome = call(asked, QKV[:1], forbids=(SDPA,))
    assert (outcome.ended, outcome.forbidden) == ("raised", (Called(SDPA),))
    assert outcome.raised is not None
    assert outcome.raised.type == "StopIteration"
    assert (sys.getprofile(), threading.getprofile()) == (None, None)
    assert torch._C._len_torch_function_stack() == 0


def test_a_name_that_is_gone_is_not_watched_and_breaks_nothing() -> None:
    assert call(stored, QKV, forbids=("torch.nn.functional.gone", SDPA)).forbidden == (Called(SDPA),)


def test_what_was_called_crosses_the_wire_and_nothing_else_does() -> None:
    told = call(stored, QKV, forbids=(SDPA,))
    tensors: dict[str, torch.Tensor] = {}
    plain = to_wire(told, tensors)
    assert from_wire(plain, tensors).forbidden == told.forbidden == (Called(SDPA),)
    odd = from_wire(plain | {"forbidden": [["x", "1", 2.5], ["y", True, 7]]}, tensors)
    assert odd.forbidden == (Called("x"), Called("y", None, 7))
    many = from_wire(plain | {"forbidden": [["x", 1, 1]] * 100_000}, tensors)
    assert len(many.forbidden) <= 100
    for wrong in (None, 1, {}, "text", [1], [["x"]], [[[], 1, 1]], [["x", 1, 1, 1]]):
        with pytest.raises((KeyError, TypeError, ValueError)):
            from_wire(plain | {"forbidden": wrong}, tensors)


# --- graded in the sandbox --------------------------------------------------------------------------------


def test_a_broken_rule_costs_the_points_and_is_told_as_a_rule(graded: Graded) -> None:
    question = graded("# mine", function("return F.scaled_dot_product_attention(q, k, v)"))
    message = (
        f"attention() uses {SDPA} (cell 3 of attention.ipynb, line 3), which this question forbids: "
        "right numbers do not count here. Write the steps yourself."
    )
    assert (question.status, question.score, question.mistakes, question.hint) == ("failed", 0, (), "")
    assert question.checks[0] == CheckResult(RULE, "failed", 0, 0, message)
    assert question.checks[1:] == tuple(CheckResult(name, "passed", 0, 10) for name in CHECKS)
    assert question.feedback == (
        f"**attention()**: a rule of this question is broken, 0 of 20 points.\n\n{message}\n\n"
        f"Not yet true:\n\n- {RULE}\n\n"
        "True already, and worth its points once the rule is kept:\n\n- values are mixed\n- gradients arrive"
    )
    assert about(question) == message
    assert "a rule of this question is broken" in question_html(vars(question))


def test_numbers_that_are_wrong_as_well_are_told_without_a_mistake_s_name(graded: Graded) -> None:
    question = graded(function("F.scaled_dot_product_attention(q, k, v)\nreturn (q @ k.mT).softmax(dim=-1) @ v"))
    assert (question.status, question.score, question.mistakes) == ("failed", 0, ())
    assert [check.status for check in question.checks] == ["failed"] * 3
    assert "not scaled" not in question.feedback
    assert question.checks[1].message.startswith("attention(q[5, 6], k[7, 6], v[7, 3])")


MIX = "getattr(F, 'scaled_dot' + '_product_attention')"
BY_RUNNING = {
    "a name that is put together": function('return vars(F)["scaled_" + "dot_product_attention"](q, k, v)'),
    "a stored function": function("return here[0](q, k, v)", f"here = []\nhere.append({MIX})"),
    "a call from C": function("return next(map(mix, [q], [k], [v]))", f"mix = {MIX}"),
    "a thread": function(
        "done = []\nthread = threading.Thread(target=lambda: done.append(mix(q, k, v)))\n"
        "thread.start()\nthread.join()\nreturn done[0]",
        f"import threading\nmix = {MIX}",
    ),
}


@pytest.mark.parametrize("form", BY_RUNNING)
def test_what_the_source_does_not_say_is_seen_while_it_runs(graded: Graded, form: str) -> None:
    question = graded(BY_RUNNING[form])
    line = {"a name that is put together": 3, "a call from C": 3, "a thread": 5}.get(form, 4)
    assert [check.status for check in question.checks] == ["failed", "passed", "passed"], question.feedback
    assert f"uses {SDPA} (cell 2 of attention.ipynb, line {line})," in question.checks[0].message
    assert question.score == 0


def test_two_forbidden_functions_are_told_together(graded: Graded) -> None:
    body = "torch.nn.MultiheadAttention(6, 1)\nreturn F.scaled_dot_product_attention(q, k, v)"
    message = graded(function(body), kind="script").checks[0].message
    assert f"{SDPA} (attention.py, line 4) and {MHA} (attention.py, line 3), which" in message


def test_a_rule_that_is_kept_is_shown_and_costs_nothing(graded: Graded) -> None:
    compared = "x = torch.ones(5, 6)\ny = F.scaled_dot_product_attention(x, x, x)\nassert attention(x, x, x).equal(y)"
    question = graded(function(f"return {BY_HAND}"), compared)
    assert (question.status, question.score) == ("passed", 20)
    assert question.checks[0] == CheckResult(RULE, "passed", 0, 0)


def test_a_mistake_is_named_and_pays_in_part_where_the_rule_is_kept(graded: Graded) -> None:
    question = graded(function("return (q @ k.mT).softmax(dim=-1) @ v"))
    assert [mistake.message for mistake in question.mistakes] == ["Your scores are not scaled."]
    assert (question.status, question.checks[0].status) == ("failed", "passed")
    assert "Not yet true:\n\n- values are mixed" in question.feedback
    assert f"True already:\n\n- {RULE}" in question.feedback


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (function("raise NotImplementedError"), "not_attempted"),
        ("", "not_attempted"),
        (function("return (q"), "crashed"),
        (function("import os\nos._exit(0)"), "crashed"),
    ],
    ids=["stub", "absent", "syntax error", "exit"],
)
def test_of_a_function_that_never_came_back_the_rule_says_nothing(graded: Graded, source: str, status: str) -> None:
    question = graded(source)
    assert (question.status, question.score) == (status, 0)
    assert [check.status for check in question.checks] == [status] * 3
    assert RULE not in question.feedback


def test_a_crash_is_a_crash_where_the_rule_is_kept(graded: Graded) -> None:
    question = graded(function("return q + torch.zeros(99, 98)"))
    assert [check.status for check in question.checks] == ["passed", "crashed", "crashed"]
    assert question.status == "crashed"


def test_code_that_ends_the_program_is_told_by_its_source(graded: Graded) -> None:
    question = graded(function("F.scaled_dot_product_attention(q, k, v)\nimport os\nos._exit(0)"))
    assert [check.status for check in question.checks] == ["failed", "crashed", "crashed"]
    assert "a rule of this question is broken" in question.feedback


def test_code_that_changes_torch_is_graded_all_the_same(graded: Graded) -> None:
    patched = f"F.scaled_dot_product_attention = None\n{function(f'return {BY_HAND}')}"
    assert graded(patched).score == 20
    replaced = (
        f"{function(f'return {BY_HAND}')}\nF.scaled_dot_product_attention = torch.nn.MultiheadAttention = attention"
    )
    assert graded(replaced).score == 20
    gone = "import sys\nsys.modules['torch.nn.functional'] = torch.nn.functional = 3"
    assert graded(f"{gone}\n{function(f'return {BY_HAND}')}").score == 20


def test_what_a_submission_that_cannot_be_read_gets_has_the_rule_too(grading: Grading) -> None:
    result = unreadable_result(grading, "alice", "attention.ipynb", "", "It is a web page.", "process")
    assert next((check.name, check.max_points) for check in result.questions[0].checks) == (RULE, 0)
    assert result_from_json(result.to_json()).score == 0


def test_a_question_that_forbids_nothing_has_no_rule(any_sandbox: Sandbox) -> None:
    grading = Grading(made_key(forbids=()), 10.0)
    graded = grading.grade(work(IMPORTS, function("return F.scaled_dot_product_attention(q, k, v)")), any_sandbox)
    assert [check.name for check in graded.questions[0].checks] == list(CHECKS)
    assert graded.score == 20


# --- in the public checks ---------------------------------------------------------------------------------


def test_a_public_check_tells_the_rule_before_anything_is_handed_in() -> None:
    call = called("attention", q=QKV[0], k=QKV[1], v=QKV[2])
    with pytest.raises(Miss) as miss:
        expect_not_called(SDPA, stored, call, *QKV)
    assert str(miss.value) == (
        f"attention(q[1, 5, 6], k[1, 7, 6], v[1, 7, 6]) uses {SDPA}, which this question forbids. "
        "Write the steps yourself."
    )
    expect_not_called(SDPA, lambda q, k, v: (q @ k.mT).softmax(-1) @ v, call, *QKV)


# --- the author's errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("torch.nn.functional.scaled_dot", "there is no `torch.nn.functional.scaled_dot`"),
        ("F.softmax", "there is no `F`"),
        ("torch.ops.aten.no_such_operator", "there is no `torch.ops.aten.no_such_operator`"),
        ("torch..softmax", "there is no `torch.`"),
        ("torch.nn.functional", "`torch.nn.functional` is neither a function nor a class"),
        ("math.pi", "`math.pi` is neither a function nor a class"),
    ],
)
def test_a_name_that_is_no_function_is_the_author_s_error(tmp_path: Path, name: str, why: str) -> None:
    source = f"""
        from grader.key import AnswerKey
        key = AnswerKey("lesson", "Lesson")
        key.code("attention", points=1, takes="q", returns="q", forbids=("math.sqrt", "{name}"))
    """
    (tmp_path / "lesson.py").write_text(textwrap.dedent(source))
    with pytest.raises(CourseError) as error:
        load_key(tmp_path, "lesson")
    assert "the question `attention` forbids what it cannot: " in str(error.value)
    assert why in str(error.value)


def test_names_may_stand_in_one_text_as_those_of_arguments_do() -> None:
    assert made_key(f"{SDPA} {MHA}").code_questions["attention"].forbids == (SDPA, MHA)
    assert named("collections.Counter") is __import__("collections").Counter
