from __future__ import annotations

import io
import os
import stat
import tempfile
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.archive import unpack

FINE = ("bob/attention.ipynb", b'{"cells": []}')


def packed(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(data, "w", method) as archive:
        warnings.simplefilter("ignore")  # of duplicate names
        for name, content in members:
            archive.writestr(name, content, method)
    return data.getvalue()


def special(name: str, kind: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.create_system = 3
    member.external_attr = (kind | 0o777) << 16
    return member


def opened(data: bytes, tmp_path: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files that came out, by path, and the problems."""
    path = tmp_path / "class.zip"
    path.write_bytes(data)
    folder = tmp_path / "out"
    folder.mkdir()
    problems = unpack(path, folder)
    assert {inside.name for inside in tmp_path.iterdir()} == {"class.zip", "out"}
    for sentence in problems:
        assert sentence.endswith(".")
        assert str(tmp_path) not in sentence
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    return files, problems


def the_problem(data: bytes, tmp_path: Path) -> str:
    """The one problem of a zip in which bob's work is fine and came out all the same."""
    files, problems = opened(data, tmp_path)
    assert files == dict([FINE])
    assert len(problems) == 1
    return problems[0]


def test_notebooks_and_scripts_come_out_and_nothing_else(tmp_path: Path) -> None:
    names = ["alice/attention.py", "alice/data.csv", "alice/test_attention.py", "alice/.ipynb_checkpoints/a.ipynb"]
    names += ["__MACOSX/alice/._attention.py", "README.md", "a.IPYNB", "alice/conftest.py", ".git/hooks/x.py"]
    files, problems = opened(packed(FINE, *[(name, b"x") for name in names]), tmp_path)
    assert set(files) == {"bob/attention.ipynb", "alice/attention.py", "a.IPYNB"}
    assert problems == ()


@pytest.mark.parametrize(
    "name",
    [
        "../evil.py",
        "bob/../../evil.py",
        "/tmp/evil.py",
        "C:/evil.py",
        "c:evil.py",
        "..\\evil.py",
        "\\evil.py",
        "../",
        "..",
    ],
)
def test_a_path_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    sentence = the_problem(packed(FINE, (name, b"x = 1")), tmp_path)
    assert "has a path that leads out of the zip" in sentence
    assert "in class.zip" in sentence


def test_backslashes_of_windows_separate_folders(tmp_path: Path) -> None:
    files, problems = opened(packed(("alice\\attention.py", b"x")), tmp_path)
    assert (files, problems) == ({"alice/attention.py": b"x"}, ())


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_are_refused(kind: int, tmp_path: Path) -> None:
    link = special("alice/attention.py", kind)
    assert "is a link or a device" in the_problem(packed(FINE, (link, b"../../secret.py")), tmp_path)


def test_a_file_below_a_link_stays_inside(tmp_path: Path) -> None:
    link = special("alice", stat.S_IFLNK)
    files, problems = opened(packed(FINE, (link, b".."), ("alice/x.py", b"x")), tmp_path)
    assert set(files) == {"bob/attention.ipynb", "alice/x.py"}
    assert len(problems) == 1


def patched(data: bytes, name: bytes, offset: int, new: bytes, local_offset: int | None = None) -> bytes:
    """The zip with bytes of a member's headers replaced, counted from the start of each header."""
    changed = bytearray(data)
    listed = changed.rindex(name) - 46
    changed[listed + offset : listed + offset + len(new)] = new
    if local_offset is not None:
        local = changed.index(name) - 30
        changed[local + local_offset : local + local_offset + len(new)] = new
    return bytes(changed)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    data = patched(packed(FINE, ("alice/a.py", b"x")), b"alice/a.py", 8, b"\x01\x00", 6)
    assert "alice/a.py in class.zip is encrypted" in the_problem(data, tmp_path)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_unusual_packing_is_refused(method: int, tmp_path: Path) -> None:
    data = io.BytesIO(packed(FINE))
    with zipfile.ZipFile(data, "a", method) as archive:
        archive.writestr("alice/a.py", b"x")
    assert "unusual way" in the_problem(data.getvalue(), tmp_path)


def test_a_wrong_checksum_costs_that_member_only_and_leaves_its_folder(tmp_path: Path) -> None:
    data = packed(FINE, ("alice/a.py", b"x = 12345678"), method=zipfile.ZIP_STORED)
    assert "is damaged" in the_problem(data.replace(b"12345678", b"12345679"), tmp_path)
    assert (tmp_path / "out" / "alice").is_dir()
    assert not list((tmp_path / "out" / "alice").iterdir())


def test_the_last_of_two_members_with_one_name_counts(tmp_path: Path) -> None:
    data = packed(("bob/attention.ipynb", b"old"), ("Bob//Attention.ipynb", b"older and longer"), FINE)
    files, problems = opened(data, tmp_path)
    assert files == dict([FINE])
    assert len(problems) == 2
    assert all("stands there more than once; the last one counts" in sentence for sentence in problems)


def test_a_bomb_is_refused_by_what_it_claims(tmp_path: Path) -> None:
    bomb = packed(FINE, ("alice/a.ipynb", bytes(110_000_000)))
    assert len(bomb) < 200_000
    assert "more than a hundred times its size" in the_problem(bomb, tmp_path)


def test_a_bomb_that_claims_to_be_small_gives_no_more_than_it_claims(tmp_path: Path) -> None:
    data = packed(FINE, ("alice/a.ipynb", bytes(50_000_000)))
    lying = patched(data, b"alice/a.ipynb", 24, (1000).to_bytes(4, "little"))
    assert "is damaged" in the_problem(lying, tmp_path)


def test_a_member_above_the_limit_is_refused(tmp_path: Path) -> None:
    data = packed(FINE, ("alice/a.ipynb", os.urandom(1000)), method=zipfile.ZIP_STORED)
    claiming = patched(data, b"alice/a.ipynb", 20, (210_000_000).to_bytes(4, "little") * 2)
    assert "is too large" in the_problem(claiming, tmp_path)


def test_one_students_large_files_do_not_use_up_the_room_of_others(tmp_path: Path) -> None:
    large = [(f"alice/{number}.ipynb", b"x") for number in range(15)]
    data = packed(*large, FINE, method=zipfile.ZIP_STORED)
    for name, _ in large:
        data = patched(data, name.encode(), 20, (90_000_000).to_bytes(4, "little") * 2)
    files, problems = opened(data, tmp_path)
    assert files == dict([FINE])
    # Tried and broken ones count as well, or a thousand of them would be a thousand times the limit.
    assert sum("is damaged" in sentence for sentence in problems) == 11
    assert sum("is too large" in sentence for sentence in problems) == 4


def test_a_zip_in_a_zip_is_told_and_not_opened(tmp_path: Path) -> None:
    assert "is a zip in a zip" in the_problem(packed(FINE, ("alice.zip", packed(FINE))), tmp_path)


def test_too_many_members_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    # One of them lies across the border of two blocks that are read at a time.
    data = bytes((1 << 20) - 2) + b"PK\x01\x02" * 100_000 + packed(FINE)
    files, problems = opened(data, tmp_path)
    assert files == {}
    assert problems == ("class.zip holds more than 100,000 files: split it into several.",)


def test_a_thousand_refused_members_do_not_make_a_thousand_sentences(tmp_path: Path) -> None:
    files, problems = opened(packed(FINE, *[(f"../{number}.py", b"") for number in range(1000)]), tmp_path)
    assert files == dict([FINE])
    assert len(problems) == 101
    assert problems[-1] == "900 more files of class.zip were refused."


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), packed(FINE)[:-30]])
def test_what_is_no_zip_is_one_sentence(data: bytes, tmp_path: Path) -> None:
    files, problems = opened(data, tmp_path)
    assert files == {}
    assert all("is damaged or is no zip at all" in sentence for sentence in problems)
    assert len(problems) == (0 if len(data) == 22 else 1)  # 22 bytes are an empty zip


