"""`grader verify`: the real key keeps its promises, and a key that breaks one is told which, and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner, Result

from grader.cli import main
from grader.key import AnswerKey, load_key
from grader.key.steps import Mistake
from grader.key.trials import missed_in
from grader.verifying.functions import draws_agree
from grader.verifying.mistakes import drawn_pairs, is_named, misnamed, pairs_are_not_misnamed
from grader.verifying.rehearsal import Function, Rehearsal
from grader.verifying.submissions import submissions_are_graded
from grader.verifying.tolerances import formulations

KEY = """
import torch
from grader.key import AnswerKey

key = AnswerKey("l1", title="One")
double = key.code("double", points=2, takes="x", returns="doubled")
@double.step
def doubled(x):
    return 2 * x
@double.mistake("doubled", "You add 2; each number is multiplied by it.")
def two_added(x):
    return x + 2
@double.cases("every number is doubled", points=2)
def _(rng):
    yield (rng.normal(3, 4),)
    yield (rng.normal(5),)
@double.alternative
def added_to_itself(x):
    return x + x
@double.alternative
def halves_divided(x):
    return x / 0.5
@double.alternative
def taken_twice(x):
    return torch.stack([x, x]).sum(dim=0)
"""
MISTAKE = '@double.mistake("doubled", "{message}")\ndef {name}(x):\n    return {value}\n'
Verify = Callable[..., Result]


def mistake(name: str, value: str, message: str = "You do something else.") -> str:
    return MISTAKE.format(name=name, value=value, message=message)


def replaced(*pairs: tuple[str, str]) -> str:
    text = KEY
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture
def verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verify:
    """Runs the command in a course whose only key is the given one."""
    (tmp_path / "solutions" / "keys").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")  # sentences stay on one line

    def run(key: str, *assignments: str) -> Result:
        Path("solutions/keys/l1.py").write_text(key)
        return CliRunner().invoke(main, ["verify", *(assignments or ("l1",))])

    return run


# --- the real key -----------------------------------------------------------------------------------------


@pytest.mark.long  # tests/test_readme.py runs it too
def test_the_real_key_keeps_its_promises(root: Path) -> None:
    command = [sys.executable, "-m", "grader", "verify"]
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, encoding="utf-8", env=environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    lines = done.stdout.splitlines()
    assert lines[0] == "l10_attention · Attention"
    assert lines[-1] == "15 of 15 proofs hold for l10_attention."
    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: line.split() for line in lines if line.strip()}
    assert rows["softmax_over_axis_1"][1:] == [*"···✗·····", "●"]
    assert rows["output_detached"][1:] == [*"····✗····", "●"]
    assert "4  leading batch axes are carried along" in done.stdout


@pytest.fixture(scope="module")
def rehearsals(key: AnswerKey) -> list[Rehearsal]:
    """The functions of the real key on the shown inputs and those of 20 submissions."""
    return [Rehearsal(question, key.secret, draws=21) for question in key.code_questions.values()]


@pytest.mark.long
def test_verdicts_depend_on_neither_inputs_nor_threads(rehearsals: Sequence[Rehearsal]) -> None:
    """A mistake that a part of the draws let pass would cost some students points and others none."""
    found = {}
    for rehearsal in rehearsals:
        right = formulations(rehearsal.question)
        wrong = dict(zip([one.name for one in rehearsal.question.mistakes], _mistaken(rehearsal), strict=True))
        for name, function in (right | wrong).items():
            first, *others = (set(missed_in(rehearsal.run(function, draw))) for draw in range(rehearsal.draws))
            assert [missed for missed in others if missed != first] == [], f"{rehearsal.id}: {name}"
            assert bool(first) == (name in wrong), f"{rehearsal.id}: {name}"
            found[name, rehearsal.id] = (rehearsal, function, first)
    try:
        torch.set_num_threads(2)
        again = {place: set(missed_in(rehearsal.run(function, 1))) for place, (rehearsal, function, _) in found.items()}
    finally:
        torch.set_num_threads(1)
    assert again == {place: first for place, (_, _, first) in found.items()}


def test_each_real_check_fails_for_a_mistake_that_it_is_there_for(rehearsals: Sequence[Rehearsal]) -> None:
    """All but one: as mistakes are functions of their inputs, none is random."""
    for rehearsal in rehearsals:
        caught = [set(missed_in(rehearsal.run(function, 0))) for function in _mistaken(rehearsal)]
        assert all(any(check.name in one for one in caught) for check in rehearsal.question.checks)


def _mistaken(rehearsal: Rehearsal) -> list[Function]:
    return [rehearsal.question.with_mistakes((one,)).reference() for one in rehearsal.question.mistakes]


# --- keys that break a promise ----------------------------------------------------------------------------


def test_a_small_key_that_keeps_its_promises_is_told_so(verify: Verify) -> None:
    done = verify(KEY)
    assert done.exit_code == 0, done.output
    assert "two_added  ✗  ●" in done.output
    assert "– the notebook with solutions earns everything: not tried, solutions/l1 holds no notebook" in done.output
    assert done.output.splitlines()[-1] == "12 of 12 proofs hold for l1; 3 could not be tried yet."


BROKEN = {
    "a mistake that nothing catches": (
        KEY + mistake("doubled_twice_and_halved", "4 * x / 2"),
        "double: nothing catches `doubled_twice_and_halved`. Add a case that shows it.",
    ),
    "a mistake that a tolerance hides": (
        replaced(("points=2)\ndef", "points=2, tolerance=0.1)\ndef")) + mistake("larger", "2.05 * x"),
        'double: nothing catches `larger`. In "every number is doubled" it lies',
    ),
    "a tolerance too wide": (
        replaced(
            ("points=2)\ndef", "points=2, tolerance=0.1)\ndef"), ("x + 2\n", "2 * x + 0.15 * (1 + 2 * x.abs())\n")
        ),
        '"every number is doubled" has the tolerance 0.1, and `two_added` lies only 1.5e-01 from the reference.',
    ),
    "a tolerance that lets a mistake pass": (
        replaced(
            ("points=2)\ndef", "points=2, tolerance=0.2)\ndef"), ("x + 2\n", "2 * x + 0.15 * (1 + 2 * x.abs())\n")
        ),
        '"every number is doubled" has the tolerance 0.2, and `two_added` lies only 1.5e-01 from the reference.',
    ),
    "a tolerance too narrow": (
        replaced(("x / 0.5", "x / 0.5 * (1 + 9e-7)")),
        '"every number is doubled" has the tolerance 1e-06, and `halves_divided` lies ',
    ),
    "an alternative that is wrong": (
        replaced(("x / 0.5", "x / 0.7")),
        'double: the alternative `halves_divided` fails "every number is doubled". double(x[3, 4]): the result is ',
    ),
    "too few alternatives": (
        KEY.partition("@double.alternative")[0],
        "double: the spread of right answers needs 3 more formulations. Write the function in other ways",
    ),
    "a check that cannot fail": (
        replaced(("points=2, takes", "points=3, takes"))
        + '@double.cases("nothing is asked", points=1)\ndef _(rng):\n    return\n    yield\n',
        'double: nothing fails "nothing is asked". Give it cases that can be failed.',
    ),
    "a check that is passed for nothing": (
        replaced(("yield (rng.normal(3, 4),)", "yield (torch.zeros(3, 4),)"), ("    yield (rng.normal(5),)\n", "")),
        'double: a student who returns zeros passes "every number is doubled". Add a case that this fails.',
    ),
    "a reference that returns NaN": (
        replaced(("return 2 * x", 'return x * float("nan")')),
        'double: the reference fails "every number is doubled". double(x[3, 4]): the result holds NaN in 12 ',
    ),
    "a reference that stops": (
        replaced(("return 2 * x", "return 2 * x + torch.ones(7)")),
        "double: its reference does not run on its cases: RuntimeError: The size of tensor a (4) must match",
    ),
    "a reference that returns no tensor": (
        replaced(("return 2 * x", "return 2.0")),
        "does not run on its cases: TypeError: `doubled` must be a tensor, and is a float. Mend the steps",
    ),
    "a reference that breaks its own rule": (
        replaced(('returns="doubled"', 'returns="doubled", forbids="torch.mul"'), ("2 * x", "torch.mul(x, 2)")),
        "double: the reference breaks the question's own rule: double() uses torch.mul.",
    ),
    "a mistake that is never named": (
        KEY + mistake("three_added", "x + 2", "You add 3.") + mistake("four_added", "x + 2", "You add 4."),
        "double: `two_added` is never named. `three_added` and `four_added` do the same on all cases: add a case",
    ),
    "a mistake that does otherwise each time": (
        KEY + "times = iter(range(10**9))\n" + mistake("counted", "x + next(times)"),
        "double: `counted` is never named. It does not do the same each time it is called",
    ),
    "two mistakes of one name": (
        KEY + mistake("two_added", "x + 3"),
        "double: two mistakes are called `two_added`. Rename one.",
    ),
    "an answer that is easily met": (
        KEY + 'q = key.values("q", points=1, title="Q")\nkey.numeric(q, "N", points=1, says="N", answer=lambda: 1)\n',
        "N: whoever writes ones is right. Ask for something that is not so easily met.",
    ),
    "a letter that nothing is said to": (
        KEY + 'q = key.values("q", points=1, title="Q")\n'
        'key.choice(q, "C", points=1, says="C", letters="AB", right="A")\n',
        'C: nothing is said to whoever chooses "B". Add what it overlooks to `why`.',
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_promise_is_told_with_what_to_do(verify: Verify, what: str) -> None:
    key, sentence = BROKEN[what]
    done = verify(key)
    assert done.exit_code == 1, done.output
    assert sentence in done.output
    assert "Traceback" not in done.output


def test_mistakes_that_no_case_tells_apart_are_listed(verify: Verify) -> None:
    done = verify(KEY + mistake("three_added", "x + 2", "You add 3."))
    assert done.exit_code == 0, done.output
    assert "two_added    ✗  ● or three_added" in done.output
    assert "double: no case tells `three_added` from `two_added`; students read both sentences." in done.output


def test_what_a_check_asks_besides_values_must_be_missed_by_whoever_does_not_do_it(verify: Verify) -> None:
    everything = replaced(("points=2)\ndef", "points=2, gradient=True, unchanged=True, repeat=True)\ndef"))
    assert verify(everything).exit_code == 0
    of_numbers = everything.replace("yield (rng.normal(3, 4),)", "yield (3.0,)").replace("yield (rng.normal(5),)", "")
    of_numbers = of_numbers.replace("return 2 * x", "return torch.tensor(2 * x)").replace("gradient=True, ", "")
    done = verify(of_numbers)
    assert done.exit_code == 1
    assert 'double: a student who changes its inputs passes "every number is doubled".' in done.output


def test_cases_without_a_tensor_are_graded_in_the_dtype_of_the_reference(verify: Verify) -> None:
    counted = replaced(
        ("return 2 * x", "return 2 * torch.arange(1.0, x + 1)"),
        ("return x + 2", "return torch.arange(1.0, x + 1) + 2"),
        ("yield (rng.normal(3, 4),)", "yield (3,)"),
        ("yield (rng.normal(5),)", "yield (5,)"),
        ("x + x", "torch.arange(1.0, x + 1) * 2.0"),
        ("x / 0.5", "torch.arange(1.0, x + 1) / 0.5"),
        ("torch.stack([x, x]).sum(dim=0)", "torch.arange(2.0, 2.0 * x + 1, 2)"),
    )
    done = verify(counted)
    assert done.exit_code == 0, done.output
    done = verify(counted.replace("torch.arange(2.0, 2.0 * x + 1, 2)", "torch.arange(2, 2 * x + 1, 2)"))
    assert "double(x=3): the result came back as int64; expected float32." in done.output


def test_a_mistake_whose_verdict_depends_on_the_draw_is_told() -> None:
    key = AnswerKey("l1", "One")
    double = key.code("double", points=1, takes="x", returns="doubled")
    double.step(_named("doubled", lambda x: 2 * x))
    double.mistake("doubled", "You add.")(_named("sometimes", lambda x: 2 * x if x[0] > 0 else x))
    double.cases("doubled", points=1)(lambda rng: iter([(rng.normal(3),)]))
    (failure,) = draws_agree([Rehearsal(double, b"secret", draws=20)]).failures
    assert failure.startswith('double: `sometimes` fails "doubled" on ')
    assert "of 20 draws, so that luck decides." in failure


# --- pairs of mistakes --------------------------------------------------------------------------------------


def _named(name: str, function: Any) -> Any:
    function.__name__ = name
    return function


def made(name: str, step: str) -> Mistake:
    return Mistake(step, name, f"You {name}.", lambda x: x)


def test_a_pair_is_misnamed_when_a_fault_is_told_that_is_not_there() -> None:
    one, other, third = made("one", "a"), made("other", "b"), made("third", "b")
    assert misnamed((one, other), [(one, third)]) == (one, third)
    assert misnamed((one, other), [(one, other)]) == ()
    assert misnamed((one, other), [(third,)]) == (), "the pair cannot be told from it"
    assert misnamed((one, other), [(one, other), (one, third)]) == (), "it reads Or:"
    assert misnamed((one, other), []) == ()


def test_pairs_are_of_different_steps_and_the_same_each_time() -> None:
    mistakes = [made(f"{step}{number}", step) for step in "abc" for number in range(10)]
    pairs = drawn_pairs(mistakes)
    assert len(set(pairs)) == 60
    assert all(one.step != other.step for one, other in pairs)
    assert drawn_pairs(mistakes) == pairs
    assert len(drawn_pairs([made("one", "a"), made("other", "b"), made("third", "b")])) == 2


def test_pairs_of_which_nothing_is_named_are_too_many_above_a_fifth() -> None:
    key = AnswerKey("l1", "One")
    plus = key.code("plus", points=1, takes="x", returns="more")
    plus.step(_named("twice", lambda x: 2 * x))
    plus.step(_named("more", lambda twice: twice + 1))
    for number in range(3):
        plus.mistake("twice", f"You do {number}.")(_named(f"zeros{number}", lambda x: x * 0))
    plus.mistake("more", "You take away.")(_named("less", lambda twice: twice - 1))
    plus.cases("more", points=1)(lambda rng: iter([(rng.normal(3),)]))
    rehearsal = Rehearsal(plus, b"secret")
    proof = pairs_are_not_misnamed([rehearsal])
    assert proof.notes == ("nothing is named for 3 of 3 pairs",)
    assert proof.failures[0].startswith("Of 3 pairs of mistakes, nothing is named for 3: more than a fifth.")
    assert [is_named(rehearsal, one) for one in plus.mistakes] == [False, False, False, True]


# --- what students get --------------------------------------------------------------------------------------

NUMBER = (
    'answer = key.values("answer", points=1, title="An answer")\n'
    'key.numeric(answer, "SUM", points=1, says="SUM holds the sum", answer=lambda double: double(torch.tensor(1.5)))\n'
)
CHECKS = """
import pytest
from grader.public import Question, expect_numbers

