"""The two forms of an exercise: a notebook without chance or machine in it, and a script with the same cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.errors import CourseError
from grader.releasing.forms import tidy, write_script

CODES = ["%matplotlib inline\nimport math", "def f():\n    return 1", "", "# a comment", "!ls", "%%time\nx = 1", "f?"]


def write(folder: Path, cells: list[Any], **metadata: Any) -> Path:
    path = folder / "lesson.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)
    return path


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def codes(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def question(grade_id: str) -> Any:
    return new_code_cell("x = None", metadata={"nbgrader": {"grade_id": grade_id}})


def test_a_tidy_notebook_says_nothing_of_the_machine(tmp_path: Path) -> None:
    mine = {"name": "my-venv", "display_name": "Mine", "language": "python"}
    cell = new_code_cell("1", metadata={"execution": {"iopub.status.busy": "2026-01-01"}, "tags": ["demo"]})
    path = write(tmp_path, [cell], kernelspec=mine, language_info={"name": "python", "version": "3.9"})
    tidy(path)
    assert read(path).metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert read(path).cells[0].metadata == {"tags": ["demo"]}


def test_cells_are_named_after_their_question_or_their_place(tmp_path: Path) -> None:
    path = write(tmp_path, [new_markdown_cell("Text"), question("mix"), question("cell-4"), new_code_cell("1")])
    tidy(path)
    assert [cell.id for cell in read(path).cells] == ["cell-1", "mix", "cell-4", "cell-4-"]
    nbformat.validate(read(path))


def test_a_source_without_cell_ids_gets_no_random_ones(tmp_path: Path) -> None:
    path = write(tmp_path, [new_markdown_cell("Text"), question("mix")])
    old = read(path)
    old.nbformat_minor = 4
    for cell in old.cells:
        del cell["id"]
    nbformat.write(old, path)
    tidy(path)
    assert [cell.id for cell in read(path).cells] == ["cell-1", "mix"]
    assert path.read_bytes().endswith(b"}\n")


def test_the_script_holds_the_same_code_cells_and_only_a_short_header(tmp_path: Path) -> None:
    path = write(tmp_path, [new_markdown_cell("# Title"), *map(new_code_cell, CODES)])
    tidy(path)
    script = write_script(path).read_text()
    assert codes(jupytext.reads(script, fmt="py:percent")) == CODES
    assert script.startswith("# ---\n# jupyter:\n#   kernelspec:\n")
    assert "jupytext" not in script


def test_the_script_carries_no_cell_metadata(tmp_path: Path) -> None:
    tags = {"tags": ["active-ipynb"], "nbgrader": {"grade_id": "mix"}}
    script = write_script(write(tmp_path, [new_code_cell("x = 1", metadata=tags)])).read_text()
    assert script == "# %%\nx = 1\n"


@pytest.mark.parametrize("text", ["x = 1\n# %% two\ny = 2", "# %%"])
def test_a_cell_that_would_read_back_differently_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, [new_code_cell("first = 0"), new_code_cell(text)])
    with pytest.raises(CourseError, match=r"code cell 2 of lesson\.ipynb .* cannot be written as a script"):
        write_script(path)
    assert not path.with_suffix(".py").exists()


def test_a_script_never_replaces_another_file(tmp_path: Path) -> None:
    (tmp_path / "lesson.py").write_text("mine")
    with pytest.raises(CourseError, match=r"lesson\.ipynb and lesson\.py need the same name"):
        write_script(write(tmp_path, []))


def test_a_notebook_of_text_alone_has_a_script_too(tmp_path: Path) -> None:
    assert write_script(write(tmp_path, [new_markdown_cell("Text")])).read_text().endswith("# Text\n")
