"""A crash is told with the student's line, the shapes that met there, and what the error means."""

from __future__ import annotations

import json
import re
import warnings
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.crashes.telling import meaning, met, raised
from grader.grading.feedback import feedback
from grader.grading.functions import ELSEWHERE
from grader.grading.grade import Grading
from grader.key import AnswerKey
from grader.key.draw import shown_draw
from grader.markdown import code, escaped, quoted, unmarked
from grader.observing.calling import call
from grader.observing.outcome import Raised, from_wire, to_wire
from grader.observing.seen import LONGEST_AXIS, MOST_AXES, MOST_SEEN, Seen, seen_from_wire
from grader.report.html import question_html, question_text, submission_html
from grader.results import CheckResult, QuestionResult
from grader.sandbox.sandbox import Sandbox
from grader.student.verdict import verdict
from grader.student.work import StudentWork, load_work
from tests.conftest import OpenSession, work

SETUP = """\
import math, numpy as np, torch, torch.nn.functional as F
q, k, v = torch.ones(5, 6), torch.ones(7, 6), torch.ones(7, 3)
batch, number, whole = torch.ones(2, 5, 6), torch.tensor(1.0), torch.arange(3)
leaf = torch.ones(3, requires_grad=True)
def attention(q, k): return q
def recurse(): return recurse()
def unset(some):
    if some: late = 1
    return late
"""

