"""pytest in a student's folder, run as students run it: another process, from the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm import warm

CHECKS = '''
import pytest
from grader.student.tally import Question

QUESTIONS = {
    "double": Question(points=5, names=("double",)),
    "answer": Question(points=4, names=("ANSWER", "OTHER")),
    "halve": Question(points=3, names=("halve",)),
}

@pytest.mark.question("double")
@pytest.mark.parametrize("x", [1, 2])
def test_double_is_twice_the_number(student, x):
    """the result is twice the number"""
    assert student.double(x) == 2 * x, f"double({x}) is not {2 * x}."

@pytest.mark.question("answer")
@pytest.mark.parametrize("name", ["ANSWER", "OTHER"])
def test_answer_is_a_number(student, name):
    """the answer is a number"""
    assert isinstance(getattr(student, name), int), f"{name} is no number."

@pytest.mark.question("halve")
def test_halve_is_half_the_number(student):
    """the result is half the number"""
    assert student.halve(4) == 2
'''
STUBS = ("def double(x):", "    raise NotImplementedError", "def halve(x):", "    raise NotImplementedError")
STUB = "\n".join([*STUBS, "ANSWER = OTHER = None", ""])
RIGHT = "def double(x):\n    return 2 * x\ndef halve(x):\n    return x / 2\nANSWER = OTHER = 3\n"

NAMES = [
    "test_double_is_twice_the_number[1]",
    "test_double_is_twice_the_number[2]",
    "test_answer_is_a_number[ANSWER]",
    "test_answer_is_a_number[OTHER]",
    "test_halve_is_half_the_number",
]
WRONG = "double(1) is not 2.\nlesson.ipynb, cell 1\nShould hold: the result is twice the number."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_lesson.py").write_text(CHECKS)
    return tmp_path


def notebook(folder: Path, *cells: str) -> None:
    made = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    text = json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (folder / "lesson.ipynb").write_text(text)


def run(folder: Path, *options: str, typed: str = "", is_warm: bool = True) -> tuple[list[str], int]:
    """The lines that pytest prints, without trailing blanks, and its exit code."""
    command = ["-p", "grader.pytest_plugin", *options]
    command = warm("pytest", *command) if is_warm else [sys.executable, "-m", "pytest", *command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), str(folder)]), "COLUMNS": "100"}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    streams = {"input": typed, "capture_output": True, "text": True}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, **streams)
    return done.stdout.rstrip().splitlines(), done.returncode


def summary(lines: list[str]) -> list[str]:
    """The lines of the questions: below everything else, and above the last line."""
    start = max(number for number, line in enumerate(lines) if line.startswith("---") and "lesson." in line)
    return lines[start + 1 : lines.index("", start)]


def test_stubs_are_skipped_as_not_attempted_and_the_last_line_names_the_next_step(folder: Path) -> None:
    (folder / "lesson.py").write_text(STUB)
    lines, code = run(folder, "-rs", is_warm=False)
    assert code == 0
    assert sum("SKIPPED" in line and line.endswith("not attempted") for line in lines) == 3
    assert [line for line in lines if line.startswith("not attempted")] == [
        "not attempted  double()       5 points",
        "not attempted  ANSWER, OTHER  4 points",
        "not attempted  halve()        3 points",
    ]
    assert lines[-1] == "0 of 3 questions done. Next: double() in lesson.py."


def test_work_that_passes_everything_is_done(folder: Path) -> None:
    notebook(folder, RIGHT)
    lines, code = run(folder)
    assert code == 0
    assert any(line.startswith("passed         double()") for line in lines)
    assert any(line.startswith("answered       ANSWER, OTHER") for line in lines)  # nobody looked whether it is right
    assert lines[-1] == "3 of 3 questions done. Save lesson.ipynb and hand it in."


def test_a_failure_is_a_sentence_and_the_students_line_and_no_frame_of_ours(folder: Path) -> None:
    notebook(folder, "ANSWER = 1", "print('x' * 40)\ndef double(x):\n    return 'a' + x\ndef halve(x):\n    return 3")
    lines, code = run(folder)
    text = "\n".join(lines)
    assert code == 1
    assert (
        "\n".join(
            [
                'double(1) raised TypeError: can only concatenate str (not "int") to str.',
                "lesson.ipynb, cell 2, line 3: `return 'a' + x`",
                "Should hold: the result is twice the number.",
            ]
        )
        in text
    )
    assert "This does not hold: 3 == 2" in text
    assert not re.search(r"grader/|Traceback|xxxx|test_lesson\.py:\d", text)


def test_one_cause_is_told_once(folder: Path) -> None:
    notebook(folder, "def double(x):\n    return 'a' + x")
    text = "\n".join(run(folder)[0])
    assert text.count("raised TypeError") == 1 + 1  # in pytest's own short summary too
    assert "The same as in test_double_is_twice_the_number[1]." in text


def test_a_question_of_two_names_is_begun_with_one_and_the_other_is_next(folder: Path) -> None:
    notebook(folder, RIGHT.replace("ANSWER = OTHER = 3", "ANSWER = 3\nOTHER = None"))
    lines, _ = run(folder)
    assert any(line.startswith("begun          ANSWER, OTHER") for line in lines)
    assert lines[-1] == "2 of 3 questions done. Next: OTHER in lesson.ipynb."


def test_a_selection_counts_only_what_was_run(folder: Path) -> None:
    notebook(folder, RIGHT)
    lines, _ = run(folder, "-k", "halve")
    assert lines[-3:-1] == ["not selected   double(), ANSWER  9 points", ""]
    assert lines[-1] == "1 of 1 question done (2 more not selected)."
    lines, _ = run(folder, "-k", "test_double and 1")
    assert "partly run     double()         5 points  1 of 1 checks hold, 1 not run" in lines
    assert lines[-1] == "0 of 1 question done (2 more not selected)."


def test_the_first_failure_ends_the_run_with_x_and_q_shows_only_the_next_step(folder: Path) -> None:
    notebook(folder, "def double(x):\n    return x")
    lines, code = run(folder, "-x", "-q")
    assert code == 1
    assert "2 failed" not in "\n".join(lines)
    assert lines[-1] == "0 of 1 question done (2 more not reached). Next: double() in lesson.ipynb."
    assert lines[-2].startswith("1 failed")


def test_processes_of_xdist_count_together(folder: Path) -> None:
    pytest.importorskip("xdist")
    notebook(folder, RIGHT.replace("return x / 2", "return x / 'a'"))
    lines, code = run(folder, "-p", "xdist", "-n", "2")
    assert code == 1
    assert "halve(4) raised TypeError" in "\n".join(lines)
    assert lines[-1] == "2 of 3 questions done. Next: halve() in lesson.ipynb."


def test_what_x_leaves_unreached_is_told_as_such(folder: Path) -> None:
    notebook(folder, RIGHT.replace("OTHER = 3", "OTHER = 'a'"))
    lines, code = run(folder, "-x", "-v")
    assert code == 1
    assert any(line.startswith("test_lesson.py::test_double_is_twice_the_number[1] PASSED") for line in lines)
    assert summary(lines) == [
        "passed         double()       5 points",
        "failed         ANSWER, OTHER  4 points  0 of 1 checks hold, 1 not run",
        "not reached    halve()        3 points",
    ]
    assert lines[-1] == "1 of 2 questions done (1 more not reached). Next: ANSWER in lesson.ipynb."


def test_the_order_of_the_lesson_is_kept_whatever_shuffles_it(folder: Path) -> None:
    pytest.importorskip("pytest_randomly")
    for seed in range(3):  # no order of five is likely to come three times by chance
        lines, _ = run(folder, "-p", "pytest_randomly", f"--randomly-seed={seed}", "--collect-only", "-q")
        assert [line.partition("::")[2] for line in lines if "::" in line] == NAMES


@pytest.mark.long
def test_processes_of_xdist_know_what_was_selected(folder: Path) -> None:
    pytest.importorskip("xdist")
    notebook(folder, RIGHT)
    lines, _ = run(folder, "-p", "xdist", "-n", "2", "-k", "double or halve")
    assert summary(lines) == [
        "passed         double()       5 points",
        "passed         halve()        3 points",
        "not selected   ANSWER, OTHER  4 points",
    ]
    assert lines[-1] == "2 of 2 questions done (1 more not selected)."


def test_the_last_failures_alone_make_no_question_right_or_wrong(folder: Path) -> None:
    notebook(folder, RIGHT.replace("return 2 * x", "return 2"))
    lines, _ = run(folder)
    assert lines[-1] == "2 of 3 questions done. Next: double() in lesson.ipynb."
    notebook(folder, RIGHT)
    lines, code = run(folder, "--lf")
    assert code == 0
    assert summary(lines) == [
        "partly run     double()         5 points  1 of 1 checks hold, 1 not run",
        "not selected   ANSWER, halve()  7 points",
    ]
    assert lines[-1] == "0 of 1 question done (2 more not selected)."


def test_a_check_that_is_asked_for_by_its_id_is_a_part_of_its_question(folder: Path) -> None:
    notebook(folder, RIGHT)
    lines, _ = run(folder, "test_lesson.py::test_double_is_twice_the_number[2]")
    assert summary(lines)[0] == "partly run     double()         5 points  1 of 1 checks hold, 1 not run"


def test_collecting_alone_runs_nothing_and_says_nothing_of_questions(folder: Path) -> None:
    notebook(folder, "raise SystemExit")
    lines, code = run(folder, "--collect-only", "-q")
    assert code == 0
    assert [line for line in lines if "::" in line] == [f"test_lesson.py::{name}" for name in NAMES]
    assert not any("questions done" in line for line in lines)


def test_a_selection_of_nothing_names_the_questions(folder: Path) -> None:
    notebook(folder, RIGHT)
    lines, code = run(folder, "-k", "doubel")
    assert code == 5
    assert lines[-1] == "No check was selected. The questions are double, answer, halve."


def test_the_folder_of_the_exercise_may_be_another_one_than_the_current(folder: Path) -> None:
    (folder / "exercises").mkdir()
    (folder / "test_lesson.py").rename(folder / "exercises" / "test_lesson.py")
    notebook(folder / "exercises", f"HERE = open('test_lesson.py').read()\n{RIGHT}")
    lines, code = run(folder, "exercises")
    assert code == 0
    assert lines[-1] == "3 of 3 questions done. Save lesson.ipynb and hand it in."
    assert run(folder, "exercises/test_lesson.py", "-q")[0][-1] == lines[-1]


def test_a_changed_notebook_is_picked_up_without_starting_python_anew(folder: Path) -> None:
    (folder / "twice.py").write_text(
        "import json, pathlib, pytest\n"
        "file = pathlib.Path('lesson.ipynb')\n"
        "pytest.main(['-q', '-p', 'grader.pytest_plugin', '-k', 'halve'])\n"
        "file.write_text(file.read_text().replace('x / 2', 'x / nothing'))\n"
        "pytest.main(['-q', '-p', 'grader.pytest_plugin', '-k', 'halve'])\n"
    )
    notebook(folder, RIGHT)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([sys.executable, "twice.py"], cwd=folder, env=environment, capture_output=True, text=True)
    text = done.stdout
    assert "1 of 1 question done (2 more not selected)." in text
    assert "0 of 1 question done (2 more not selected). Next: halve() in lesson.ipynb." in text
    assert "lesson.ipynb, cell 1, line 4: `return x / nothing`" in text


EDITOR = """
import json, os, pathlib
SEEN = []
def pytest_collection_finish(session):
    note("found", [[str(item.path), item.nodeid.partition("::")[2], item.location[1]] for item in session.items])
