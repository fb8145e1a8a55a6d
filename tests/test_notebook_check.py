"""check() and show_weights(): what a notebook shows, whatever the student has defined."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbclient import NotebookClient

from grader.student.card import Card, Shown
from grader.student.heat import Heat, heat_html

CHECKS = '''
import pytest
import torch
from grader.public import Picture, Question, expect, expect_numbers

QUESTIONS = {
    "weigh": Question(points=5, names=("weigh",), hint="How many keys share <one>?"),
    "answer": Question(points=4, names=("ANSWER",)),
}
EQUAL = lambda student: student.weigh(torch.zeros(1, 2))
PICTURES = {"weigh": Picture("weigh([[0, 0]])", EQUAL, [[0.5, 0.5]], weights="result")}

@pytest.mark.question("weigh")
@pytest.mark.parametrize("keys", [2, 3])
def test_weigh_shares_equally_among_equal_scores(student, keys):
    """equal scores give equal weights"""
    expect(student.weigh(torch.zeros(1, keys)), [[1 / keys] * keys], f"weigh(zeros[1, {keys}])")

@pytest.mark.question("answer")
def test_answer_is_a_number(student):
    """the answer is a number"""
    expect_numbers(student.ANSWER, "ANSWER", 1)
'''
IMPORT = "import torch\nfrom grader.notebook import check"
RIGHT = "def weigh(scores):\n    return scores.softmax(-1)"

Cell = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "test_lesson.py").write_text(CHECKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cell(folder: Path, capsys: pytest.CaptureFixture[str]) -> Cell:
    """Run a cell in plain Python; what it printed."""
    names: dict[str, Any] = {"torch": torch}
    exec("from grader.notebook import check, reveal, show_walkthrough, show_weights", names)

    def run(source: str) -> str:
        exec(source, names)
        return capsys.readouterr().out

    return run


@pytest.fixture
def shell(folder: Path) -> Iterator[Callable[[str], dict[str, str]]]:
    """Run a cell in IPython; what it displayed, by type."""
    made = InteractiveShell.instance()
    made.run_cell("from grader.notebook import check, reveal, show_walkthrough, show_weights")

    def run(source: str) -> dict[str, str]:
        with capture_output() as captured:
            result = made.run_cell(source)
        assert result.success
        shown: dict[str, str] = captured.outputs[-1].data
        return shown

    yield run
    InteractiveShell.clear_instance()


def test_a_right_function_passes_and_its_weights_are_drawn(cell: Cell) -> None:
    assert cell(f'{RIGHT}\ncheck("weigh")').splitlines() == [
        "● weigh() — 5 points · passed",
        "    Its 2 public checks hold.",
        "    `weigh([[0, 0]])`: your weights, as expected",
        "    position 0:    0.5000  0.5000",
        "●·",
        "1 of 2 questions done. Next: ANSWER in lesson.ipynb.",
    ]


def test_the_first_check_that_does_not_hold_is_told(cell: Cell) -> None:
    text = cell('def weigh(scores):\n    return scores + 1\ncheck("weigh")')
    assert "weigh(zeros[1, 2])" in text
    assert "expected 0.5000" in text
    assert "Should hold: equal scores give equal weights." in text


def test_what_is_wrong_is_drawn_beside_what_is_expected_and_one_step_is_named(cell: Cell) -> None:
    assert cell('def weigh(scores):\n    return scores + 1\ncheck("weigh")').splitlines()[2:] == [
        "    Should hold: equal scores give equal weights.",
        "    `weigh([[0, 0]])`, what differs is marked:",
        "                   yours               expected",
        "    position 0:    *1.0000  *1.0000    0.5000  0.5000",
        "    → Row 0 does not sum to 1: begin there.",
        "✗·",
        "0 of 2 questions done. Next: weigh() in lesson.ipynb.",
    ]


def test_a_wrong_shape_is_drawn_with_both_shapes(cell: Cell) -> None:
    text = cell('def weigh(scores):\n    return scores[:, :1] + 1\ncheck("weigh")')
    assert "yours, shape [1, 1]    expected, shape [1, 2]" in text
    assert "*" not in text
    assert "→ The result is of shape [1, 1], not [1, 2]: begin there." in text


@pytest.mark.parametrize(
    ("source", "step"),
    [
        (
            "",
            "→ If it is not there, write weigh() in the cell above and run it; then run this check again.",
        ),
        (
            "def weigh(scores):\n    return [0.5]",
            "→ Change weigh() in the cell above and run it; then run this check again.",
        ),
        ("def weigh(scores):\n    return scores + float('nan')", "→ The result holds NaN or infinity: begin there."),
        (
            "def weigh(scores):\n    return scores + torch.tensor([0.25, 0.75])",
            "→ Compare what is marked with your calculation",
        ),
    ],
)
def test_a_question_that_is_not_done_has_one_next_step(cell: Cell, source: str, step: str) -> None:
    text = cell(f'{source}\ncheck("weigh")')
    assert step in text
    assert text.count("→") == 1


def test_the_next_step_is_the_question_that_was_asked_about(cell: Cell) -> None:
    assert "Next: ANSWER in" in cell('check("answer")')
    assert "Next: weigh() in" in cell('ANSWER = 1\ncheck("answer")')


def test_a_name_that_is_nearly_right_is_told(cell: Cell) -> None:
    text = cell('def weighs(scores):\n    return scores\ncheck("weigh")')
    assert "weigh() is not there yet; weighs() is: is that it? Its name has to be weigh." in text


def test_a_stub_that_a_function_calls_is_what_comes_next(cell: Cell, folder: Path) -> None:
    (folder / "test_lesson.py").write_text(
        CHECKS.replace('"answer": ', '"share": Question(points=1, names=("share",)),\n    "answer": ')
    )
    stub = "def share(scores):\n    raise NotImplementedError\n"
    text = cell(f'{stub}def weigh(scores):\n    return share(scores)\ncheck("weigh")')
    assert "weigh(scores[1, 2]) calls share(), which is not written yet." in text
    assert "→ Write share() first; then run this check again." in text
    assert text.endswith("Next: share() in lesson.ipynb.\n")


def test_a_line_of_another_functions_cell_is_told_with_that_function(shell: Callable[[str], dict[str, str]]) -> None:
    shell('def share(scores):\n    return scores.nothing\ncheck("weigh")')
    shown = shell('def weigh(scores):\n    return share(scores)\ncheck("weigh")')
    assert "→ Look at line 2 in the cell of share(): `return scores.nothing`" in shown["text/plain"]


def test_what_answered_means_stands_below_all_questions(cell: Cell) -> None:
    meaning = '"answered": its form is right; whether the answer is, grading will say.'
    assert meaning in cell("ANSWER = 3\ncheck()")
    assert meaning not in cell("ANSWER = None\ncheck()")


STOPPED = {  # a cell that a student runs, and what stopped it before `weigh` was there anew
    "def weigh(scores):\n    return (scores.softmax(-1)": "SyntaxError: incomplete input (line 2)",
    "half = 1 / 0\ndef weigh(scores):\n    return scores.softmax(-1)": "ZeroDivisionError: division by zero",
    "import torchh\nif True:\n    def weigh(scores): ...": "ModuleNotFoundError: No module named 'torchh'",
    "raise KeyboardInterrupt\ndef weigh(scores): ...": "it was interrupted",
    "half = 1 / 0\nif True:\n    weigh = 1": "ZeroDivisionError: division by zero",
    "!echo \\\n  one\n1 / 0\ndef weigh(scores): ...": "ZeroDivisionError: division by zero",
    "return 1\ndef weigh(scores): ...": "SyntaxError: 'return' outside function (line 1)",
    "other, weigh = 1 / 0, 1": "ZeroDivisionError: division by zero",
    "other = 1\nweigh = (": "SyntaxError: incomplete input (line 2)",
    "@nothing\ndef weigh(scores): ...": "NameError: name 'nothing' is not defined",
}


@pytest.mark.parametrize("source", STOPPED)
def test_a_cell_that_stopped_before_it_changed_anything_is_told(
    shell: Callable[[str], dict[str, str]], source: str
) -> None:
    shell("def weigh(scores):\n    return scores + 1\ncheck()")
    assert not InteractiveShell.instance().run_cell(source).success
    lines = shell('check("weigh")')["text/plain"].splitlines()
    assert lines[1] == (
        f"    The last cell that you ran stopped before it defined weigh(): {STOPPED[source]}. "
        "So this is about what was there before."
    )
    assert lines[2] == "    → Mend that cell and run it; then run this check again."
    assert "The last cell" not in shell('check("weigh")')["text/plain"]  # that was the check


@pytest.mark.parametrize(
    "source",
    [
        "def weigh(scores):\n    return scores\nweigh(1, 2)",
        "for turn in (1, 2):\n    def weigh(scores): ...\n    1 / 0",
        "match 1:\n    case 1:\n        def weigh(scores): ...\n        1 / 0",
        "def weigh(scores):\n    x = scores\nreturn x",
        "def weigh(scores): ...\nexec('1 / 0')",
        "def weigh(scores): ...\nexec('(')",
        "%%time\ndef weigh(scores): ...\n1 / 0",
        "x = !echo \\\n  one\ndef weigh(scores): ...\n1 / 0",
        "weigh = 1; 1 / 0",
        "\ndef weigh(scores):\n    return scores\nweigh(undefined)",
        "    def weigh(scores): ...\n    1 / 0",
        ">>> weigh = 3\n>>> 1 / 0",
        "print((weigh := 5), 1 / 0)",
        "weigh: nothing = 3",
        "assert weigh >= 3 (",
        "# def weigh(x)\nf(",
        "weigh = 1\n1 / 0\nweigh = 2",
        "weigh.x = (",
        "f(a,\n  weigh=3",
        "class A:\n    def weigh(self): return (",
        "weigh(1, 2)",
        "print(1 / 0)",
        "weigh == (",
    ],
)
def test_a_cell_that_stopped_elsewhere_is_not_told(shell: Callable[[str], dict[str, str]], source: str) -> None:
    shell("def weigh(scores):\n    return scores + 1\ncheck()")
    assert not InteractiveShell.instance().run_cell(source).success
    assert "The last cell" not in shell('check("weigh")')["text/plain"]


def test_a_cell_that_defines_and_checks_itself_is_not_told_of_the_one_before(
    shell: Callable[[str], dict[str, str]],
) -> None:
    InteractiveShell.instance().run_cell("1 / 0\ndef weigh(scores): ...", store_history=True)
    with capture_output() as captured:
        InteractiveShell.instance().run_cell(f'{RIGHT}\ncheck("weigh")', store_history=True)
    assert "weigh() — 5 points · passed" in captured.outputs[-1].data["text/plain"]
    assert "The last cell" not in captured.outputs[-1].data["text/plain"]


def test_answers_that_a_stopped_cell_did_not_reach_are_told_with_all_questions(
    shell: Callable[[str], dict[str, str]],
) -> None:
    InteractiveShell.instance().run_cell("before = 1\nANSWER = (before +\n    1 / 0)")
    text = shell("check()")["text/plain"]
    assert text.startswith("The last cell that you ran stopped before it defined ANSWER: ZeroDivisionError")


def test_a_hint_waits_to_be_opened(shell: Callable[[str], dict[str, str]]) -> None:
    shown = shell('check("weigh")')
    assert "<details" in shown["text/html"]
    assert "How many keys share &lt;one&gt;?" in shown["text/html"]
    assert "How many" not in shown["text/plain"]
    assert "<details" not in shell(f'{RIGHT}\ncheck("weigh")')["text/html"]


def test_the_strip_shows_every_question_in_words_and_signs(shell: Callable[[str], dict[str, str]]) -> None:
    shown = shell(f'{RIGHT}\nANSWER = 2\ncheck("weigh")')
    assert 'aria-label="Questions: 1 passed, 2 answered"' in shown["text/html"]
    assert 'title="2  ANSWER: answered"' in shown["text/html"]
    assert "\n●○\n" in shown["text/plain"]


def test_the_form_of_an_answer_is_checked_and_nothing_more_is_claimed(cell: Cell) -> None:
    assert "ANSWER — 4 points · answered" in cell('ANSWER = 0.3\ncheck("answer")')
    assert "holds 2 numbers; one number is asked for" in cell('ANSWER = [1, 2]\ncheck("answer")')


def test_a_name_that_is_not_there_yet_asks_to_run_its_cell(cell: Cell) -> None:
    assert "ANSWER is not there yet: run the cell that defines it first." in cell('check("answer")')
    assert "ANSWER is not written yet." in cell('ANSWER = None\ncheck("answer")')
    assert "weigh() is not written yet." in cell('def weigh(s):\n    raise NotImplementedError\ncheck("weigh")')


def test_a_redefined_function_is_checked_anew(cell: Cell) -> None:
    assert "· crashed" in cell('def weigh(scores):\n    return scores.nothing\ncheck("weigh")')
    assert "· passed" in cell(f'{RIGHT}\ncheck("weigh")')


def test_every_question_is_checked_without_an_id(cell: Cell) -> None:
    text = cell(f"{RIGHT}\nANSWER = 1\ncheck()")
    assert text.endswith("2 of 2 questions done. Save lesson.ipynb and hand it in.\n")


def test_the_function_itself_may_stand_for_its_question(cell: Cell) -> None:
    assert "· passed" in cell(f"{RIGHT}\ncheck(weigh)")


def test_the_folder_may_have_been_left_since_the_notebook_was_started(
    shell: Callable[[str], dict[str, str]], folder: Path
) -> None:
    (folder / "deeper").mkdir()
    assert (
        "is not there yet" in shell('import os\n_dh[0] = os.getcwd()\nos.chdir("deeper")\ncheck("weigh")')["text/plain"]
    )


def test_an_unknown_question_names_the_known_ones(cell: Cell) -> None:
    assert cell('check("wiegh")') == 'There is no question "wiegh" here. The questions are: weigh, answer.\n'


def test_a_folder_without_checks_is_a_sentence(cell: Cell, folder: Path) -> None:
    (folder / "test_lesson.py").unlink()
    assert "holds no public checks" in cell('check("weigh")')


def test_a_spoilt_test_file_is_a_sentence(cell: Cell, folder: Path) -> None:
    (folder / "test_lesson.py").write_text(CHECKS + "\n)")
    assert "test_lesson.py cannot be used: was it changed?" in cell('check("weigh")')


def test_what_a_checked_function_prints_is_not_shown(cell: Cell) -> None:
    assert "noise" not in cell('def weigh(scores):\n    print("noise")\n    return scores\ncheck("weigh")')


@pytest.mark.parametrize(
    "end", ["raise SystemExit(3)", "raise BaseException('b')", "assert False", "return weigh(scores)"]
)
def test_nothing_that_a_function_does_raises_in_the_notebook(cell: Cell, end: str) -> None:
    assert "weigh() — 5 points · crashed" in cell(f'def weigh(scores):\n    {end}\ncheck("weigh")')


def test_an_endless_function_is_stopped_and_costs_other_checks_little(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.notebook.SECONDS", 0.5)
    monkeypatch.setattr("grader.notebook.OTHERS", 0.2)
    endless = "def weigh(scores):\n    while True:\n        pass\n"
    assert "weigh() was still running after 0.5 s and was stopped." in cell(f'{endless}check("weigh")')
    text = cell('ANSWER = 1\ncheck("answer")')
    assert "ANSWER — 4 points · answered" in text
    assert "\n·○\n" in text  # nobody is blamed for the short time that others get


def test_check_and_show_weights_rest_while_a_notebook_is_graded(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_WORKER", "1")
    assert cell('check("weigh")\nshow_weights(None)\nreveal(None, 1)\nshow_walkthrough()') == ""


def test_a_script_that_is_run_as_it_is_prints_what_the_checks_say(folder: Path) -> None:
    (folder / "lesson.py").write_text(f'from grader.notebook import check\n{RIGHT}\ncheck("weigh")\n')
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "lesson.py"], env=environment, capture_output=True, text=True, check=True)
    assert "weigh() — 5 points · passed" in done.stdout


def test_html_shows_what_the_text_says_and_escapes_what_is_the_students(shell: Callable[[str], dict[str, str]]) -> None:
    shown = shell('def weigh(scores):\n    raise ValueError("<script>alert(1)</script>")\ncheck("weigh")')
    assert "raised ValueError: <script>" in shown["text/plain"]
    assert "&lt;script&gt;alert(1)" in shown["text/html"]
    assert "<script" not in shown["text/html"]
    assert "Next: weigh() in lesson.ipynb." in shown["text/html"]


def test_the_line_of_an_error_in_ipython_is_shown(shell: Callable[[str], dict[str, str]]) -> None:
    shown = shell('def weigh(scores):\n    a = 1\n    return scores @ a\ncheck("weigh")')
    assert "→ Look at line 3: `return scores @ a`" in shown["text/plain"]
    assert "<code>return scores @ a</code>" in shown["text/html"]


def test_a_guess_is_asked_for_before_the_result(shell: Callable[[str], dict[str, str]]) -> None:
    assert "What do you expect?" in shell("reveal(None, 41 + 1)")["text/html"]
    assert "<pre" in (shown := shell("reveal(40, 41 + 1)"))["text/html"]
    assert shown["text/plain"] == "You expected: 40\n42\n→ Not what you expected: read the text above it once more."


def test_the_walkthrough_is_shown_in_a_frame_that_reaches_nothing(
    shell: Callable[[str], dict[str, str]], folder: Path
) -> None:
    assert "walkthrough.html is not beside this file" in shell("show_walkthrough()")["text/plain"]
    (folder / "walkthrough.html").write_text('<p title="a">&amp;</p>')
    shown = shell("show_walkthrough()")
    assert 'sandbox="allow-scripts"' in shown["text/html"]
    assert 'srcdoc="&lt;p title=&quot;a&quot;&gt;&amp;amp;&lt;/p&gt;"' in shown["text/html"]
    assert shown["text/plain"] == "Open walkthrough.html in a browser: it lies beside this file."


def test_show_weights_draws_a_table_or_what_a_function_returns_third(shell: Callable[[str], dict[str, str]]) -> None:
    table = "torch.tensor([[0.25, 0.75]])"
    direct = shell(f"import torch\nshow_weights({table})")
    called = shell(f"def f(q, k, v):\n    return v, k, {table}\nshow_weights(f, 1, 2, 3)")
    assert "position 0:    0.2500  0.7500" in direct["text/plain"]
    assert direct == called
    assert ">0.7500</td>" in direct["text/html"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("show_weights(f, 1, 2, 3)", "f() is not written yet. When it is, its weights stand here."),
        ("show_weights(lambda q, k, v: q.a, 1, 2, 3)", "AttributeError"),
        ("show_weights(lambda q, k, v: q, 1, 2, 3)", "expected three things: (output, scores, weights)"),
        ("show_weights(lambda q, k, v: (1, 2, 'x'), 1, 2, 3)", "cannot be drawn"),
        ("show_weights(None)", "None cannot be drawn"),
        ("show_weights(lambda q, k, v: exit(), 1, 2, 3)", "raised SystemExit"),
        ("class A:\n    def __repr__(self):\n        raise ValueError\nshow_weights(f, A(), 2, 3)", "not written yet"),
        ("show_weights(torch.ones(0, 3))", "nothing to draw"),
        ("show_weights(torch.tensor(3.0))", "Row 0 does not sum to 1"),
        ("show_weights(torch.ones(2, 2, 2) / 2)", "only the first text is drawn"),
        ("show_weights(torch.full((1, 2), float('nan')))", "nan"),
        ("show_weights(torch.ones(50, 50) / 50)", "first 20 rows and columns"),
    ],
)
def test_show_weights_says_in_words_what_cannot_be_drawn(cell: Cell, source: str, says: str) -> None:
    assert says in cell(f"def f(q, k, v):\n    raise NotImplementedError\n{source}")


@pytest.mark.parametrize("number", [step / 20 for step in range(-20, 21)] + [float("inf"), float("nan")])
def test_text_is_legible_on_the_colour_of_its_field(number: float) -> None:
    html = heat_html(Heat(torch.tensor([[number]])))
    ((red, green, blue, ink),) = re.findall(r"rgb\((\d+),(\d+),(\d+)\);color:(#000|#fff)", html)
    assert contrast([int(red), int(green), int(blue)], [0] * 3 if ink == "#000" else [255] * 3) >= 4.5


def contrast(*colours: list[int]) -> float:
    """As WCAG 2 calculates it."""
    linear = [[c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in one] for one in colours]
    dark, light = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in linear)
    return (light + 0.05) / (dark + 0.05)


def test_an_import_is_waited_for_and_not_broken_off(cell: Cell, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module whose import was broken off would be broken in the student's notebook until it is started anew."""
    monkeypatch.setattr("grader.notebook.OTHERS", 0.2)
    monkeypatch.syspath_prepend(folder)
    (folder / "slow_to_import.py").write_text("import time\ntime.sleep(0.5)\nready = True\n")
    cell('def weigh(scores):\n    import slow_to_import\n    return scores.softmax(-1)\ncheck("answer")')
    assert cell("import slow_to_import\nprint(slow_to_import.ready)") == "True\n"


