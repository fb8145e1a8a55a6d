"""The student's work, loaded for public checks: what is not there, what stops, and where to look."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from grader.crashes.telling import meaning
from grader.student.verdict import verdict
from grader.student.work import NotAttempted, StudentFault, StudentWork, load_work

NAMES = {"double", "halve", "ANSWER"}
NEVER_CLOSED = meaning("SyntaxError", "'(' was never closed")
STUB = "def double(x):\n    '''Twice x.'''\n    raise NotImplementedError  # write your code here"


def notebook(folder: Path, *cells: str, name: str = "lesson.ipynb") -> None:
    made = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    (folder / name).write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))


def student(folder: Path, *cells: str, seconds: float = 10.0) -> StudentWork:
    notebook(folder, *cells)
    return StudentWork(load_work(folder, "lesson", NAMES, seconds))


def fault(call: Any) -> StudentFault:
    with pytest.raises(StudentFault) as raised:
        call()
    return raised.value


def test_functions_and_values_of_a_notebook_are_attributes(tmp_path: Path) -> None:
    work = student(tmp_path, "def double(x):\n    return 2 * x", "ANSWER = [1, 2]")
    assert work.double(4) == 8
    assert work.ANSWER == [1, 2]


def test_a_script_is_loaded_without_its_main_part(tmp_path: Path) -> None:
    (tmp_path / "lesson.py").write_text("# %%\nANSWER = 3\n\n# %%\nif __name__ == '__main__':\n    ANSWER = 4\n")
    work = load_work(tmp_path, "lesson", NAMES)
    assert (work.source, StudentWork(work).ANSWER) == ("lesson.py", 3)


def test_the_notebook_counts_where_both_forms_were_worked_on_and_the_notes_say_so(tmp_path: Path) -> None:
    (tmp_path / "lesson.py").write_text("ANSWER = 3\n")
    notebook(tmp_path, "ANSWER = 4")
    work = load_work(tmp_path, "lesson", NAMES)
    assert StudentWork(work).ANSWER == 4
    assert any("lesson.ipynb counts" in note for note in work.notes)


@pytest.mark.parametrize("cell", [STUB, "double = None", "", "def double(x): ..."])
def test_a_stub_is_not_attempted(tmp_path: Path, cell: str) -> None:
    with pytest.raises(NotAttempted, match=r"double\(\) is not written yet"):
        student(tmp_path, cell).double(1)


def test_a_function_that_still_ends_in_the_stub_line_was_attempted(tmp_path: Path) -> None:
    work = student(tmp_path, "def double(x):\n    y = 2 * x\n    raise NotImplementedError")
    with pytest.raises(NotImplementedError) as raised:
        work.double(1)
    assert verdict(raised.value, work)[1] == "double(1) raised NotImplementedError."


def test_a_function_that_calls_a_stub_says_which(tmp_path: Path) -> None:
    work = student(tmp_path, STUB, "def halve(x):\n    return double(x) / 4")
    with pytest.raises(NotImplementedError) as raised:
        work.halve(1)
    assert verdict(raised.value, work)[1] == "halve(1) calls double(), which is not written yet."


def test_another_name_for_the_function_is_asked_about(tmp_path: Path) -> None:
    found = fault(lambda: student(tmp_path, "def doubled(x):\n    return 2 * x").double)
    assert str(found) == "lesson.ipynb does not define double(); it does define doubled(): is that it?"


def test_a_cell_with_a_syntax_error_is_named_with_its_line(tmp_path: Path) -> None:
    found = fault(lambda: student(tmp_path, "ANSWER = 1", "def double(x):\n    return (2 * x").double)
    assert str(found) == f"SyntaxError: '(' was never closed. {NEVER_CLOSED} So double() is not there yet."
    assert found.place == "lesson.ipynb, cell 2, line 2: `return (2 * x`"


def test_a_broken_cell_leaves_the_others_standing_and_a_note(tmp_path: Path) -> None:
    work = student(tmp_path, "1 / 0", "ANSWER = 5")
    assert work.ANSWER == 5
    notes = load_work(tmp_path, "lesson", NAMES).notes
    assert notes == ["lesson.ipynb, cell 1, line 1: ZeroDivisionError: division by zero."]


def test_an_error_in_a_function_is_told_with_the_call_and_the_students_line(tmp_path: Path) -> None:
    work = student(tmp_path, "def double(x):\n    return 2 * x + 'a'")
    with pytest.raises(TypeError) as raised:
        work.double(4)
    status, message, place = verdict(raised.value, work)
    assert status == "crashed"
    assert message.startswith("double(4) raised TypeError: unsupported operand")
    assert place == "lesson.ipynb, cell 1, line 2: `return 2 * x + 'a'`"


def test_lines_of_a_script_are_counted_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "lesson.py").write_text("# %%\nANSWER = 1\n\n# %%\ndef double(x):\n    return x.y\n")
    work = StudentWork(load_work(tmp_path, "lesson", NAMES))
    with pytest.raises(AttributeError) as raised:
        work.double(4)
    assert verdict(raised.value, work)[2] == "lesson.py, line 6: `return x.y`"


def test_an_endless_cell_is_stopped_and_the_next_one_runs(tmp_path: Path) -> None:
    work = student(tmp_path, "while True:\n    pass", "ANSWER = 6", seconds=0.2)
    assert work.ANSWER == 6


def test_an_endless_cell_that_swallows_every_error_is_stopped(tmp_path: Path) -> None:
    cell = "while True:\n    try:\n        n = int(input())\n        break\n    except:\n        print('again')"
    started = time.monotonic()
    assert student(tmp_path, cell, "ANSWER = 7", seconds=0.2).ANSWER == 7
    assert time.monotonic() - started < 5


def test_a_name_behind_an_endless_loop_says_that_its_cell_was_stopped(tmp_path: Path) -> None:
    found = fault(lambda: student(tmp_path, "while True:\n    pass\nANSWER = 1", seconds=0.2).ANSWER)
    assert str(found) == "The code was still running after 0.2 s and was stopped. So ANSWER is not there yet."
    assert found.status == "timed_out"


def test_input_is_refused_with_a_sentence(tmp_path: Path) -> None:
    work = load_work_of(tmp_path, "ANSWER = input('number? ')")
    assert work.notes == [
        "lesson.ipynb, cell 1, line 1: RuntimeError: input() waits for somebody to type, "
        "and nobody does while the checks run."
    ]


def load_work_of(folder: Path, *cells: str) -> Any:
    notebook(folder, *cells)
    return load_work(folder, "lesson", NAMES)


def test_sys_exit_in_a_cell_does_not_end_the_checks(tmp_path: Path) -> None:
    assert student(tmp_path, "import sys\nsys.exit(3)", "ANSWER = 8").ANSWER == 8


def test_check_cells_rest_while_the_work_is_loaded_and_nothing_is_left_behind(tmp_path: Path) -> None:
    before, place = dict(os.environ), Path.cwd()
    seen = student(
        tmp_path,
        "from grader.notebook import check, show_weights",
        "check('double')\nshow_weights(None)",
        "import os\nANSWER = [os.environ['GRADER_WORKER'], os.getcwd()]",
    ).ANSWER
    assert seen == ["1", str(tmp_path)]
    assert (dict(os.environ), Path.cwd()) == (before, place)


def test_a_value_in_the_place_of_a_function_is_told(tmp_path: Path) -> None:
    found = fault(lambda: student(tmp_path, "double = 3").double)
    assert str(found).startswith("double is an int, not a function: write `def double(...)`")


def test_what_is_on_disk_now_is_what_is_loaded(tmp_path: Path) -> None:
    assert student(tmp_path, "ANSWER = 1").ANSWER == 1
    assert student(tmp_path, "ANSWER = 2").ANSWER == 2


def test_a_folder_without_work_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "test_lesson.py").write_text("")
    assert "holds no lesson.ipynb and no lesson.py" in str(fault(lambda: load_work(tmp_path, "lesson", NAMES)))


def test_a_broken_notebook_beside_an_untouched_script_is_told_and_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "lesson.ipynb").write_text('{"cells": [')
    (tmp_path / "lesson.py").write_text("ANSWER = None\n")
    assert "lesson.ipynb ends in the middle" in str(fault(lambda: load_work(tmp_path, "lesson", NAMES)))


def test_dataclasses_of_a_script_find_their_module(tmp_path: Path) -> None:
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
    (tmp_path / "lesson.py").write_text(text + "ANSWER = A(3).x\n")
    assert StudentWork(load_work(tmp_path, "lesson", NAMES)).ANSWER == 3