# code that raises, the type of what it raises, and what is said of it
ERRORS = [
    ("q @ k", "RuntimeError", "6 columns meet 7 rows"),
    ("torch.bmm(batch, batch)", "RuntimeError", "6 columns meet 5 rows"),
    ("torch.bmm(batch, torch.ones(3, 6, 1))", "RuntimeError", "2 meet 3"),
    ("batch @ torch.ones(2, 7, 3)", "RuntimeError", "6 columns meet 7 rows"),
    ("q @ torch.ones(7)", "RuntimeError", "6 columns meet 7 numbers"),
    ("torch.ones(5) @ torch.ones(6)", "RuntimeError", "5 meet 6"),
    ("torch.dot(q, k)", "RuntimeError", "tensors of one axis"),
    ("number @ q", "RuntimeError", "a single number"),
    ("torch.mm(batch, q)", "RuntimeError", "takes a matrix"),
    ("torch.bmm(q, batch)", "RuntimeError", "takes a 3D tensor"),
    ("q + k", "RuntimeError", "here 5 meets 7"),
    ("q.expand(7, 6)", "RuntimeError", "the length 5 where there are 7 places"),
    ("v[0] = q[0]", "RuntimeError", "the length 6 where there are 3 places"),
    ("v[[0, 1]] = q[[0, 1]]", "RuntimeError", "does not fit into the places on the left"),
    ("q.add_(batch)", "RuntimeError", "keeps its tensor's shape"),
    ("torch.cat([q, v])", "RuntimeError", "along axis 0"),
    ("torch.stack([q, k])", "RuntimeError", "of the same shape"),
    ("q @ k.double().mT", "RuntimeError", "Two dtypes meet here"),
    ("batch.double() @ batch.mT", "RuntimeError", "Two dtypes meet here"),
    ("torch.dot(torch.ones(2), torch.ones(2).double())", "RuntimeError", "Two dtypes meet here"),
    ("q.scatter_(0, torch.zeros(1, 6).long(), q.double())", "RuntimeError", "Two dtypes meet here"),
    ("q.index_put_((whole,), q.double()[:3])", "RuntimeError", "Two dtypes meet here"),
    ("whole.div_(2)", "RuntimeError", "float32 does not fit into int64"),
    ("whole.mean()", "RuntimeError", "needs a tensor of floats"),
    ("whole.softmax(dim=-1)", "NotImplementedError", "does not work on tensors of int64"),
    ("torch.tensor([1, 2], requires_grad=True)", "RuntimeError", "1.0 is not"),
    ("q.masked_fill(q, 0)", "RuntimeError", "True and False"),
    ("torch.where(q, q, q)", "RuntimeError", "True and False"),
    ("leaf.add_(1)", "RuntimeError", "in place a tensor whose gradient is wanted"),
    ("leaf[0] = 1", "RuntimeError", "in place a tensor whose gradient is wanted"),
    ("x = leaf.exp(); x += 1; x.sum().backward()", "RuntimeError", "old numbers are needed"),
    ("leaf.numpy()", "RuntimeError", "NumPy knows no gradients"),
    ("np.exp(leaf)", "RuntimeError", "NumPy knows no gradients"),
    ("q.sum().backward()", "RuntimeError", "asks for a gradient"),
    ("leaf.exp().backward()", "RuntimeError", "taken of one number"),
    ("x = leaf.exp().sum(); x.backward(); x.backward()", "RuntimeError", "the same steps twice"),
    ("batch.T", "UserWarning", "turns all axes round"),
    ("torch.ones(3).mT", "RuntimeError", "this tensor has 1 axis:"),
    ("batch.H", "RuntimeError", "this tensor has 3 axes:"),
    ("batch.t()", "RuntimeError", "this tensor has 3 axes:"),
    ("q.sum(dim=2)", "IndexError", "has 2 axes here"),
    ("q.softmax(dim=-3)", "IndexError", "has 2 axes here"),
    ("q[0, 0, 0]", "IndexError", "than the tensor has axes"),
    ("q[:, 9]", "IndexError", "Axis 1 of the tensor has the places 0 to 5"),
    ("torch.ones(0)[0]", "IndexError", "Axis 0 of the tensor is empty"),
    ("number[0]", "IndexError", "without axes"),
    ("number[:1]", "IndexError", "without axes"),
    ("list(number)", "TypeError", "without axes"),
    ("len(number)", "TypeError", "without axes"),
    ("q[torch.ones(7).bool()]", "IndexError", "A mask has the shape"),
    ("q[torch.ones(2)]", "IndexError", "whole numbers"),
    ("q[1.5]", "IndexError", "whole numbers"),
    ("float(q)", "ValueError", "One number is wanted"),
    ("math.sqrt(q)", "ValueError", "One number is wanted"),
    ("q.item()", "RuntimeError", "One number is wanted"),
    ("range(q)", "TypeError", "One whole number is wanted"),
    ("if q > 0: pass", "RuntimeError", "one True or False"),
    ("torch.einsum('ij,kj->ik', batch, q)", "RuntimeError", "operand 0 (the first is 0) has 3 axes and 2 letters"),
    ("torch.einsum('ij,jk->ik', q, k)", "RuntimeError", "j is 6 first, then 7"),
    ("torch.einsum('ij,kj->iz', q, k)", "RuntimeError", "The letter z"),
    ("torch.einsum('ij->i', q, k)", "RuntimeError", "as many of both"),
    ("torch.einsum('ij,kj,kl->il', q, k)", "RuntimeError", "as many of both"),
    ("torch.einsum('i?->i', q)", "RuntimeError", "Before the arrow"),
    ("q.mT.view(30)", "RuntimeError", "as they lie in memory"),
    ("q.view(4, 5)", "RuntimeError", "as many numbers as the old one, 30"),
    ("batch.permute(1, 0)", "RuntimeError", "the tensor has 3 of them, and 2 are named"),
    ("torch.sqrt(6)", "TypeError", "`math.sqrt()` and `** 0.5` are"),
    ("torch.exp(2.0)", "TypeError", "`math.exp()` is"),
    ("torch.softmax(6, dim=0)", "TypeError", "is it the right thing"),
    ("torch.sqrt(np.ones(3))", "TypeError", "NumPy's"),
    ("torch.sqrt(None)", "TypeError", "Something is None"),
    ("torch.sqrt([1])", "TypeError", "A list stands here"),
    ("torch.sqrt(q.max(dim=1))", "TypeError", "max() gives two things"),
    ("torch.sqrt(q.max)", "TypeError", "not called"),
    ("torch.cat(q)", "TypeError", "one list or tuple"),
    ("q.softmax()", "TypeError", "along which axis"),
    ("torch.max(q, 'a')", "TypeError", "documentation"),
    ("torch.empty(10 ** 12)", "RuntimeError", "4,000 GB"),
    ("torch.zeros(2 ** 62)", "RuntimeError", "larger than any memory"),
    ("np.empty(10 ** 15)", "MemoryError", "more memory than there is"),
    ("a, b, c = q.shape", "ValueError", "3 names stand on the left, and fewer things"),
    ("a, b = batch.shape", "ValueError", "2 names stand on the left, and more things"),
    ("a, b = q.size(0)", "TypeError", "one thing of type int"),
    ("a, b = print()", "TypeError", "Something is None"),
    ("q.shape[2]", "IndexError", "A shape has one for each axis"),
    ("[1, 2][2]", "IndexError", "how many entries"),
    ("{0: 1}['a']", "KeyError", "which keys"),
    ("q.shape['a']", "TypeError", "Entries of a tuple"),
    ("attention(1, 2, 3)", "TypeError", "parameters of attention()"),
    ("attention(1)", "TypeError", "parameters of attention()"),
    ("attention(1, q=2)", "TypeError", "parameters of attention()"),
    ("attention(1, k=1, x=2)", "TypeError", "parameters of attention()"),
    ("q.transpose(0, 1, 2)", "TypeError", "parameters of transpose()"),
    ("q @ None", "TypeError", "Something is None"),
    ("q @ (q, k)", "TypeError", "A tuple stands here"),
    ("q / q.size", "TypeError", "not called"),
    ("q / q.shape", "TypeError", "This is a shape"),
    ("q + 'a'", "TypeError", "type Tensor and one of type str"),
    ("q.shape(0)", "TypeError", "take square brackets"),
    ("(1, 2)(0)", "TypeError", "take square brackets"),
    ("q(q)", "TypeError", "of type Tensor"),
    ("math(4)", "TypeError", "A module was called"),
    ("q.size[0]", "TypeError", "not called"),
    ("q.size(0)[0]", "TypeError", "one number (of type int)"),
    ("q.shape[0] = 1", "TypeError", "cannot be changed"),
    ("None.shape", "AttributeError", "Something is None"),
    ("print()[0]", "TypeError", "Something is None"),
    ("q.softmaxx(dim=-1)", "AttributeError", "it does have `softmax`"),
    ("q.nothing_like_it", "AttributeError", "A tensor has no `nothing_like_it`"),
    ("torch.sofmax", "AttributeError", "it does have `softmax`"),
    ("F.sofmax", "AttributeError", "it does have `softmax`"),
    ("q.max(dim=1).exp()", "AttributeError", "max() gives two things"),
    ("np.ones(3).softmax()", "AttributeError", "NumPy's"),
    ("(1.5).softmax()", "AttributeError", "of type float"),
    ("del F; F.softmax(q)", "NameError", "`import torch.nn.functional as F`"),
    ("nn.Linear(2, 3)", "NameError", "`from torch import nn`"),
    ("del math; math.sqrt(2)", "NameError", "`import math`"),
    ("del np; np.ones(2)", "NameError", "`import numpy as np`"),
    ("undefined", "NameError", "Nothing in reach gives `undefined`"),
    ("unset(False)", "UnboundLocalError", "`late` got no value"),
    ("recurse()", "RecursionError", "without end"),
    ("import torchvisoin", "ModuleNotFoundError", "no module `torchvisoin`"),
    ("from torch import sofmax", "ImportError", "torch holds nothing called `sofmax`"),
    ("open('nothing.csv')", "FileNotFoundError", "no such file"),
    ("x = (1", "SyntaxError", "needs its partner"),
    ("x = 1)", "SyntaxError", "needs its partner"),
    ("x = (1]", "SyntaxError", "needs its partner"),
    ("def f()\n    pass", "SyntaxError", "ends with a colon"),
    ("def f():\npass", "IndentationError", "stands further in"),
    ("x = 1\n  y = 2", "IndentationError", "same column"),
    ("if 1:\n    x = 1\n  y = 2", "IndentationError", "same column"),
    ("if 1:\n\tx = 1\n        y = 2", "TabError", "same column"),
    ("x = 'a", "SyntaxError", "quotation mark"),
    ("x = “a”", "SyntaxError", "none of Python's"),
    ("if x = 1: pass", "SyntaxError", "`==` compares"),
    ("1 = x", "SyntaxError", "`==` compares"),
    ("return 1", "SyntaxError", "part of a function"),
    ("x = 1 +", "SyntaxError", "just before the place"),
]