def test_an_endless_loop_that_prints_fills_no_memory(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.notebook.SECONDS", 1.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cell('def weigh(scores):\n    while True:\n        print("x" * 1000)\ncheck("weigh")')
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_script_prints_what_a_terminal_with_few_letters_can_show(folder: Path, encoding: str) -> None:
    (folder / "lesson.py").write_text(f'from grader.notebook import check\n{RIGHT}\ncheck("weigh")\nprint("goes on")')
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "lesson.py"], env=environment, capture_output=True, encoding=encoding, check=True
    )
    assert f"# weigh() {'?' if encoding == 'ascii' else '—'} 5 points . passed" in done.stdout
    assert done.stdout.endswith("goes on\n")


@pytest.mark.parametrize("text", ["\\ud800", "\\x1b[2J", "\\u202e"])
def test_what_steers_a_terminal_or_cannot_be_sent_is_replaced(
    shell: Callable[[str], dict[str, str]], text: str
) -> None:
    for shown in (
        shell(f'def weigh(scores):\n    raise ValueError("{text}")\ncheck("weigh")'),
        shell(f'reveal(1, "{text}")'),
        shell(f'check("{text}")'),
    ):
        for form in shown.values():
            assert "\ufffd" in form
            assert text.encode().decode("unicode_escape") not in form


