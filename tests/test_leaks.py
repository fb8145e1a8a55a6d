"""The leak scan: everything private that reaches a released file is found, and named with its place."""

from __future__ import annotations

import json
import py_compile
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grader.errors import CourseError
from grader.releasing.leaks import scan, scan_beside

SOLUTION = """def weigh(rows, shares):
    \"\"\"Mix the rows.\"\"\"
    ### BEGIN SOLUTION
    import math
    mixed = shares @ rows  # one number for each column
    total = 0
    return mixed
    ### END SOLUTION
"""
KEY = """
MESSAGE = "Your softmax runs down the queries instead of along the keys."
SHOWN = "Each row of the weights must add up to one."
SHORT = "no sentence"
def name(rows):
    return f"The proportions went into column {rows} of the table."
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "solutions" / "l1"
    folder.mkdir(parents=True)
    text = new_markdown_cell("Each row of the weights must add up to one.\n\n    total = shares.sum()")
    hidden = new_code_cell("weigh(1, 2)\n### BEGIN HIDDEN TESTS\nassert weigh(7, 8) == 56\n### END HIDDEN TESTS")
    whole = new_code_cell("SECRET_NUMBER = 42", metadata={"nbgrader": {"solution": True}})
    nbformat.write(new_notebook(cells=[text, new_code_cell(SOLUTION), hidden, whole]), folder / "l1.ipynb")
    (folder / "test_l1.py").write_text("assert True, 'the tests say this sentence to students as well'\n")
    return folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "solutions" / "keys" / "l1.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(KEY + "TESTED = 'the tests say this sentence to students as well'\n")
    return path


@pytest.fixture
def released(tmp_path: Path) -> Path:
    folder = tmp_path / "exercises" / "l1"
    folder.mkdir(parents=True)
    cells = [new_markdown_cell("Each row of the weights must add up to one."), new_code_cell("ANSWER = None")]
    nbformat.write(new_notebook(cells=cells), folder / "l1.ipynb")
    (folder / "l1.py").write_text("# %%\nANSWER = None\n")
    (folder / "test_l1.py").write_text("assert True, 'the tests say this sentence to students as well'\n")
    (folder / "README.md").write_text("# Read me\n\nBegin with the first question.\n")
    (folder / "walkthrough.html").write_text("<p>Play</p>\n")
    return folder


def test_a_clean_folder_has_no_findings(released: Path, source: Path, key: Path) -> None:
    assert scan(released, source, key) == []
    assert scan(released, source, None) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("### BEGIN SOLUTION", "a solution or hidden-test mark"),
        ("# end_solution", "a solution or hidden-test mark"),
        ("#begin hidden tests", "a solution or hidden-test mark"),
        ("=== Mark Scheme ===", "a solution or hidden-test mark"),
        ("from solutions.keys import l1", "an import of the private solutions"),
        ("    import solutions", "an import of the private solutions"),
        ("see solutions/keys for more", "the place of the answer keys"),
        ("mixed = shares @ rows", "a line of the solution"),
        ("`mixed  =  shares @ rows` is all", "a line of the solution"),
        ("assert weigh(7, 8) == 56", "a line of the solution"),
        ("SECRET_NUMBER = 42", "a line of the solution"),
        ("Your softmax runs down\n# the queries instead of along the keys.", "a sentence of the answer key"),
        ("The proportions went into column", "a sentence of the answer key"),
        ("data in /home/someone/data.csv", "a path of the author's machine"),
        (f"open('{'/'}root/x')", "a path of the author's machine"),
        (r"C:\Users\someone", "a path of the author's machine"),
    ],
)
@pytest.mark.parametrize("name", ["README.md", "l1.py", "test_l1.py", "walkthrough.html"])
def test_private_text_is_found_in_each_kind_of_file(
    released: Path, source: Path, key: Path, name: str, text: str, what: str
) -> None:
    (released / name).write_text(f"one\ntwo\n{text}\n")
    findings = scan(released, source, key)
    assert [finding for finding in findings if finding.startswith(f"{name} line 3: {what}: ")], findings


@pytest.mark.parametrize(
    "text",
    [
        "import math",
        "return mixed",
        "total = 0",
        "no sentence",
        "total = shares.sum()",
        "mixed = shares @ rows_of_another",
        "https://example.org/home/lessons",
        "At the end, hidden things are shown.",
    ],
)
def test_what_any_author_writes_or_the_source_shows_is_no_finding(
    released: Path, source: Path, key: Path, text: str
) -> None:
    (released / "README.md").write_text(f"{text}\n")
    assert scan(released, source, key) == []


def test_a_finding_in_a_notebook_names_cell_and_line(released: Path, source: Path) -> None:
    cells = [new_markdown_cell("Text"), new_code_cell("x = 1\nmixed = shares @ rows")]
    nbformat.write(new_notebook(cells=cells), released / "l1.ipynb")
    assert scan(released, source, None) == ["l1.ipynb cell 2 line 2: a line of the solution: mixed = shares @ rows"]


def test_escaped_html_is_read_as_a_browser_shows_it(released: Path, source: Path, key: Path) -> None:
    key.write_text("ADVICE = 'Divide by the root & look for values < 1 again.'\n")
    (released / "walkthrough.html").write_text("<p>Divide by the root &amp; look for values &lt; 1 again.</p>")
    assert scan(released, source, key) != []


def test_metadata_of_a_notebook_is_read(released: Path, source: Path) -> None:
    notebook = new_notebook(cells=[], metadata={"author": "/home/someone"})
    nbformat.write(notebook, released / "l1.ipynb")
    assert scan(released, source, None) == ["l1.ipynb metadata line 1: a path of the author's machine: /home/someone"]


def test_outputs_and_execution_counts_are_findings(released: Path, source: Path) -> None:
    run = new_code_cell("1", outputs=[new_output("stream", text="1")])
    nbformat.write(new_notebook(cells=[run, new_code_cell("2", execution_count=2)]), released / "l1.ipynb")
    assert scan(released, source, None) == [
        "l1.ipynb cell 1 line 1: the output of a run",
        "l1.ipynb cell 2 line 1: the output of a run",
    ]


@pytest.mark.parametrize("name", ["gradebook.db", "helper.py", "data/rows.csv", ".hidden"])
def test_files_that_no_exercise_holds_are_findings(released: Path, source: Path, name: str) -> None:
    (released / name).parent.mkdir(exist_ok=True)
    (released / name).write_text("")
    assert f"{name}: a file that no exercise holds" in scan(released, source, None)


def test_what_python_keeps_when_the_tests_are_run_is_no_finding(released: Path, source: Path) -> None:
    before = scan(released, source, None)
    (released / "test_l1.py").write_text("A = 1\n")
    py_compile.compile(str(released / "test_l1.py"))
    assert list(released.glob("__pycache__/test_l1.*.pyc"))
    assert scan(released, source, None) == before


def test_compiled_code_of_something_else_is_a_finding(released: Path, source: Path) -> None:
    (released / "__pycache__").mkdir()
    (released / "test_l1.py").write_text("A = 1\n")
    kept = Path(py_compile.compile(str(released / "test_l1.py")) or "")
    for name in ("l1_key.cpython-311.pyc", "test_l1.notes.pyc", "test_l1.txt"):
        shutil.copy(kept, released / "__pycache__" / name)
        assert f"__pycache__/{name}: a file that no exercise holds" in scan(released, source, None)
    (released / "__pycache__/test_l1.cpython-310.pyc").symlink_to(kept)
    (released / "__pycache__/test_l1.cpython-39.pyc").write_text("return q @ k.mT")
    for name in ("test_l1.cpython-310.pyc", "test_l1.cpython-39.pyc"):
        assert f"__pycache__/{name}: a file that no exercise holds" in scan(released, source, None)


def test_a_link_is_a_finding_wherever_it_leads(released: Path, source: Path) -> None:
    (released / "test_link.py").symlink_to(source / "test_l1.py")
    assert scan(released, source, None) == ["test_link.py: a file that no exercise holds"]


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[1]", json.dumps({"nbformat": 4}).encode()])
def test_a_notebook_that_cannot_be_read_is_a_finding(released: Path, source: Path, content: bytes) -> None:
    (released / "l1.ipynb").write_bytes(content)
    assert scan(released, source, None) == ["l1.ipynb: cannot be read as a notebook, so nothing in it could be checked"]


def test_bytes_that_are_no_text_do_not_hide_what_follows(released: Path, source: Path) -> None:
    (released / "README.md").write_bytes(b"\xff\xfe\nmixed = shares @ rows\n")
    assert scan(released, source, None) == ["README.md line 2: a line of the solution: mixed = shares @ rows"]


def test_a_key_that_is_not_python_is_named(released: Path, source: Path, key: Path) -> None:
    key.write_text("x = (\n")
    with pytest.raises(CourseError, match=r"l1\.py line 1 is not Python"):
        scan(released, source, key)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("mixed = shares @ rows", "a line of the solution"),
        ("SECRET_NUMBER = 42", "a line of the solution"),
        ('SAID = "Your softmax runs down the queries instead of along the keys."', "a sentence of the answer key"),
    ],
)
def test_what_goes_with_an_exercise_holds_nothing_of_any_assignment(
    source: Path, key: Path, text: str, what: str
) -> None:
    solutions = source.parent
    files = {"grader/clear.py": b"MARK = '### BEGIN SOLUTION'\n", "grader/more/two.py": f"x = 1\n{text}\n".encode()}
    (found,) = scan_beside(files, solutions)
    assert found.startswith(f"grader/more/two.py line 2: {what}: ")
    assert scan_beside({"grader/clear.py": files["grader/clear.py"]}, solutions) == []


def test_a_copy_of_a_private_file_is_found_whatever_it_holds(source: Path, key: Path) -> None:
    secret = source.parent / "keys" / "secret.txt"
    secret.write_text("0123\n")
    (source.parent / "empty").write_text("")
    assert scan_beside({"grader/s": b"0123\n", "grader/t": b""}, source.parent) == ["grader/s: a file of solutions/"]


def test_an_assignment_that_cannot_be_read_cannot_be_looked_for(source: Path) -> None:
    (source / "l1.ipynb").write_text("{")
    assert scan_beside({}, source.parent) == ["solutions/l1: cannot be read, so nothing of it could be looked for"]