QUESTIONS = {"double": Question(points=2, names=("double",)), "answer": Question(points=1, names=("SUM",))}

@pytest.mark.question("answer")
def test_sum(student):
    \"\"\"one number is given\"\"\"
    expect_numbers(student.SUM, "SUM", 1)
"""


@pytest.fixture
def released(tmp_path: Path, verify: Verify) -> Path:
    """The exercise of the small key, with an answer besides."""
    folder = tmp_path / "exercises" / "l1"
    folder.mkdir(parents=True)
    (folder / "l1.py").write_text("def double(x):\n    raise NotImplementedError\n\nSUM = None\n")
    (folder / "test_l1.py").write_text(CHECKS)
    (folder / "README.md").write_text("# One\n")
    (folder / "l1.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    return folder


def test_an_exercise_that_gives_nothing_away_is_told_so(released: Path, verify: Verify) -> None:
    done = verify(KEY + NUMBER)
    assert done.exit_code == 0, done.output
    assert "● the released exercise is not attempted and earns 0 (2 files)" in done.output
    assert "● public checks do not tell the answers (1 check)" in done.output


def test_a_public_check_that_tells_the_answer_is_told(released: Path, verify: Verify) -> None:
    (released / "test_l1.py").write_text(CHECKS + "    assert student.SUM == 3\n")
    done = verify(KEY + NUMBER)
    assert done.exit_code == 1
    assert "SUM: a public check refuses every wrong answer that was tried" in done.output


def test_an_exercise_that_holds_an_answer_is_told(released: Path, verify: Verify) -> None:
    (released / "l1.py").write_text("def double(x):\n    return 2 * x\n\nSUM = 3\n")
    (released / "README.md").write_text("You add 2; each number is multiplied by it.\n")
    done = verify(KEY + NUMBER)
    assert done.exit_code == 1
    assert "l1.py: double() is passed as it is released, and earns 2 points." in done.output
    assert "l1.py: An answer is passed as it is released, and earns 1 points." in done.output
    assert "exercises/l1/README.md line 1: a sentence of the answer key: You add 2; each number" in done.output


def test_solutions_that_are_not_right_are_told(tmp_path: Path, verify: Verify) -> None:
    verify(KEY + NUMBER)
    (tmp_path / "solutions" / "l1").mkdir()
    cell = '{"cell_type": "code", "source": "def double(x):\\n    return x + 2\\nSUM = 3", "metadata": {}, '
    cell += '"outputs": [], "execution_count": null, "id": "a"}'
    notebook = f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
    (tmp_path / "solutions" / "l1" / "l1.ipynb").write_text(notebook)
    _, proof = submissions_are_graded(load_key(Path("solutions/keys"), "l1"), Path())
    (failure,) = proof.failures
    assert failure.startswith("l1.ipynb: double(): not right yet, 0 of 2 points. You add 2;")


# --- the command line ---------------------------------------------------------------------------------------


def test_without_arguments_every_key_is_verified(tmp_path: Path, verify: Verify) -> None:
    for name in ("l1", "l2"):
        (tmp_path / "solutions" / name).mkdir()
    (tmp_path / "solutions/keys/l2.py").write_text(replaced(('"l1"', '"l2"'), ("x / 0.5", "x / 0.7")))
    (tmp_path / "solutions/keys/l1_figures.py").write_text("raise SystemExit('no key')\n")
    Path("solutions/keys/l1.py").write_text(KEY)
    done = CliRunner().invoke(main, ["verify"])
    assert done.exit_code == 1
    assert "12 of 12 proofs hold for l1; " in done.output
    assert "11 of 12 proofs hold for l2; " in done.output


def test_a_course_or_a_command_line_that_is_wrong_is_told_and_ends_with_2(verify: Verify) -> None:
    done = verify(KEY, "l1", "l9")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "There is no assignment `l9`" in done.stderr
    done = verify("key = 3")
    assert done.exit_code == 2
    assert "The answer key solutions/keys/l1.py does not load" in done.stderr
    Path("solutions/keys/l1.py").unlink()
    done = CliRunner().invoke(main, ["verify"])
    assert done.exit_code == 2
    assert done.stderr == "No answer key stands in solutions/keys. Run this in the course's folder.\n"