def test_odd_objects_in_the_notebook_cost_no_other_question_anything(cell: Cell) -> None:
    cell("import weakref\nclass A: pass\na = A()\np = weakref.proxy(a)\ndel a\nglobals()[3] = lambda: 0")
    text = cell("check()")
    assert text.count("not attempted") == 2


def test_a_function_that_gives_something_else_when_called_again_is_not_drawn_as_right(cell: Cell) -> None:
    source = "count = []\ndef weigh(scores):\n    count.append(1)\n    return scores.softmax(-1) + (len(count) > 2)\n"
    text = cell(f'{source}check("weigh")')
    assert "· passed" in text
    assert "*" not in text


def test_queries_keys_and_values_may_not_be_left_out(cell: Cell) -> None:
    assert "Give it queries, keys and values as well" in cell("def f(q, k, v):\n    return q\nshow_weights(f)")


def test_a_picture_that_is_none_is_left_out(cell: Cell, folder: Path) -> None:
    (folder / "test_lesson.py").write_text(CHECKS + "\nPICTURES = 3\n")
    assert "· passed" in cell(f'{RIGHT}\ncheck("weigh")')


def test_everything_in_a_card_is_escaped() -> None:
    html = Shown(
        [
            Card(
                "<b>",
                "passed",
                lines=["a `<i>` b", "one ` alone <i>"],
                **dict.fromkeys(("title", "step", "hint"), "<i>"),
                block=["<i>"],
                tables=[Heat(torch.ones(1), "<i>")],
            )
        ]
    )._repr_html_()
    assert "<i>" not in html
    assert "<b>&lt;b&gt;</b>" in html
    assert "<code>&lt;i&gt;</code>" in html