def pytest_exception_interact(node, call, report):
    note("failed", [node.nodeid.partition("::")[2], report.longreprtext])
def pytest_report_teststatus(report, config):
    if report.when == "call" or report.skipped:
        note(report.outcome, [report.nodeid.partition("::")[2], report.longreprtext])
def note(what, told):
    with open(os.environ["TOLD"], "a") as file:
        file.write(json.dumps([what, told]) + "\\n")
"""


def test_an_editors_test_panel_finds_the_same_ids_and_gets_the_sentences(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VS Code collects with a plugin and a root folder of its own, then runs the ids that are clicked on."""
    told = folder / "told.jsonl"
    monkeypatch.setenv("TOLD", str(told))
    (folder / "editor.py").write_text(EDITOR)
    (folder / "exercise").mkdir()
    (folder / "test_lesson.py").rename(folder / "exercise" / "test_lesson.py")
    notebook(folder / "exercise", f"{STUB}\ndef double(x):\n    return x")
    options = ("-p", "editor", f"--rootdir={folder}")
    run(folder, *options, "--collect-only", "exercise")
    run(folder, *options, *(f"{folder}/exercise/test_lesson.py::{name}" for name in (NAMES[0], NAMES[4])))
    first, second, *results = (json.loads(line) for line in told.read_text().splitlines())
    assert [name for _, name, _ in first[1]] == NAMES
    assert [one for one in first[1] if one[1] in (NAMES[0], NAMES[4])] == second[1]
    assert ["failed", [NAMES[0], WRONG]] in results
    assert "skipped" in [what for what, (name, _) in results if name == NAMES[4]]


