"""Which forbidden functions a question's function names, seen in the source of a submission."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Mapping

import pytest

from grader.reading.submission import Cell, Submission
from grader.reading.uses import uses

SDPA = "torch.nn.functional.scaled_dot_product_attention"
MHA = "torch.nn.MultiheadAttention"
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F"


def function(body: str, before: str = "") -> str:
    return f"{before}\ndef attention(q, k, v):\n{textwrap.indent(body, '    ')}"


def found(*sources: str, stopped: Mapping[int, int] | None = None) -> list[tuple[str, int, int]]:
    """Name, cell and line of what the source of `attention` uses; the cells stand below the imports."""
    cells = tuple(Cell(number, source, 1) for number, source in enumerate((IMPORTS, *sources), start=1))
    submission = Submission("alice", "attention.ipynb", "notebook", cells, "", ())
    seen = uses(submission, "attention", (SDPA, MHA), stopped or {})
    return [(use.name, use.cell, use.line) for use in seen]


ALIASES = {
    "the module's alias": function("return F.scaled_dot_product_attention(q, k, v)"),
    "the whole name": function(f"return {SDPA}(q, k, v)"),
    "torch under another name": function(
        "return t.nn.functional.scaled_dot_product_attention(q, k, v)", "import torch as t"
    ),
    "from torch import nn": function(
        "return nn.functional.scaled_dot_product_attention(q, k, v)", "from torch import nn"
    ),
    "the function under another name": function(
        "return mix(q, k, v)", "from torch.nn.functional import scaled_dot_product_attention as mix"
    ),
    "a star": function("return scaled_dot_product_attention(q, k, v)", "from torch.nn.functional import *"),
    "an import inside": function(
        "from torch.nn import functional as G\nreturn G.scaled_dot_product_attention(q, k, v)"
    ),
    "an assigned module": function("G = torch.nn.functional\nreturn G.scaled_dot_product_attention(q, k, v)"),
    "an assigned function": function("return mix(q, k, v)", "mix = F.scaled_dot_product_attention"),
    "two assigned at once": function("return mix(q, k, v)", "other, mix = 1, F.scaled_dot_product_attention"),
    "getattr": function("return getattr(F, 'scaled_dot_product_attention')(q, k, v)"),
    "getattr of a stored module": function(
        "return mix(q, k, v)", "N = torch.nn\nmix = getattr(N.functional, 'scaled_dot_product_attention')"
    ),
    "partial": function(
        "return mix(q, k, v)", "import functools\nmix = functools.partial(F.scaled_dot_product_attention, dropout_p=0)"
    ),
    "a table of functions": function("return ways['mine'](q, k, v)", "ways = {'mine': F.scaled_dot_product_attention}"),
    "a lambda": "attention = lambda q, k, v: F.scaled_dot_product_attention(q, k, v)",
    "the function itself": "attention = F.scaled_dot_product_attention",
    "the function itself imported": "from torch.nn.functional import scaled_dot_product_attention as attention",
    "a default value": "def attention(q, k, v, mix=F.scaled_dot_product_attention):\n    return mix(q, k, v)",
    "a function inside": function("def inner():\n    return F.scaled_dot_product_attention(q, k, v)\nreturn inner()"),
    "a comprehension": function("return [F.scaled_dot_product_attention(q, k, v) for _ in range(1)][0]"),
    "behind a condition": f"if True:\n{textwrap.indent(function('return F.scaled_dot_product_attention(q)'), '    ')}",
    "a class": function("return torch.nn.MultiheadAttention(6, 1)(q, k, v)"),
    "beside magics": "%matplotlib inline\n" + function("return F.scaled_dot_product_attention(q, k, v)"),
}


@pytest.mark.parametrize("form", ALIASES)
def test_a_forbidden_function_is_found_under_each_of_its_names(form: str) -> None:
    assert [name for name, _, _ in found(ALIASES[form])] == [MHA if form == "a class" else SDPA]


def test_helpers_and_classes_that_the_function_names_count_however_deep() -> None:
    helper = "class Mixer:\n    def __call__(self, q, k, v):\n        return deep(q, k, v)"
    deep = "def deep(q, k, v):\n    # the last one\n    return F.scaled_dot_product_attention(q, k, v)"
    assert found(helper, "mixer = Mixer()", function("return mixer(q, k, v)"), deep) == [(SDPA, 5, 3)]


def test_a_function_that_was_wrapped_counts() -> None:
    first = function("return F.scaled_dot_product_attention(q, k, v)")
    assert found(first, "import functools\nattention = functools.cache(attention)") == [(SDPA, 2, 3)]
    assert found(first, "old = attention", function("return old(q, k, v)")) == [(SDPA, 2, 3)]


def test_lines_are_those_of_the_file_in_a_script() -> None:
    source = IMPORTS + function("return F.scaled_dot_product_attention(q, k, v)")
    script = Submission("alice", "attention.py", "script", (Cell(4, source, 40),), "", ())
    assert [(use.cell, use.line) for use in uses(script, "attention", (SDPA,), {})] == [(4, 44)]


INNOCENT = {
    "a comment": function(f"# not {SDPA}\nreturn v"),
    "a docstring": function(f'"""As {SDPA} does."""\nreturn v'),
    "a string": function(f"name = '{SDPA}'\nreturn v"),
    "another cell": function("return v") + "\nprint(F.scaled_dot_product_attention(x, x, x))",
    "a test function": function("return v")
    + "\ndef test():\n    F.scaled_dot_product_attention(x, x), attention(x, x)",
    "a result of another cell": function("return wanted", "wanted = F.scaled_dot_product_attention(x, x, x)"),
    "an own function of that name": function(
        "return scaled_dot_product_attention(q, k, v)", "def scaled_dot_product_attention(q, k, v): return v"
    ),
    "a parameter of an alias's name": "def attention(q, F, v):\n    return F.scaled_dot_product_attention(q, v)",
    "a local name": "def attention(q, k, v):\n    F = q\n    return F.scaled_dot_product_attention",
    "a draft that was written anew": function("return F.scaled_dot_product_attention(q, k, v)") + function("return v"),
    "an alias that was changed": function("return mix(q)", "mix = F.scaled_dot_product_attention\nmix = torch.relu"),
    "an annotation": f"def attention(q: {SDPA}, k, v) -> {SDPA}:\n    x: {SDPA} = 1\n    return v",
    "another library": function("return jax.nn.functional.scaled_dot_product_attention(q, k, v)", "import jax"),
    "an import that is not used": function("from torch.nn.functional import scaled_dot_product_attention\nreturn v"),
    "code that does not parse": function("return F.scaled_dot_product_attention(q, k, v"),
    "a name of its own": function("F = F\nreturn F.scaled_dot_product_attention(q)"),
}


@pytest.mark.parametrize("form", INNOCENT)
def test_what_does_not_call_is_not_found(form: str) -> None:
    assert found(INNOCENT[form]) == []


def test_code_that_did_not_run_is_not_the_function_that_counts() -> None:
    draft, late = function("return v"), function("return F.scaled_dot_product_attention(q, k, v)", "1 / 0")
    assert found(draft, late) == [(SDPA, 3, 3)]
    assert found(draft, late, stopped={3: 1}) == []
    assert found(draft, late, stopped={3: 0}) == []


@pytest.mark.parametrize(
    "source",
    [
        "mix = F.scaled_dot_product_attention\n" + "mix = mix\n" * 10_000 + function("return mix(q, k, v)"),
        function("return " + "q." * 3_000 + "scaled_dot_product_attention"),
        function("return " + "getattr(" * 60 + "F" + ", 'scaled_dot_product_attention')" * 60),
        "\n".join(f"from a{n} import *; import scaled_dot_product_attention" for n in range(4_000))
        + function("return " + "+".join(f"a{n}" for n in range(10_000))),
        "\n".join(f"def f{n}(): return f{n + 1}, f{n // 2}, scaled_dot_product_attention" for n in range(3_000))
        + "\nattention = f0",
        function("return " + "lambda: " * 60 + "(F.scaled_dot_product_attention," + "q," * 60_000 + ")"),
    ],
    ids=["aliases", "attributes", "getattr", "stars", "helpers", "lambdas"],
)
def test_code_made_to_take_for_ever_is_read_in_no_time(source: str) -> None:
    started = time.process_time()
    found(source)
    assert time.process_time() - started < 5
