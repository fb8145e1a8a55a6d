from __future__ import annotations

import codecs
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.submission import Submission, Unreadable, parse_submission, read_submission


def code(source: object, **more: object) -> dict[str, object]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
        **more,
    }


def text(source: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **more}).encode()


def read(data: bytes, name: str = "attention.ipynb") -> Submission:
    return parse_submission(name, data, "alice")


def script(source: str) -> Submission:
    return read(source.encode(), "attention.py")


def refusal(data: bytes, name: str = "attention.ipynb") -> str:
    with pytest.raises(Unreadable) as caught:
        read(data, name)
    sentence = str(caught.value)
    assert sentence.startswith(name)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def parts(submission: Submission) -> list[tuple[int, str, int]]:
    return [(cell.number, cell.source, cell.line) for cell in submission.cells]


# Notebooks


def test_a_file_is_read_with_its_name_its_student_and_the_digest_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "attention.ipynb"
    path.write_bytes(notebook(text("# Attention"), code("x = 1")))
    found = read_submission(path, "alice")
    assert (found.student, found.source, found.kind) == ("alice", "attention.ipynb", "notebook")
    assert found.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.messages == ()


def test_cells_are_counted_over_text_cells_too() -> None:
    assert parts(read(notebook(text("a"), code("x = 1"), text("b"), code("y = 2")))) == [
        (2, "x = 1", 1),
        (4, "y = 2", 1),
    ]


def test_source_may_be_a_list_of_lines() -> None:
    assert parts(read(notebook(code(["a = 1\n", "b = 2"])))) == [(1, "a = 1\nb = 2", 1)]


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_of_windows_and_old_macs_are_made_plain(ends: str) -> None:
    assert read(notebook(code(f"a = 1{ends}b = 2"))).cells[0].source == "a = 1\nb = 2"
    assert script(f"# %%{ends}a = 1{ends}# %%{ends}b = 2{ends}").cells[1].source == "b = 2"


@pytest.mark.parametrize("data", [b"", b"  \n\t ", b"\xef\xbb\xbf", b"\0\0\0\0"])
def test_an_empty_notebook_is_told_as_such(data: bytes) -> None:
    assert "is empty" in refusal(data)


def test_a_truncated_notebook_is_told_to_end_in_the_middle() -> None:
    whole = notebook(text("words"), code("x = 1"))
    for length in (1, 20, 60, len(whole) // 2, len(whole) - 1):
        assert "ends in the middle" in refusal(whole[:length])


def test_what_is_no_json_is_told_with_its_line() -> None:
    assert "line 2 is not valid JSON" in refusal(b'{"cells":\n [}]}')


def test_a_saved_web_page_and_an_unresolved_merge_are_told_as_such() -> None:
    assert "web page" in refusal(b"<!DOCTYPE html><html></html>")
    merge = b'{\n<<<<<<< HEAD\n "a": 1\n=======\n "a": 2\n>>>>>>> main\n}'
    assert "merge" in refusal(merge)


@pytest.mark.parametrize("document", [[], {}, 3, "cells", None, {"cells": 4}, {"cells": {}}, {"nbformat": 4}])
def test_json_that_is_no_notebook_is_told_as_such(document: object) -> None:
    assert "is not a notebook" in refusal(json.dumps(document).encode())


def test_format_3_is_read_and_said() -> None:
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "source": "A", "level": 1},
                    {"cell_type": "code", "input": "x = 1"},
                ]
            },
            {"cells": [{"cell_type": "code", "input": ["y = 2\n", "z = 3"]}]},
            "no worksheet",
        ],
    }
    found = read(json.dumps(old).encode())
    assert parts(found) == [(2, "x = 1", 1), (3, "y = 2\nz = 3", 1)]
    assert found.messages == ("attention.ipynb is in the old notebook format 3 and was read as such.",)


@pytest.mark.parametrize(
    ("version", "words"),
    [("5", "newer"), ("9" * 10_000, "newer"), ("2", "older"), ('"x"', "does not say")],
    ids=["5", "a huge number", "2", "text"],
)
def test_another_format_is_tried_and_said(version: str, words: str) -> None:
    found = read(notebook(code("x = 1")).replace(b'"nbformat": 4', b'"nbformat": ' + version.encode()))
    assert parts(found) == [(1, "x = 1", 1)]
    assert words in found.messages[0]