def test_the_debugger_stops_at_the_students_own_line(folder: Path) -> None:
    notebook(folder, "def halve(x):\n    wrong = 'a'\n    return x / wrong")
    lines, _ = run(folder, "-k", "halve", "--pdb", typed="p wrong\nq\n")
    text = "\n".join(lines)
    assert "<cell 1>(3)halve()" in text
    assert "(Pdb) 'a'" in text


def test_tracebacks_are_there_for_those_who_ask(folder: Path) -> None:
    notebook(folder, "def halve(x):\n    return x / 'a'")
    text = "\n".join(run(folder, "-k", "halve", "--tb=long")[0])
    assert ">       assert student.halve(4) == 2" in text
    assert ">       return x / 'a'" in text


def test_prints_of_a_function_are_cut_to_their_end(folder: Path) -> None:
    notebook(folder, "def halve(x):\n    for n in range(500):\n        print('line', n)\n    return 0")
    text = "\n".join(run(folder, "-k", "halve")[0])
    assert "line 499" in text
    assert "line 489" not in text


def test_a_notebook_that_cannot_be_read_is_told_once(folder: Path) -> None:
    (folder / "lesson.ipynb").write_text('{"cells": [')
    lines, code = run(folder)
    assert code == 1
    assert "\n".join(lines).count("lesson.ipynb ends in the middle") <= 2
    assert "1 error" in "\n".join(lines)
    assert lines[-1] == "0 of 3 questions done. Next: double() in lesson.ipynb."