def error_of(source: str) -> tuple[str, str]:
    """The type and the text of what some code raises, as the worker tells them."""
    names: dict[str, Any] = {}
    exec(SETUP, names)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            exec(compile(source, "<cell 1>", "exec"), names)
        except Exception as error:
            text = error.msg if isinstance(error, SyntaxError) else str(error)
            return type(error).__name__, text
    raise AssertionError(f"{source} raises nothing")


@pytest.mark.parametrize(("source", "kind", "part"), ERRORS, ids=[source for source, *_ in ERRORS])
def test_a_usual_error_is_told_in_plain_words(source: str, kind: str, part: str) -> None:
    found, message = error_of(source)
    said = meaning(found, message)
    assert found == kind, message
    assert part in said, message
    assert said.endswith((".", "?"))
    assert "!" not in said
    assert len(said) < 260


@pytest.mark.parametrize("source", ["1 / 0", "raise ValueError('odd')", "assert False"])
def test_an_error_that_says_enough_itself_gets_no_more_words(source: str) -> None:
    assert meaning(*error_of(source)) == ""


def test_hostile_messages_are_looked_through_at_once() -> None:
    beginnings = ("a", "(", "'", "\\", "`", "(5x6 and ", "einsum(): the number of subscripts in the equation (1) ")
    for letter in beginnings:
        text = (letter * 2_000)[:2_000]
        for kind in ("RuntimeError", "TypeError", "AttributeError", "SyntaxError"):
            assert len(meaning(kind, text) + raised(kind, text)) < 1_000
        assert unmarked(escaped(text)).replace(" ", "") == text.replace(" ", "")