def test_a_folder_or_nothing_in_place_of_the_zip_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.zip").mkdir()
    assert "is a folder" in unpack(tmp_path / "a.zip", tmp_path)[0]
    assert "is not there" in unpack(tmp_path / "b.zip", tmp_path)[0]


def test_names_in_utf8_are_read_whether_they_say_so_or_not(tmp_path: Path) -> None:
    said = packed(("小丁/attention.py", b"x"))
    silent = patched(said, "小丁".encode(), 8, b"\0\0", 6)
    for number, data in enumerate((said, silent)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert opened(data, folder) == ({"小丁/attention.py": b"x"}, ())


def test_names_in_the_old_encoding_of_dos_are_read(tmp_path: Path) -> None:
    data = packed(("AAA/attention.py", b"x")).replace(b"AAA", "né1".encode("cp437"))
    assert opened(data, tmp_path) == ({"né1/attention.py": b"x"}, ())


def test_a_name_that_only_claims_to_be_utf8_costs_that_member_only(tmp_path: Path) -> None:
    data = packed(FINE, ("é/a.py", b"x")).replace("é/".encode(), b"\xff\xfe/")
    assert "is damaged" in the_problem(data, tmp_path)


def test_names_that_no_file_can_have_are_refused(tmp_path: Path) -> None:
    long = "a" * 300 + ".py"
    files, problems = opened(packed(FINE, (long, b"x"), ("/".join("abcdefghijk") + ".py", b"x")), tmp_path)
    assert files == dict([FINE])
    assert len(problems) == 2
    assert any("could not be unpacked" in sentence for sentence in problems)
    assert any("in more than 10 folders" in sentence for sentence in problems)


def test_a_file_where_another_member_needs_a_folder_is_no_trouble(tmp_path: Path) -> None:
    files, problems = opened(packed(FINE, ("alice.py", b"x"), ("alice.py/a.py", b"longer")), tmp_path)
    assert files == {**dict([FINE]), "alice.py": b"x"}
    assert len(problems) == 1


SOUND = packed(FINE, ("alice/attention.py", b"x = 1\n" * 50), ("小丁/a.py", b"x"))


@given(st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.integers(0, 255)), max_size=8), st.integers(0, len(SOUND)))
@settings(deadline=None)
def test_any_damage_is_survived(changes: list[tuple[int, int]], length: int) -> None:
    data = bytearray(SOUND)
    for position, value in changes:
        data[position] = value
    data = data[:length] if length % 2 else data
    with tempfile.TemporaryDirectory() as place:
        opened(bytes(data), Path(place))