@pytest.mark.parametrize("cells", [[], [text("only words")], [code("  \n")]])
def test_a_notebook_without_code_is_read_and_said(cells: list[object]) -> None:
    found = read(notebook(*cells))
    assert found.messages == ("attention.ipynb holds no code: look whether it is the right file, and was saved.",)


def test_broken_cells_are_left_out_by_number_and_the_others_kept() -> None:
    broken = [
        "no cell",
        code(5),
        code(["x", 1]),
        {"cell_type": "code"},
        {"source": "x"},
        {"cell_type": ["code"]},
    ]
    found = read(notebook(code("a = 1"), *broken, code("b = 2")))
    assert parts(found) == [(1, "a = 1", 1), (8, "b = 2", 1)]
    assert len(found.messages) == 6
    assert found.messages[1] == "cell 3 could not be read (its source is not text) and was left out."


def test_a_thousand_broken_cells_do_not_make_a_thousand_messages() -> None:
    found = read(notebook(code("a = 1"), *[7] * 1000))
    assert len(found.messages) == 21
    assert found.messages[-1] == "980 more cells could not be read and were left out."


def test_null_bytes_and_halves_of_characters_are_replaced_and_said() -> None:
    found = read(b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a = 1 # \\u0000 \\ud83d"}]}')
    assert found.cells[0].source == "a = 1 # \ufffd \ufffd"
    assert "cell 1 holds characters that Python cannot read" in found.messages[0]
    assert "attention.py holds characters" in script("x = 1\0").messages[0]


def test_a_character_cut_in_two_by_a_list_of_lines_is_joined() -> None:
    found = read(b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["s = \'\\ud83d", "\\ude00\'"]}]}')
    assert found.cells[0].source == "s = '\U0001f600'"
    assert found.messages == ()


def test_odd_but_valid_json_is_no_obstacle() -> None:
    numbers = "9" * 10_000
    data = f'{{"nbformat": 4, "a": {numbers}, "b": NaN, "c": -Infinity, "cells": 3, "cells": [{{"cell_type": "code", '
    data += '"source": "old", "source": "x = 1"}]}'
    assert parts(read(data.encode())) == [(1, "x = 1", 1)]  # of two keys the last, as in Jupyter