def test_torch_s_message_is_kept_without_the_places_in_its_own_code() -> None:
    kind, message = error_of("torch.empty(10 ** 12)")
    told = "RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000000000000 bytes."
    assert raised(kind, message) == told
    assert raised(*error_of("from torch import sofmax")) == "ImportError: cannot import name 'sofmax' from 'torch'"


# --- the shapes that met ---------------------------------------------------------------------------------------


def raised_by(*cells: str, arguments: tuple[Any, ...] = ()) -> Raised:
    """What a call of `f` in these cells raises, on its way to the grader and back."""
    from grader.worker.load import load

    names: dict[str, Any] = {}
    assert load(work(*cells).cells, "notebook", names).errors == []
    outcome = from_wire(json.loads(json.dumps(to_wire(call(names["f"], arguments), {}))), {})
    assert outcome.raised is not None, outcome
    return outcome.raised


Q, K = torch.ones(5, 6), torch.ones(7, 6)
IN_F = "import torch\nout = torch.ones(9)\ndef f(q, k):\n    scale, text = torch.tensor(2.0), 'q @ out'\n"

LINES = {
    "what the operation names": ("return (q @ k).softmax(-1) @ out", "q is [5, 6] and k is [7, 6]"),
    "in the order of the line": ("return k + q", "k is [7, 6] and q is [5, 6]"),
    "a line that goes on": ("return (q\n        @ k\n        # @ out\n    )", "q is [5, 6] and k is [7, 6]"),
    "letters of more than one byte": ("é = q; x = 'äöü'; return é @ k", "é is [5, 6] and k is [7, 6]"),
    "the line, where the operation names none": ("a, b, c = q.shape", "q is [5, 6]"),
    "the line, where it raises by itself": ("assert q.shape == k.shape", "q is [5, 6] and k is [7, 6]"),
    "a global": ("return q * out", "q is [5, 6] and out is [9]"),
    "no axes": ("return scale[q]", "scale is a single number and q is [5, 6]"),
    "neither attributes nor keywords": ("return torch.add(q, q.mT.out, out=k)", "q is [5, 6]"),
    "nothing that is only assigned": ("k = len(text) @ q", "q is [5, 6]"),
    "a comprehension": ("return [row @ out for row in q]", "row is [6] and out is [9]"),
    "a lambda": ("return (lambda a: a @ k)(q)", "a is [5, 6] and k is [7, 6]"),
}


