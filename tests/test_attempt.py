from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.attempt import attempted, cell_of, choose, similar, untouched, without_magics
from grader.reading.submission import Cell, Submission

STUB = 'def attention(q, k, v):\n    """Read."""\n    raise NotImplementedError("attention() is not written yet")\n'
WRITTEN = "def attention(q, k, v):\n    return v, v, v\n"


def work(*sources: str, kind: Literal["notebook", "script"] = "notebook") -> Submission:
    cells = tuple(Cell(number, source, 1) for number, source in enumerate(sources, start=1))
    name = "attention.ipynb" if kind == "notebook" else "attention.py"
    return Submission("alice", name, kind, cells, "0", ())


def is_stub(*sources: str, name: str = "attention") -> bool:
    return untouched(work(*sources), [name]) == {name}


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        "raise NotImplementedError()",
        'raise NotImplementedError("not yet") from None',
        '"""Words."""',
        '"""Words."""\n    raise NotImplementedError("x")',
        "pass",
        "...",
        "# YOUR CODE HERE\n    raise NotImplementedError()",
        "pass\n    raise NotImplementedError",
    ],
)
def test_a_body_that_does_nothing_is_a_stub(body: str) -> None:
    assert is_stub(f"def attention(q, k, v):\n    {body}\n")
    assert is_stub(f"@d\nasync def attention(q, k, v):\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "return v",
        "return None",
        "raise ValueError",
        "raise",
        "x = 1",
        "x = q @ k.T\n    raise NotImplementedError",
        "raise NotImplementedError\n    return v",
        "5",
    ],
)
def test_a_body_that_does_anything_is_an_attempt(body: str) -> None:
    assert not is_stub(f"def attention(q, k, v):\n    {body}\n")


@pytest.mark.parametrize(
    "source",
    [
        "N = None  # 2 numbers",
        "N: list[float] = None",
        "M = N = None",
        "M, N = 3, None",
        "x = 1",
        "# N = 3",
        "",
        "N: int",
    ],
)
def test_a_name_set_to_none_or_absent_is_untouched(source: str) -> None:
    assert is_stub(source, name="N")


@pytest.mark.parametrize(
    "source",
    [
        "N = 0",
        "N = [None, None]",
        "N: float = 1.5",
        "N = None or 3",
        "M, N = None, 3",
        "M, *N = 1, 2",
        "N = None\nN += 1",
        "N = None\nif True:\n    N = 3",
        "for N in range(3): pass",
        "with open('x') as N: pass",
        "print(N := 3)",
        "from math import pi as N",
        "import N.x",
        "class N: pass",
        "N = lambda: None",
        "try:\n    N = 1\nexcept ValueError:\n    pass",
    ],
)
def test_a_name_with_any_other_value_is_an_attempt(source: str) -> None:
    assert not is_stub(source, name="N")


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    N = 3",
        "class A:\n    N = 3",
        "x.N = 3",
        "N[0] = 3",
        "[N for N in []]",
        "f(N=3)",
        "N == 3",
    ],
)
def test_what_is_no_name_of_the_module_is_no_attempt(source: str) -> None:
    assert is_stub(source, name="N")


def test_the_last_definition_is_the_one_that_holds() -> None:
    assert not is_stub(STUB, WRITTEN)
    assert is_stub(WRITTEN, STUB)
    assert not is_stub("N = None\nN = 3", name="N")
    assert is_stub("N = 3; N = None", name="N")


def test_only_the_names_asked_for_are_answered() -> None:
    stubs = work(STUB, "N = None", "M = 3")
    assert untouched(stubs, ["attention", "N", "M", "absent"]) == {"attention", "N", "absent"}
    assert untouched(stubs, []) == set()
    assert attempted(stubs, ["N", "M"])
    assert not attempted(stubs, ["N", "attention"])
    assert not attempted(stubs, [])


def test_a_cell_that_does_not_parse_counts_for_the_names_it_seems_to_define() -> None:
    broken = work(
        "def attention(q, k, v):\n    return (v\n\nN = 3\nM : int = (4\nA, B = 1, 2\nif C == 4: f(D=3)\n# E = 1\n"
    )
    names = ["attention", "N", "M", "A", "B", "C", "D", "E", "F", "attent"]
    assert untouched(broken, names) == {"C", "D", "E", "F", "attent"}


@pytest.mark.parametrize(
    "lines",
    [
        "%matplotlib inline",
        "!pip install torch",
        "!pip install \\\n  torch \\\n  numpy",
        "%%time",
        "\n%%capture out",
        "torch.softmax?",
        "?torch",
        "files = !ls",
        "t = %timeit -o f()",
        "if True:\n    %time f()",
        "%timeit f(",
    ],
)
def test_lines_of_ipython_do_not_hide_what_stands_beside_them(lines: str) -> None:
    assert is_stub(f"{lines}\n{STUB}")
    assert not is_stub(f"{lines}\n{WRITTEN}")