def test_an_endless_function_is_stopped_once_for_all_its_checks(folder: Path) -> None:
    notebook(folder, "def double(x):\n    while True:\n        pass", "ANSWER = 1")
    (folder / "conftest.py").write_text("import grader.student.work\ngrader.student.work.SECONDS = 0.5\n")
    lines, _ = run(folder)
    assert "double() was still running after 0.5 s and was stopped." in lines
    assert any(line.startswith("timed out      double()") for line in lines)
    assert "The same as in test_double_is_twice_the_number[1]." in lines


def test_a_check_of_an_unknown_question_is_the_authors_error(folder: Path) -> None:
    (folder / "test_lesson.py").write_text(CHECKS.replace('question("halve")', 'question("havle")'))
    (folder / "lesson.py").write_text(STUB)
    done, code = run(folder)
    assert code == 4
    assert done[-1] == "" or "questions done" not in done[-1]


def test_tests_without_questions_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_fails():\n    assert 1 == 2\n"
        "def test_is_light():\n    assert 'torch' not in sys.modules and 'grader.student.work' not in sys.modules\n"
    )
    lines, code = run(tmp_path, is_warm=False)
    assert code == 1
    assert ">       assert 1 == 2" in "\n".join(lines).replace("    assert 1 == 2", "    assert 1 == 2")
    assert "1 failed, 1 passed" in lines[-1]