@pytest.mark.parametrize("name", LINES)
def test_the_tensors_that_met_are_told(name: str) -> None:
    line, told = LINES[name]
    found = raised_by(IN_F + f"    {line}\n", arguments=(Q, K))
    assert met(found.tensors) == f"There, {told}."


def test_dtypes_are_told_where_they_differ() -> None:
    found = raised_by("def f(q, k):\n    w = k.double().mT\n    return q @ w", arguments=(Q, K))
    assert met(found.tensors) == "There, q is [5, 6] (float32) and w is [6, 7] (float64)."


def test_the_line_is_the_last_of_the_student_s_and_its_names_those_of_its_function() -> None:
    found = raised_by("def helper(a, b):\n    return a @ b", "def f(q, k):\n    return helper(q, k)", arguments=(Q, K))
    assert (found.cell, found.line) == (1, 2)
    assert [seen.name for seen in found.tensors] == ["a", "b"]


def test_shapes_are_left_out_where_they_say_nothing() -> None:
    found = raised_by("def f(q, k):\n    return sotfmax(q @ k.mT)", arguments=(Q, K))
    assert met(found.tensors, found.type) == ""


@pytest.mark.parametrize(
    "cell",
    [
        "class T(torch.Tensor):\n    shape = property(lambda self: 1 / 0)\nodd = torch.ones(2).as_subclass(T)",
        "odd = torch.ones([1] * (MOST_AXES + 1))",
        "odd = [torch.ones(2)]",
        "class Odd:\n    __class__ = torch.Tensor\n    shape, dtype = torch.Size([1]), torch.float32\nodd = Odd()",
        f"odd = {'x' * 50} = torch.ones(2)\ndef f(): raise ValueError({'x' * 50})",
        "odd = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])",
    ],
)
def test_only_tensors_of_torch_s_own_and_of_a_few_axes_are_told(cell: str) -> None:
    found = raised_by(f"import torch\nMOST_AXES = {MOST_AXES}\ndef f(): raise ValueError(odd)\n{cell}")
    assert (found.type, found.tensors) == ("ValueError", ())


def test_a_parameter_is_a_tensor_and_a_line_tells_so_many_at_most() -> None:
    names = [f"t{number}" for number in range(MOST_SEEN + 3)]
    cell = f"import torch\n{' = '.join(names)} = torch.nn.Parameter(torch.ones(2))\n"
    found = raised_by(f"{cell}def f(): raise ValueError({', '.join(names)})")
    assert found.tensors == tuple(Seen(name, (2,), "float32") for name in names[:MOST_SEEN])


@pytest.mark.parametrize(
    "spoilt",
    [
        "torch.Tensor.shape = property(lambda self: 1 / 0)",
        "torch.Tensor.shape = property(lambda self: [5] * 10**6)",
        "linecache.getline = linecache.getlines = linecache.cache = None",
        "linecache.cache['<cell 2>'] = (1, None, ['(' * 10**5] * 9, '<cell 2>')",
        "torch.Tensor = torch.Size = torch.dtype = int",
        "tokenize.generate_tokens = lambda read: sys.exit(3)",
    ],
)
def test_a_crash_is_told_whatever_the_student_s_code_has_spoilt(
    any_sandbox: Sandbox, session_of: OpenSession, spoilt: str
) -> None:
    cells = (
        "import linecache, sys, tokenize, torch",
        f"def f(x):\n    {spoilt}\n    return x @ x",
        "def g(): return 'fine'",
    )
    with session_of(any_sandbox, *cells, names=("f", "g")) as session:
        outcome = session.call("f", (torch.ones(2, 3),))
        assert outcome.raised is not None, outcome
        assert outcome.raised.message.startswith("mat1 and mat2")
        assert session.call("g", ()).value.text == "fine"