def test_check_works_in_a_real_kernel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    cells = ["from grader.notebook import check", RIGHT, 'check("weigh")', "print('goes on')"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    shown = notebook.cells[2].outputs
    assert [output.output_type for output in shown] == ["display_data"]
    assert "Its 2 public checks hold." in shown[0].data["text/html"]
    assert notebook.cells[3].outputs[0].text == "goes on\n"


def test_nbgrader_validate_is_told_of_what_is_left_in_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks for exceptions alone; nobody else ever sees one."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    cells = [nbformat.v4.new_code_cell(source) for source in (IMPORT, 'check("weigh")', RIGHT, 'check("weigh")')]
    done = NotebookClient(nbformat.v4.new_notebook(cells=cells), allow_errors=True).execute(cwd=str(folder))
    first = [output for output in done.cells[1].outputs if output.output_type == "error"]
    assert [output.ename for output in first] == ["NotYet"]
    assert "weigh() is not there yet" in first[0].traceback[0] + first[0].evalue
    assert "File " not in "".join(first[0].traceback)
    assert not [output for output in done.cells[3].outputs if output.output_type == "error"]


@pytest.mark.parametrize("value", ["", "autograde"])
def test_nobody_else_gets_an_exception(value: str, cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", value)
    assert "is not there yet" in cell('check("weigh")')