def test_a_cell_in_another_language_defines_nothing() -> None:
    assert is_stub("%%bash\nattention=3\n", STUB)
    assert is_stub("%%writefile attention.py\n" + WRITTEN)


def test_a_percent_sign_inside_a_string_or_bracket_stays() -> None:
    source = 'x = """\n% words\n"""\ny = (5\n% 3)\n'
    assert not is_stub(source, name="y")
    assert without_magics("x = 3  # why?\n!ls\ny = !ls") == "x = 3  # why?\npass\ny = ..."


def test_in_a_script_lines_of_ipython_are_an_error_as_python_says() -> None:
    broken = work("%matplotlib inline\nN = None", kind="script")
    assert untouched(broken, ["N"]) == set()


def test_letters_that_python_reads_as_others_are_found() -> None:
    assert not is_stub("def \u1d43ttention(q, k, v):\n    return v\n")  # a small raised a


@pytest.mark.parametrize(
    ("notebook", "script", "counts"),
    [
        (WRITTEN, STUB, "attention.ipynb"),
        (STUB, WRITTEN, "attention.py"),
        (STUB, STUB, "attention.ipynb"),
        (WRITTEN, WRITTEN, "attention.ipynb"),
    ],
)
def test_the_form_that_was_worked_on_counts_and_the_notebook_first(notebook: str, script: str, counts: str) -> None:
    forms = [work(script, kind="script"), work(notebook)]
    for order in (forms, forms[::-1]):
        counted, message = choose(order, ["attention"])
        assert counted.source == counts
        both = "Both attention.ipynb and attention.py were worked on; attention.ipynb counts."
        assert message == (both if notebook == script == WRITTEN else None)


def test_the_only_form_counts() -> None:
    for source in (STUB, WRITTEN):
        only = work(source, kind="script")
        assert choose([only], ["attention"]) == (only, None)


def test_the_cell_that_defines_a_name_last_is_found() -> None:
    cells = work(STUB, "x = attention(1, 2, 3)", WRITTEN, "N = (3", "print(attention)")
    assert cell_of(cells, "attention") == 3
    assert cell_of(cells, "N") == 4
    assert cell_of(cells, "absent") is None


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("attn", "attention"),
        ("attenion", "attention"),
        ("Attention", "attention"),
        ("self_attention", "attention"),
        ("att", "attention"),
        ("matchscores", "match_scores"),
        ("scores", "match_scores"),
        ("projection", "project"),
    ],
)
def test_a_function_whose_name_resembles_the_missing_one_is_found(other: str, name: str) -> None:
    assert similar(work(f"def {other}(x):\n    return x\n"), name) == other


@pytest.mark.parametrize("other", ["f", "helper", "softmax", "at", "test_attention", "attention"])
def test_no_resemblance_is_made_up(other: str) -> None:
    assert similar(work(f"def {other}(x):\n    return x\n"), "attention") is None


def test_names_that_are_taken_stubs_or_no_functions_are_not_offered() -> None:
    cells = work("def attend_one(x):\n    return x", "attentions = 3", "def attention2(x):\n    pass")
    assert similar(cells, "attention", taken=["attend_one"]) is None
    assert similar(cells, "attend_on") == "attend_one"


def test_the_closest_of_several_is_offered() -> None:
    source = "def my_attention_helper(x): return x\ndef atention(x): return x\ndef attn(x): return x"
    assert similar(work(source), "attention") == "atention"


@given(
    st.lists(st.text() | st.sampled_from([STUB, WRITTEN, "%%time\n", "!ls \\", "N = (", "-" * 9000, "a" + ".b" * 9000]))
)
@settings(deadline=None)
def test_any_text_is_looked_at_without_an_error(sources: list[str]) -> None:
    for kind in ("notebook", "script"):
        found = work("\n".join(sources), *sources, kind=kind)
        assert untouched(found, ["attention", "N"]) <= {"attention", "N"}
        cell_of(found, "N")
        similar(found, "attention", ["N"])


def test_large_hostile_text_takes_no_time() -> None:
    names = [f"NAME_{number}" for number in range(30)]
    for source in (
        "N " * 1_000_000,
        "=" * 2_000_000,
        "def " * 500_000,
        "x" * 2_000_000 + "?",
        "N,\\\n" * 400_000,
        "%" * 10**6,
    ):
        untouched(work(source + "NAME_1 N attention"), [*names, "N"])
        similar(work(source), "attention")
    functions = "".join(f"def f{number}(): 0\n" for number in range(10_000))
    assert similar(work(functions + "def attn(): 0"), "attention") is None  # beyond the first 500