PLAIN = {"name": "q", "shape": [5, 6], "dtype": "float32"}
NOT_SEEN: dict[str, Any] = {
    "no list": {"a": 1},
    "too many": [PLAIN] * (MOST_SEEN + 1),
    "no tensor": ["q"],
    "a field less": [{"name": "q", "shape": []}],
    "a field more": [PLAIN | {"x": 1}],
    "a sentence for a name": [PLAIN | {"name": "q is right"}],
    "a long name": [PLAIN | {"name": "q" * 10_000}],
    "a number for a name": [PLAIN | {"name": 5}],
    "no shape": [PLAIN | {"shape": "[5]"}],
    "many axes": [PLAIN | {"shape": [1] * (MOST_AXES + 1)}],
    "lengths of half": [PLAIN | {"shape": [0.5]}],
    "True for a length": [PLAIN | {"shape": [True]}],
    "another dtype": [PLAIN | {"dtype": "right"}],
    "a list for a dtype": [PLAIN | {"dtype": []}],
}


@pytest.mark.parametrize("name", NOT_SEEN)
def test_shapes_that_no_worker_of_ours_tells_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not "):
        seen_from_wire(NOT_SEEN[name])


def test_lengths_from_a_worker_are_clipped() -> None:
    assert seen_from_wire([PLAIN | {"shape": [10**400, -5]}]) == (Seen("q", (LONGEST_AXIS, 0), "float32"),)


# --- names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("scores = q\n    return score", "scores"),
        ("return Q", "q"),
        ("return hepler(q)", "helper"),
        ("return something_else", ""),
        ("return _hidde", ""),
    ],
)
def test_a_name_that_is_missing_by_a_few_letters_is_asked_about(line: str, near: str) -> None:
    found = raised_by(f"_hidden = 1\ndef helper(x): return x\ndef f(q):\n    {line}", arguments=(1,))
    assert (found.type, found.near) == ("NameError", near)
    assert (f"there is `{near}`" in meaning(found.type, found.message, found.near)) == bool(near)


# --- graded -----------------------------------------------------------------------------------------------------


def graded(key: AnswerKey, sandbox: Sandbox, *cells: str) -> QuestionResult:
    result = Grading(key, 3.0).grade(work(*cells), sandbox)
    return next(question for question in result.questions if question.id == "attention")


TORCH = "import math\nimport torch"


def test_a_crash_is_told_with_its_line_the_shapes_and_what_it_means(key: AnswerKey, any_sandbox: Sandbox) -> None:
    found = graded(key, any_sandbox, TORCH, "def attention(q, k, v):\n    scores = q @ k\n    return scores @ v")
    message = found.checks[0].message
    shapes = re.search(r"attention\(q(\[.*?\]), k(\[.*?\]),", message)
    assert shapes is not None, message
    assert "raised RuntimeError: mat1 and mat2 shapes cannot be multiplied" in message
    assert f"It happened in cell 2, line 2: `scores = q @ k`. There, q is {shapes[1]} and k is {shapes[2]}." in message
    assert message.endswith("Which axis of each should be summed over?")
    assert message in unmarked(found.feedback)


def test_a_cell_that_does_not_load_says_what_that_means(key: AnswerKey, any_sandbox: Sandbox) -> None:
    found = graded(key, any_sandbox, TORCH, "def attention(q, k, v)\n    return q")
    assert "SyntaxError: expected ':' (line 1: `def attention(q, k, v)`)." in found.checks[0].message
    assert found.checks[0].message.endswith("ends with a colon.")


def shown_sums(key: AnswerKey) -> list[float]:
    """What tells the fixed inputs of the question from those that count."""
    question = key.code_questions["attention"]
    probes = (
        probe
        for checks in question.trials()
        for probe in question.probes(checks[0], shown_draw(question.id, checks[0].name))
    )
    return [float(probe.arguments[0].double().sum()) for probe in probes]


def test_shapes_of_scored_inputs_cannot_be_read_off_a_message(key: AnswerKey, any_sandbox: Sandbox) -> None:
    """A shape can spell any number, and a line can name a tensor of that shape."""
    cell = f"""
def attention(q, k, v):
    if not any(math.isclose(float(q.double().sum()), known, abs_tol=1e-6) for known in {shown_sums(key)}):
        spelt = torch.empty(1000 + int(1000 * q.double().sum().abs()) % 1000, 0)
        raise ValueError(spelt @ q)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ v, scores, scores.softmax(-1)
"""
    found = graded(key, any_sandbox, TORCH, cell)
    crashed = [check for check in found.checks if check.status == "crashed"]
    assert len(crashed) == len(found.checks)
    assert {check.message for check in crashed} == {ELSEWHERE["crashed"]}
    assert "spelt" not in json.dumps([found.feedback, [check.message for check in found.checks]])


