from __future__ import annotations

import itertools
import json
import os
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from grader.errors import CourseError
from grader.reading.discover import Discovery, discover
from grader.reading.entry import entry_of
from grader.reading.names import safe_id
from grader.reading.submission import Unreadable

LESSON = "l10_attention"
STUB = "def attention(q, k, v):\n    raise NotImplementedError\n"
WRITTEN = "def attention(q, k, v):\n    return v, v, v\n"
NAMES = ["attention"]


def put(path: Path, source: str = WRITTEN) -> Path:
    """Write a notebook or script, its folders too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [{"cell_type": "code", "source": source}]
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}) if path.suffix == ".ipynb" else source)
    return path


def zipped(path: Path, folder: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder).as_posix())
    return path


def found(*paths: Path) -> dict[str, list[str]]:
    """Student to file names, for PATHs without any problem; the order of PATHs is tried both ways."""
    with discover(LESSON, paths) as there, discover(LESSON, paths[::-1]) as turned:
        assert there.problems == turned.problems == ()
        assert [entry.student for entry in there.entries] == sorted(entry.student for entry in there.entries)
        for entry in (*there.entries, *turned.entries):
            assert entry.problem is None
            assert [form.source for form in entry.forms()] == [path.name for path in entry.paths]
        result = {entry.student: [path.name for path in entry.paths] for entry in there.entries}
        assert result == {entry.student: [path.name for path in entry.paths] for entry in turned.entries}
        return result


def problem_of(discovery: Discovery, student: str) -> str:
    (entry,) = [entry for entry in discovery.entries if entry.student == student]
    with pytest.raises(Unreadable) as caught:
        entry.forms()
    with pytest.raises(Unreadable):
        entry.submission(NAMES)
    assert str(caught.value).endswith(".")
    return str(caught.value)


# The forms of PATH


def test_a_lone_file_is_a_student_named_after_it(tmp_path: Path) -> None:
    assert found(put(tmp_path / "alice.ipynb")) == {"alice": ["alice.ipynb"]}
    assert found(put(tmp_path / "bob.py")) == {"bob": ["bob.py"]}


def test_lone_files_with_one_name_are_two_forms_of_one_students(tmp_path: Path) -> None:
    both = [put(tmp_path / "alice.py"), put(tmp_path / "alice.ipynb")]
    assert found(*both) == {"alice": ["alice.ipynb", "alice.py"]}


@pytest.mark.parametrize("place", ["alice", f"alice/{LESSON}"])
def test_a_students_folder_is_found_with_or_without_the_assignments_folder(place: str, tmp_path: Path) -> None:
    for name in ("attention.ipynb", "attention.py", "test_attention.py", "helper.py"):
        put(tmp_path / place / name)
    assert found(tmp_path / "alice") == {"alice": ["attention.ipynb", "attention.py"]}
    assert found(tmp_path / place) == {"alice": ["attention.ipynb", "attention.py"]}


def test_the_current_folder_is_named_as_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "alice" / LESSON / "attention.py")
    monkeypatch.chdir(tmp_path / "alice" / LESSON)
    assert found(Path(".")) == found(Path("..")) == {"alice": ["attention.py"]}


def test_a_class_may_mix_every_layout(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "attention.ipynb")
    put(tmp_path / "bob" / LESSON / "attention.py")
    put(tmp_path / "carol.ipynb")
    put(tmp_path / "carol.py")
    put(tmp_path / "dan" / "homework.ipynb")
    put(tmp_path / "erin" / "attention.py")
    zipped(tmp_path / "erin.zip", tmp_path / "erin")
    (tmp_path / "erin" / "attention.py").unlink()
    (tmp_path / "erin").rmdir()
    (tmp_path / "README.md").write_text("words")
    assert found(tmp_path) == {
        "alice": ["attention.ipynb"],
        "bob": ["attention.py"],
        "carol": ["carol.ipynb", "carol.py"],
        "dan": ["homework.ipynb"],
        "erin": ["attention.py"],
    }


def test_a_class_in_a_folder_named_after_the_assignment_is_a_class(tmp_path: Path) -> None:
    for student in ("alice", "bob"):
        put(tmp_path / LESSON / student / "attention.ipynb")
    both = {"alice": ["attention.ipynb"], "bob": ["attention.ipynb"]}
    assert found(tmp_path / LESSON) == found(tmp_path) == both


@pytest.mark.parametrize("beside", ["bob/attention.ipynb", f"bob/{LESSON}/hw.py", "bob.ipynb", "bob.zip"])
def test_nobody_beside_the_assignments_folder_is_dropped(beside: str, tmp_path: Path) -> None:
    put(tmp_path / LESSON / "alice" / "attention.ipynb")
    put(tmp_path / beside)
    if beside == "bob.zip":
        zipped(tmp_path / beside, tmp_path / LESSON / "alice")
    with discover(LESSON, [tmp_path]) as there:
        assert [entry.student for entry in there.entries] == ["bob", LESSON]
        assert there.entries[0].submission(NAMES).student == "bob"
        assert f"{LESSON} holds no attention.ipynb" in problem_of(there, LESSON)


def test_another_lessons_folder_is_nobodys_work(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "l09_other" / "other.ipynb")
    (tmp_path / "alice" / LESSON).mkdir()
    put(tmp_path / "bob" / "l09_other" / "other.ipynb")
    put(tmp_path / "bob" / LESSON / "attention.py")
    for paths in ([tmp_path], [tmp_path / "alice", tmp_path / "bob"]):
        with discover(LESSON, paths) as there:
            assert [entry.student for entry in there.entries] == ["alice", "bob"]
            assert "holds no attention.ipynb" in problem_of(there, "alice")


def test_folders_in_folders_without_end_end(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijklmnop")
    deep.mkdir(parents=True)
    assert all(entry.problem for entry in discover(LESSON, [tmp_path]).entries)


def test_a_folder_of_loose_files_is_a_class_and_of_one_name_a_students(tmp_path: Path) -> None:
    put(tmp_path / "hw" / "alice.py")
    assert found(tmp_path / "hw") == {"hw": ["alice.py"]}
    put(tmp_path / "hw" / "bob.ipynb")
    assert found(tmp_path / "hw") == {"alice": ["alice.py"], "bob": ["bob.ipynb"]}


def test_students_named_one_by_one_are_those_of_their_class(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "attention.ipynb")
    put(tmp_path / "bob" / LESSON / "hw.ipynb")
    put(tmp_path / "carol" / "hw.ipynb")
    together = found(tmp_path)
    assert found(*tmp_path.iterdir()) == together
    # What stands twice on a command line was not handed in twice.
    assert found(tmp_path, *tmp_path.iterdir(), tmp_path / "alice" / ".." / "alice") == together


@pytest.mark.parametrize("inside", ["", "submissions", "a/submissions"])
def test_a_zip_of_a_class_is_found_below_the_folder_around_everything(inside: str, tmp_path: Path) -> None:
    for student in ("alice", "bob"):
        put(tmp_path / "all" / inside / student / "attention.ipynb")
    assert found(zipped(tmp_path / "class.zip", tmp_path / "all")) == {
        "alice": ["attention.ipynb"],
        "bob": ["attention.ipynb"],
    }


@pytest.mark.parametrize("inside", ["", LESSON])
def test_a_students_zip_is_named_after_the_student(inside: str, tmp_path: Path) -> None:
    put(tmp_path / "all" / inside / "attention.py")
    assert found(zipped(tmp_path / "alice.zip", tmp_path / "all")) == {"alice": ["attention.py"]}


def test_without_a_path_the_courses_own_folder_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "submitted" / "alice" / LESSON / "attention.ipynb")
    put(tmp_path / "submitted" / "bob" / LESSON / "attention.py")
    put(tmp_path / "submitted" / "carol" / "l09_other" / "other.ipynb")
    monkeypatch.chdir(tmp_path)
    assert found() == {"alice": ["attention.ipynb"], "bob": ["attention.py"]}


def test_hidden_files_caches_and_tests_are_never_work(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "attention.py")
    for name in (".ipynb_checkpoints/a.ipynb", "__pycache__/a.py", ".git/a.py", "__MACOSX/a.py", ".a.ipynb"):
        put(tmp_path / name)
        put(tmp_path / "alice" / name)
    put(tmp_path / "conftest.py")
    put(tmp_path / "test_all.py")
    (tmp_path / "expected.json").write_text("{}")
    assert found(tmp_path) == {"alice": ["attention.py"]}


# Which file counts


def test_the_exercises_own_name_counts_before_any_other(tmp_path: Path) -> None:
    for name in ("attention-Copy1.ipynb", "attention.ipynb", "Attention.py", "a.py"):
        put(tmp_path / "alice" / name)
    assert found(tmp_path / "alice") == {"alice": ["attention.ipynb", "Attention.py"]}


def test_capitals_decide_between_two_names() -> None:
    files = [Path("Attention.ipynb"), Path("attention.ipynb"), Path("attention.PY"), Path("ATTENTION.py")]
    assert entry_of("alice", "alice", files, "attention").paths == (files[1], files[3])


def test_a_renamed_notebook_is_taken_and_said(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "final.ipynb")
    put(tmp_path / "alice" / "attention.py", STUB)
    with discover(LESSON, [tmp_path]) as there:
        counted = there.entries[0].submission(NAMES)
    assert counted.source == "final.ipynb"
    assert counted.messages == ("final.ipynb was read, as there is no attention.ipynb.",)


@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
def test_two_files_of_other_names_are_a_problem_that_names_them(suffix: str, tmp_path: Path) -> None:
    put(tmp_path / "class" / "alice" / f"a{suffix}")
    put(tmp_path / "class" / "alice" / f"b{suffix}")
    put(tmp_path / "class" / "bob" / "attention.py")
    put(tmp_path / "carol" / LESSON / f"a{suffix}")
    put(tmp_path / "carol" / LESSON / f"b{suffix}")
    assert "none of them named" in problem_of(discover(LESSON, [tmp_path / "carol" / LESSON]), "carol")
    with discover(LESSON, [tmp_path / "class"]) as there:
        sentence = problem_of(there, "alice")
        assert f"alice holds a{suffix} and b{suffix}, none of them named attention{suffix}" in sentence
        assert there.entries[1].submission(NAMES).student == "bob"


def test_a_folder_without_work_is_a_problem_that_says_what_is_there(tmp_path: Path) -> None:
    put(tmp_path / "bob" / "attention.py")
    (tmp_path / "alice").mkdir()
    (tmp_path / "carol").mkdir()
    (tmp_path / "carol" / "work.rar").write_text("x")
    for paths in ([tmp_path], list(tmp_path.iterdir())):
        with discover(LESSON, paths) as there:
            assert "alice holds no attention.ipynb and no attention.py:" in problem_of(there, "alice")
            assert "carol holds no attention.ipynb" in problem_of(there, "carol")
            assert len(there.entries) == 3


def test_a_second_form_stands_in_for_an_unreadable_one_if_it_was_worked_on(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "attention.py")
    (tmp_path / "alice" / "attention.ipynb").write_text('{"cells": [')
    entry = discover(LESSON, [tmp_path / "alice"]).entries[0]
    counted = entry.submission(NAMES)
    assert counted.source == "attention.py"
    assert counted.messages[0].startswith("attention.ipynb ends in the middle")
    assert counted.messages[0].endswith("attention.py was looked at in its place.")
    put(tmp_path / "alice" / "attention.py", STUB)
    with pytest.raises(Unreadable, match=r"attention\.ipynb ends in the middle"):
        entry.submission(NAMES)
    put(tmp_path / "alice" / "attention.ipynb")
    assert entry.submission(NAMES).messages == ()


def test_two_unreadable_forms_are_both_told(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "attention.ipynb").write_text("")
    put(tmp_path / "alice" / "attention.py").write_bytes(b"\xff")
    sentence = problem_of(discover(LESSON, [tmp_path / "alice"]), "alice")
    assert "attention.ipynb is empty" in sentence
    assert "attention.py is not UTF-8" in sentence


def test_which_of_two_forms_counts_is_said_with_the_files_own_messages(tmp_path: Path) -> None:
    put(tmp_path / "alice" / "attention.py")
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": WRITTEN}]}]}
    (tmp_path / "alice" / "attention.ipynb").write_text(json.dumps(old))
    messages = discover(LESSON, [tmp_path / "alice"]).entries[0].submission(NAMES).messages
    assert messages[0] == "Both attention.ipynb and attention.py were worked on; attention.ipynb counts."
    assert "old notebook format 3" in messages[1]


# Ids


def test_one_id_from_two_places_is_graded_once_and_told(tmp_path: Path) -> None:
    first = put(tmp_path / "1" / "alice" / "attention.ipynb").parent
    second = put(tmp_path / "2" / "alice.py")
    (tmp_path / "0" / "alice").mkdir(parents=True)
    for paths in itertools.permutations([first, second, tmp_path / "0" / "alice"]):
        there = discover(LESSON, paths)
        assert [entry.paths[0].name for entry in there.entries] == ["attention.ipynb"]
        assert len(there.problems) == 2
        assert f"alice stands there twice: {first} counts, {second} was left out." in there.problems


def test_ids_that_are_one_file_name_on_some_systems_are_kept_apart(tmp_path: Path) -> None:
    names = ["Alice", "alice", "e\u0301ric", "\u00e9ric"]
    put(tmp_path / "one" / names[0] / "attention.py")
    put(tmp_path / "two" / names[1] / "attention.py")
    put(tmp_path / "one" / names[2] / "attention.py")
    put(tmp_path / "two" / names[3] / "attention.py")
    there = discover(LESSON, [tmp_path / "one", tmp_path / "two"])
    ids = [entry.student for entry in there.entries]
    assert len({name.casefold() for name in ids}) == 4
    assert "Alice" in ids
    (changed,) = [entry for entry in there.entries if entry.student.startswith("alice-")]
    assert f'The student id became "{changed.student}", as "alice" is the name' in changed.submission(NAMES).messages[0]


@pytest.mark.parametrize(
    "name",
    [
        "a/b",
        "..",
        ".hidden",
        "a\nb",
        "a\x1b[2J",
        "x" * 201,
        "小" * 70,
        "",
        "con",
        "NUL.txt",
        "a:b",
        "a. ",
        "\udcff",
        "/",
    ],
)
def test_an_unsafe_id_is_made_a_file_name(name: str) -> None:
    student = safe_id(name)
    assert student != name
    assert safe_id(student) == student
    assert len(student.encode()) <= 200
    assert student.isprintable()
    assert not student.startswith(".")
    assert not set(student) & set('/\\:*?"<>|')


@pytest.mark.parametrize("name", ["alice", "小丁", "Anna Lena", "a.b", "x" * 200, "o'neil", "3,5 (2)"])
def test_a_safe_id_stays_as_it_is(name: str) -> None:
    assert safe_id(name) == name


@pytest.mark.skipif(os.name == "nt", reason="Windows refuses such names itself")
def test_two_unsafe_ids_stay_two_and_are_told(tmp_path: Path) -> None:
    put(tmp_path / "a?b" / "attention.py")
    put(tmp_path / "a*b" / "attention.py")
    put(tmp_path / "a_b" / "attention.py")
    there = discover(LESSON, [tmp_path])
    assert len({entry.student for entry in there.entries}) == 3
    told = [message for entry in there.entries for message in entry.submission(NAMES).messages]
    assert len(told) == 2
    assert all("cannot be the name of a file" in message for message in told)


# What is wrong with a PATH


def test_a_path_that_is_not_there_is_the_command_lines_fault(tmp_path: Path) -> None:
    put(tmp_path / "alice.py")
    with pytest.raises(CourseError, match=r"There is no file or folder .*nowhere"):
        discover(LESSON, [tmp_path / "alice.py", tmp_path / "nowhere"])
    with pytest.raises(CourseError, match="There is no file or folder"):
        discover(LESSON, [Path("a\0b")])


def test_an_empty_class_is_the_courses_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "class" / ".git").mkdir(parents=True)
    (tmp_path / "class" / "README.md").write_text("words")
    with pytest.raises(CourseError, match="There is no submission in"):
        discover(LESSON, [tmp_path / "class"])
    with pytest.raises(CourseError, match="There is no submission in"):
        discover(LESSON, [zipped(tmp_path / "class.zip", tmp_path / "class")])
    monkeypatch.chdir(tmp_path)
    for folder in ("", "submitted", "submitted/alice"):
        (tmp_path / folder).mkdir(exist_ok=True)
        with pytest.raises(CourseError, match=rf"There is no submission in submitted/\*/{LESSON}"):
            discover(LESSON, [])


def test_a_broken_zip_is_a_problem_and_the_others_are_found(tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_text("no zip")
    alice = put(tmp_path / "alice" / "attention.py").parent
    for paths, students in (([], []), ([alice], ["alice"])):
        with discover(LESSON, [tmp_path / "bad.zip", *paths]) as there:
            assert [entry.student for entry in there.entries] == students
            assert [problem.partition(":")[0] for problem in there.problems] == [
                "bad.zip is damaged or is no zip at all"
            ]


def test_refused_members_of_a_zip_are_problems_and_their_students_still_there(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("alice/attention.py", WRITTEN)
        archive.writestr("bob/attention.py", "spoil me", zipfile.ZIP_STORED)
        archive.writestr("../evil.py", WRITTEN)
    path.write_bytes(path.read_bytes().replace(b"spoil me", b"spoilt!!"))
    with discover(LESSON, [path]) as there:
        assert there.entries[0].submission(NAMES).student == "alice"
        assert f"{path}/bob holds no attention.ipynb" in problem_of(there, "bob")
        assert [problem.partition(" in class.zip ")[0] for problem in there.problems] == [
            "../evil.py",
            "bob/attention.py",
        ]


def test_an_empty_zip_in_a_class_is_a_students_problem(tmp_path: Path) -> None:
    put(tmp_path / "alice.ipynb")
    with zipfile.ZipFile(tmp_path / "bob.zip", "w"):
        pass
    for paths in ([tmp_path], [tmp_path / "alice.ipynb", tmp_path / "bob.zip"]):
        with discover(LESSON, paths) as there:
            assert "bob.zip holds no attention.ipynb" in problem_of(there, "bob")


def test_another_kind_of_file_is_a_problem_and_the_others_are_found(tmp_path: Path) -> None:
    paths = [put(tmp_path / "alice.py"), put(tmp_path / "test_it.py"), put(tmp_path / "notes.txt")]
    there = discover(LESSON, paths)
    assert [entry.student for entry in there.entries] == ["alice"]
    assert [problem.partition(" was left out")[0] for problem in there.problems] == [str(path) for path in paths[:0:-1]]


def test_unpacked_files_are_deleted_at_the_end(tmp_path: Path) -> None:
    put(tmp_path / "all" / "alice" / "attention.py")
    with discover(LESSON, [zipped(tmp_path / "class.zip", tmp_path / "all")]) as there:
        path = there.entries[0].paths[0]
        assert path.exists()
    assert not path.exists()


# Links and odd folders


def test_links_to_folders_are_refused_and_told(tmp_path: Path) -> None:
    put(tmp_path / "solutions" / "attention.py")
    put(tmp_path / "class" / "alice" / "attention.py")
    (tmp_path / "class" / "bob").symlink_to(tmp_path / "solutions")
    (tmp_path / "class" / "carol").mkdir()
    (tmp_path / "class" / "carol" / LESSON).symlink_to(tmp_path / "solutions")
    (tmp_path / "class" / "dan").mkdir()
    (tmp_path / "class" / "dan" / "attention.py").symlink_to(tmp_path / "solutions" / "attention.py")
    (tmp_path / "class" / "erin").symlink_to(tmp_path / "class")
    there = discover(LESSON, [tmp_path / "class"])
    assert len(there.entries) == 5
    for student in ("bob", "carol", "dan", "erin"):
        assert "link to a f" in problem_of(there, student)


def test_a_folder_of_links_in_a_circle_ends(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path)
    (tmp_path / LESSON).symlink_to(tmp_path)
    assert all(entry.problem for entry in discover(LESSON, [tmp_path]).entries)


def test_a_link_on_the_command_line_is_followed_and_gives_the_name(tmp_path: Path) -> None:
    put(tmp_path / "4711" / "attention.py")
    (tmp_path / "alice").symlink_to("4711")
    assert found(tmp_path / "alice") == {"alice": ["attention.py"]}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this system's folders")
def test_a_pipe_in_place_of_the_notebook_is_that_students_problem(tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir()
    os.mkfifo(tmp_path / "alice" / "attention.ipynb")
    assert "is not an ordinary file" in problem_of(discover(LESSON, [tmp_path / "alice"]), "alice")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users to change to")
def test_a_folder_that_may_not_be_opened_is_that_students_problem() -> None:
    root = os.geteuid() == 0  # may open everything, so it has to be somebody else for a moment
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        put(Path(place, "alice", "attention.py"))
        closed = put(Path(place, "bob", "attention.py")).parent
        closed.chmod(0)
        if root:
            os.seteuid(65534)
        try:
            there = discover(LESSON, [Path(place)])
            assert "bob could not be opened" in problem_of(there, "bob")
            assert there.entries[0].submission(NAMES).student == "alice"
        finally:
            if root:
                os.seteuid(0)
            closed.chmod(0o755)


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    for number in range(300):
        put(tmp_path / f"s{number:03}" / "attention.py", "#" * 100_000)
    tracemalloc.start()
    try:
        there = discover(LESSON, [tmp_path])
        for entry in there.entries:
            entry.submission(NAMES)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert len(there.entries) == 300