def test_json_nested_too_deeply_is_told_as_such() -> None:
    assert "nested too deeply" in refusal(b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")


def test_fifty_megabytes_of_outputs_are_passed_over() -> None:
    lines = [f"step {number}, loss 0.5, {'-' * 200}\n" for number in range(200_000)]
    found = read(notebook(code("x = 1", outputs=[{"output_type": "stream", "name": "stdout", "text": lines}])))
    assert parts(found) == [(1, "x = 1", 1)]


def test_outputs_made_to_fill_the_memory_are_refused_and_commas_in_text_are_not() -> None:
    assert "too much in its outputs" in refusal(b'{"cells": [' + b"[]," * 4_100_000 + b"[]]}")
    printed = "[1., 2.], " * 1_500_000
    assert len(read(notebook(code("x = 1", outputs=[{"text": printed}]))).cells) == 1


def test_too_much_code_and_too_many_cells_are_refused() -> None:
    assert "over 5 million characters" in refusal(notebook(*[code("#" * 3_000_000)] * 2))
    assert "over 5 million characters" in refusal(b"#" * 5_000_001, "attention.py")
    assert "more than 5,000 cells" in refusal(notebook(*[code("x")] * 5001))
    assert "more than 5,000 cells" in refusal(b"# %%\nx\n" * 5001, "attention.py")


# Encodings


@pytest.mark.parametrize("name", ["attention.ipynb", "attention.py"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_a_byte_order_mark_decides_how_text_is_read(name: str, mark: bytes, encoding: str) -> None:
    source = "name = '小丁'"
    whole = json.dumps({"nbformat": 4, "cells": [code(source)]}, ensure_ascii=False) if "ipynb" in name else source
    found = read(mark + whole.encode(encoding), name)
    assert found.cells[0].source == source
    assert bool(found.messages) == (encoding not in ("utf-8",))


@pytest.mark.parametrize("data", ["{'é'}".encode("latin-1"), b"\xff\xfe\x00", b"\xed\xa0\x80"])
@pytest.mark.parametrize("name", ["attention.ipynb", "attention.py"])
def test_what_is_not_utf8_is_told_to_be_saved_as_utf8(data: bytes, name: str) -> None:
    assert "save it as UTF-8" in refusal(data, name)


def test_a_script_says_its_own_encoding() -> None:
    source = "# -*- coding: latin-1 -*-\nname = 'é'"
    assert read(source.encode("latin-1"), "attention.py").cells[0].source == source


@pytest.mark.parametrize("encoding", ["no-such", "rot13", "zlib", "punycode", "unicode_escape", "undefined"])
def test_a_script_in_no_encoding_for_files_is_refused(encoding: str) -> None:
    assert "save it as UTF-8" in refusal(f"# coding: {encoding}\nx = 1\n".encode(), "attention.py")


# Scripts


def test_a_script_without_markers_is_one_cell() -> None:
    assert parts(script("import torch\nx = 1\n")) == [(1, "import torch\nx = 1", 1)]


def test_a_script_is_cut_at_its_markers_and_text_cells_are_counted_only() -> None:
    source = "# %%\na = 1\n\n#%% title\nb = 2\n# %% [markdown]\n# words\n# %%\nc = 3\n#  %%\n"
    assert parts(script(source)) == [(1, "a = 1", 2), (2, "b = 2", 5), (4, "c = 3", 9), (5, "", 11)]


def test_the_header_of_jupytext_and_commented_magics_are_no_cells() -> None:
    source = "# ---\n# jupyter:\n#   a: b\n# ---\n\n# %%\n# !ls\n# %matplotlib inline\n# %%time\nx = 1\n"
    assert parts(script(source)) == [(1, "# !ls\n# %matplotlib inline\n# %%time\nx = 1", 7)]


def test_code_before_the_first_marker_is_the_first_cell() -> None:
    assert parts(script("import torch\n# %%\nx = 1\n")) == [(1, "import torch", 1), (2, "x = 1", 3)]


def test_a_marker_inside_a_statement_is_none() -> None:
    source = '# %%\ns = """\n# %%\n"""\nx = [\n# %%\n1]\n@d\n# %%\ndef f():\n# %%\n    return 1\n# %%\ny = 2\n'
    assert [(cell.number, cell.line) for cell in script(source).cells] == [(1, 2), (2, 14)]


def test_a_script_that_does_not_parse_is_cut_at_every_marker() -> None:
    assert parts(script("# %%\ndef f(:\n# %%\ny = 2\n")) == [(1, "def f(:", 2), (2, "y = 2", 4)]


def test_code_under_a_text_marker_counts_as_python_would_run_it() -> None:
    found = script(
        "# %% [markdown]\n# words\n\ndef attention(q, k, v):\n    return v\n# %% [markdown]\n'''\nwords\n'''\n"
    )
    assert [cell.number for cell in found.cells] == [1]
    assert "cell 1 of attention.py is marked as text but holds code" in found.messages[0]


def test_line_numbers_are_those_of_the_file() -> None:
    source = "# %% [markdown]\n# a\x0cb \u2028 c\n\n# %%\n\n\nx = 1\n\n\n# %%\ny = 2"
    lines = source.split("\n")
    for cell in script(source).cells:
        assert cell.source.split("\n") == lines[cell.line - 1 : cell.line - 1 + cell.source.count("\n") + 1]


def test_an_empty_script_is_read_and_said() -> None:
    found = script("")
    assert found.cells == ()
    assert "holds no code" in found.messages[0]


def test_a_pathological_script_takes_no_harm() -> None:
    for source in (
        "-" * 200_000 + "1",
        "(" * 100_000,
        "a" + ".b" * 150_000,
        "x\n" * 1_000_000,
        "9" * 100_000,
    ):
        assert len(script("# %%\n" + source).cells) == 1


# What stands in a file's place


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything, so a test of permissions has to be somebody else for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def refused(path: Path) -> str:
    with pytest.raises(Unreadable) as caught:
        read_submission(path, "alice")
    sentence = str(caught.value)
    assert str(path.parent) not in sentence
    return sentence


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "attention.ipynb").mkdir()
    assert refused(tmp_path / "attention.ipynb").startswith("attention.ipynb is a folder")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this system's folders")
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "attention.ipynb")
    assert "is not an ordinary file" in refused(tmp_path / "attention.ipynb")


def test_a_missing_file_and_a_link_to_nowhere_are_told(tmp_path: Path) -> None:
    assert "is not there" in refused(tmp_path / "attention.ipynb")
    (tmp_path / "attention.py").symlink_to(tmp_path / "nowhere.py")
    assert "is not there" in refused(tmp_path / "attention.py")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    assert "could not be opened" in refused(tmp_path / "loop.py")


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 1")
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "attention.py").symlink_to(Path("..") / "secret.py")
    assert "is a link to a file outside its folder" in refused(folder / "attention.py")
    (folder / "mine.py").write_text("x = 2")
    (folder / "inside.py").symlink_to("mine.py")
    assert read_submission(folder / "inside.py", "alice").cells[0].source == "x = 2"