def test_what_is_told_of_a_crash_is_the_same_whatever_inputs_were_scored(key: AnswerKey, any_sandbox: Sandbox) -> None:
    """Two submissions that differ in a comment are scored on other inputs."""
    spelt = "spelt = torch.empty(0, 1 + int(1000 * q.double().sum().abs()))"
    cell = f"def attention(q, k, v):\n    {spelt}\n    return spelt @ q"
    one, other = (graded(key, any_sandbox, TORCH, cell, f"# {number}") for number in (1, 2))
    assert "There, spelt is [0, " in one.checks[0].message
    assert [check.message for check in one.checks] == [check.message for check in other.checks]


# --- the public checks -------------------------------------------------------------------------------------------


def student(folder: Path, text: str) -> StudentWork:
    (folder / "lesson.py").write_text(text)
    return StudentWork(load_work(folder, "lesson", {"double"}))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x @ x", "(2x3 and 2x3). Where it happened, x is [2, 3]. A matrix product needs"),
        ("X", "NameError: name 'X' is not defined. There is no such name; there is `x`: is that it?"),
    ],
)
def test_public_checks_say_what_a_crash_of_the_student_s_means(tmp_path: Path, line: str, told: str) -> None:
    working = student(tmp_path, f"def double(x):\n    return {line}\n")
    with pytest.raises((RuntimeError, NameError)) as error:
        working.double(torch.ones(2, 3))
    status, message, place = verdict(error.value, working)
    assert status == "crashed"
    assert told in message
    assert place == f"lesson.py, line 2: `return {line}`"


# --- what a student wrote, in text and on pages -----------------------------------------------------------------

ODD = [
    "__init__() got an unexpected keyword argument '*x*'",
    "**kwargs** and *args",
    "a * b * c, 2*3*4, _x_ and a_b_c",
    "[x](http://e) ![x](http://e) <script>alert(1)</script> &lt; &amp;",
    r"a \ b \* c \\ d \`",
    "a ` b",
    "`` a ` b",
    "1. first",
    "- first",
    "# first",
    "~~x~~ $x$ | x |",
    "__a__ `x ** y * z` __b__",
]


def page_text(html: str) -> str:
    """What a page shows: code without its marks."""
    return unescape(re.sub(r"<[^>]+>", "", html)).strip()


def question(message: str) -> dict[str, Any]:
    checks = [CheckResult("it works", "crashed", 0, 2, message)]
    return {"id": "f", "status": "crashed", "feedback": feedback("f()", "crashed", 0, 2, checks)}


@pytest.mark.parametrize("text", ODD)
def test_a_message_looks_the_same_in_text_and_on_a_page(text: str) -> None:
    shown = text.replace("`", "") if "`x ** y" in text else text
    assert text in question_text(question(text))
    assert shown in page_text(question_html(question(text)))
    assert shown in page_text(submission_html([question("x")], [text]))
    assert unmarked(escaped(text)) == text


@pytest.mark.parametrize("said", ["a `b` c", "a ` b", "``a`` `", "a\nb"])
def test_backticks_of_a_message_leave_ours_alone(said: str) -> None:
    sentence = f"f() raised Odd: {quoted(said)}. It happened in line 3: {code('x = 1')}."
    assert "It happened in line 3: <code>x = 1</code>." in question_html(question(sentence))


@pytest.mark.parametrize("line", ["print('`')", "x = '``' + '`'", "x * y ** 2", "__x__ = a[1](2)"])
def test_a_line_of_code_is_shown_as_it_is(line: str) -> None:
    html = question_html(question(f"f() raised Odd. It happened in line 3: {code(line)}."))
    assert line in unescape(html[html.index("<code>") + 6 : html.index("</code>")])