def test_a_device_behind_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "attention.ipynb").symlink_to("/dev/zero")
    assert "is a link to a file outside" in refused(tmp_path / "attention.ipynb")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users to change to")
def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "attention.ipynb"
    path.write_bytes(notebook(code("x = 1")))
    path.chmod(0)
    with as_nobody():
        assert "may not be opened" in refused(path)


def test_a_file_above_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "attention.ipynb"
    with path.open("wb") as file:
        file.truncate(200_000_001)  # a hole, no blocks on the disk
    assert "larger than 200 MB" in refused(path)


@pytest.mark.parametrize("name", ["notes.txt", "attention", "attention.ipynb.zip", ".py"])
def test_another_kind_of_file_is_refused(name: str) -> None:
    assert "neither a notebook (.ipynb) nor a script (.py)" in refusal(b"x = 1", name)


def test_names_that_cannot_be_printed_are_made_printable(tmp_path: Path) -> None:
    found = parse_submission("a\x1b[2J\udcff\n.py", b"x = 1", "alice")
    assert found.source == "a\ufffd[2J\ufffd\ufffd.py"
    long = parse_submission("a" * 240 + ".ipynb", notebook(code("x")), "alice")
    assert len(long.source) == 120
    assert long.kind == "notebook"
    assert "could not be opened" in refused(tmp_path / "a\0.py")


# Anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.sampled_from(["code", "markdown"]),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "input", "worksheets", "nbformat"]) | st.text(),
            inner,
        )
    ),
    max_leaves=30,
)
CELLS = st.lists(
    JSON | st.builds(lambda kind, source: {"cell_type": kind, "source": source}, st.just("code") | JSON, JSON)
)


@given(st.binary(), st.sampled_from(["a.ipynb", "a.py"]))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    with suppress(Unreadable):
        assert read(data, name).digest == hashlib.sha256(data).hexdigest()


@given(JSON | st.builds(lambda cells, more: {"cells": cells, "nbformat": more}, CELLS, st.just(4) | JSON))
@settings(deadline=None)
def test_any_json_is_read_or_refused(document: object) -> None:
    try:
        found = read(json.dumps(document).encode())
    except Unreadable:
        return
    for cell in found.cells:
        cell.source.encode()  # what is read can be written and sent
    assert all("\r" not in cell.source and "\0" not in cell.source for cell in found.cells)
    assert all(message.endswith(".") for message in found.messages)


@given(
    st.lists(st.sampled_from(["# %%", "#%% [markdown]", "x = 1", '"""', "(", ")", "def f():", "    pass", "", "'\\"]))
)
@settings(deadline=None)
def test_no_line_of_a_script_is_lost_or_moved(lines: list[str]) -> None:
    for cell in script("\n".join(lines)).cells:
        assert lines[cell.line - 1 :][: cell.source.count("\n") + 1] == cell.source.split("\n") or not cell.source


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_cell_that_became_text_is_read_as_code_again(kind: str) -> None:
    mark = {"nbgrader": {"grade": False, "solution": True, "grade_id": "f_answer"}}
    read_again = read(notebook({"cell_type": kind, "source": "def f(): return 1", "metadata": mark}))
    assert [cell.source for cell in read_again.cells] == ["def f(): return 1"]
    assert read_again.messages == ("cell 1 had become a text cell and was read as code again.",)


@pytest.mark.parametrize("mark", [{"grade": True, "solution": True}, {"grade": False, "solution": False}, {}, None, 3])
def test_other_text_cells_stay_text(mark: object) -> None:
    written = {"cell_type": "markdown", "source": "def f(): return 1", "metadata": {"nbgrader": mark}}
    assert read(notebook(written)).cells == ()
