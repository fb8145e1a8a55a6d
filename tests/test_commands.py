"""`grader grade` as people start it: exit codes, sentences, and files, whatever comes in."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from grader.cli import main
from grader.sandbox.isolation import bubblewrap_trouble
from tests.variants import variants
from tests.warm import warm

ASSIGNMENT = "l10_attention"
RIGHT = "def project(x, table):\n    return x @ table.T\n"
SLOW = "import time\ntime.sleep(0.7)\n" + RIGHT


def interruptible() -> None:
    """What is started in the background of a shell ignores SIGINT, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Course:
    """A course in a folder of its own, with the real key."""

    folder: Path

    def hand_in(self, student: str, source: str = RIGHT, to: str = "class", name: str = "attention.py") -> Path:
        path = self.folder / to / student / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return path

    def start(self, *arguments: str, is_warm: bool = False, **more: Any) -> subprocess.Popen[str]:
        command = list(arguments)
        if bubblewrap_trouble() and "PATH" not in more.get("environment", {}) and "--isolation" not in arguments:
            command += ["--isolation", "process"]  # else it is said on stderr that there is no bubblewrap
        # as most machines have it: what cannot be written is an error, and not a byte that nobody can read
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **more.pop("environment", {})}
        return subprocess.Popen(
            warm("grader", *command) if is_warm else [sys.executable, "-m", "grader", *command],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment,
            preexec_fn=interruptible,
            **more,
        )

    def grade(self, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run `grader grade l10_attention ARGUMENTS` with one job; no traceback of ours is ever shown."""
        jobs = () if "--jobs" in arguments else ("--jobs", "1")  # each job starts a worker, which takes seconds
        return self.run("grade", ASSIGNMENT, *arguments, *jobs, **more)

    def run(
        self, *arguments: str, environment: dict[str, str] | None = None, is_warm: bool = True
    ) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, is_warm=is_warm, environment=environment or {})
        out, said = process.communicate(timeout=120)
        assert "Traceback" not in said + out, said
        return subprocess.CompletedProcess(arguments, process.returncode, out, said)

    def invoke(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same in this process, which has imported torch already: for what ends before it grades."""
        with contextlib.chdir(self.folder):
            done = CliRunner().invoke(main, arguments)
        assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    def stored(self) -> dict[str, dict[str, Any]]:
        files = (self.folder / "graded" / ASSIGNMENT).glob("*.json")
        return {file.stem: timeless(json.loads(file.read_text(encoding="utf-8"))) for file in files}


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """A result without its times, which no two runs share."""
    for question in result["questions"]:
        question.pop("seconds")
    return result


def scores(out: str) -> dict[str, float]:
    return {result["student"]: result["score"] for result in json.loads(out)}


def one_sentence(said: str) -> str:
    """What was said, which must be one line that ends as a sentence does."""
    lines = said.strip().splitlines()
    assert len(lines) == 1, said
    assert lines[0].endswith((".", "?")), said
    return lines[0]


def set_up(folder: Path, root: Path) -> Course:
    (folder / "solutions").mkdir(parents=True)
    for name in ("keys", ASSIGNMENT):
        shutil.copytree(root / "solutions" / name, folder / "solutions" / name)
    return Course(folder)


@pytest.fixture
def course(tmp_path: Path, root: Path) -> Course:
    return set_up(tmp_path / "course", root)


# --- a class with everything that is handed in -----------------------------------------------------------------


def notebook(*cells: dict[str, Any], **more: Any) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more})


def code(source: str, outputs: Sequence[object] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": source,
        "outputs": list(outputs),
        "execution_count": 1,
    }


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


OLD_CELL = {"cell_type": "code", "input": RIGHT, "outputs": []}
OLD_FORMAT = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [OLD_CELL]}]}

# Per student: what becomes of them. A number is the score; a text is a part of the sentence on stderr.
READABLE = {
    "solution": 100,
    "old_format": 5,
    "many_outputs": 5,
    "magics": 5,
    "no_code": 0,
    "empty_script": 0,
    "escape": 0,
    "null": 5,
}
UNREADABLE = {
    "truncated": "ends in the middle",
    "no_json": "not a notebook",
    "a_list": "",
    "latin": "not UTF-8",
    "linked": "link",
    "nowhere": "",
    "a_folder": "folder",
    "a_pipe": "not an ordinary file",
    "nothing": "holds no attention.ipynb",
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Course:
    """A course whose class holds one of each; nothing is graded yet."""
    course = set_up(tmp_path_factory.mktemp("mixed") / "course", root)
    ipynb = {"name": "attention.ipynb"}
    solution = (root / "solutions" / ASSIGNMENT / "attention.ipynb").read_text(encoding="utf-8")
    printed = {"output_type": "stream", "name": "stdout", "text": ["x" * 999 + "\n"] * 50_000}
    whole = notebook(code(RIGHT))
    course.hand_in("solution", solution, **ipynb)
    course.hand_in("old_format", json.dumps(OLD_FORMAT), **ipynb)
    course.hand_in("many_outputs", notebook(code(RIGHT, [printed])), **ipynb)
    course.hand_in("magics", notebook(code("!rm -rf /\n%matplotlib inline\nx = input()"), code(RIGHT)), **ipynb)
    course.hand_in("no_code", notebook(markdown("# Attention")), **ipynb)
    course.hand_in("empty_script", "")
    course.hand_in("escape", "def project(x, table):\n    raise ValueError('\\x1b[2J\\x1b]0;title\\x07 \\r')\n")
    course.hand_in("null", notebook(code(RIGHT), {}, {"cell_type": "code", "source": None}), **ipynb)
    course.hand_in("truncated", whole[: len(whole) // 2], **ipynb)
    course.hand_in("no_json", "print('hello')", **ipynb)
    course.hand_in("a_list", "[1, 2, 3]", **ipynb)
    course.hand_in("latin").write_bytes(RIGHT.encode() + "# ä\n".encode("latin-1"))
    linked = course.hand_in("linked", name="other.txt")
    linked.with_name("attention.py").symlink_to(course.folder / "solutions/keys/l10_attention.py")
    course.hand_in("nowhere", name="other.txt").with_name("attention.py").symlink_to("missing.py")
    (course.hand_in("a_folder", name="other.txt").parent / "attention.ipynb").mkdir()
    os.mkfifo(course.hand_in("a_pipe", name="other.txt").with_name("attention.py"))
    (course.folder / "class" / "nothing").mkdir()
    return course


@pytest.fixture(scope="module")
def graded(mixed: Course) -> subprocess.CompletedProcess[str]:
    """The class of `mixed`, graded as JSON."""
    return mixed.grade("class", "--format", "json", "--jobs", "2", is_warm=False)


def test_every_student_of_a_mixed_class_gets_a_result(graded: subprocess.CompletedProcess[str]) -> None:
    found = scores(graded.stdout)
    assert list(found) == sorted([*READABLE, *UNREADABLE])
    assert {student: found[student] for student in READABLE} == READABLE
    assert {found[student] for student in UNREADABLE} == {0}


def test_what_could_not_be_graded_is_named_and_the_exit_code_says_so(graded: subprocess.CompletedProcess[str]) -> None:
    assert graded.returncode == 1
    lines = graded.stderr.splitlines()
    for student, words in UNREADABLE.items():
        about = [line for line in lines if student in line]
        assert len(about) == 1, (student, lines)
        assert words in about[0]
        assert about[0].endswith((".", "?"))
    assert len(lines) == len(UNREADABLE), lines


def test_a_result_says_what_the_contract_says(graded: subprocess.CompletedProcess[str], root: Path) -> None:
    fields = "schema assignment student source score max_score status questions messages isolation grader key"
    inner = "id title status score max_score checks mistakes hint feedback seconds"
    statuses = {"passed", "partial", "failed", "crashed", "timed_out", "not_attempted"}
    for result in json.loads(graded.stdout):
        assert list(result) == [*fields.split(), "submission"]
        assert (result["schema"], result["assignment"], result["max_score"]) == (1, ASSIGNMENT, 100)
        assert result["status"] == "graded"
        assert result["isolation"] == ("process" if bubblewrap_trouble() else "bubblewrap")
        assert len(result["questions"]) == 16
        for question in result["questions"]:
            assert [name for name in question if name != "example"] == inner.split()
            assert question["status"] in statuses
            assert 0 <= question["score"] <= question["max_score"]
            assert question["score"] == sum(check["points"] for check in question["checks"])
            for check in question["checks"]:
                assert list(check) == ["name", "status", "points", "max_points", "message"]
        assert result["score"] == sum(question["score"] for question in result["questions"])


def test_what_was_printed_is_what_was_stored(mixed: Course, graded: subprocess.CompletedProcess[str]) -> None:
    stored = mixed.stored()
    for result in json.loads(graded.stdout):
        timeless(result)
        assert {name: stored[result["student"]][name] for name in result} == result


def test_a_table_shows_every_student_and_nothing_that_steers_a_terminal(
    mixed: Course, graded: subprocess.CompletedProcess[str]
) -> None:
    shown = mixed.grade("class")
    assert shown.returncode == 1
    for student in (*READABLE, *UNREADABLE):
        assert student in shown.stdout
    assert {sign for sign in shown.stdout + shown.stderr if not sign.isprintable()} <= {"\n"}
    assert "unchanged since the last run" in shown.stderr


def test_lines_of_json_are_one_a_student(mixed: Course, graded: subprocess.CompletedProcess[str]) -> None:
    lines = mixed.grade("class", "--format", "jsonl", "--quiet").stdout.splitlines()
    assert [json.loads(line) for line in lines] == json.loads(graded.stdout)


def test_a_file_gets_what_would_have_been_printed(
    mixed: Course, graded: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    path = tmp_path / "scores.json"
    done = mixed.grade("class", "--format", "json", "--output", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(graded.stdout)
    assert list(tmp_path.iterdir()) == [path]


def test_the_table_can_be_written_where_the_terminal_knows_ascii_only(
    mixed: Course, graded: subprocess.CompletedProcess[str]
) -> None:
    assert mixed.grade("class/solution", environment={"PYTHONIOENCODING": "ascii"}).returncode == 0


def test_half_a_character_of_a_student_s_stops_nobody(course: Course) -> None:
    """Neither where results are printed and stored, nor where they are taken from the store and go into a file."""
    course.hand_in("alice", "def project(x, table):\n    raise ValueError('\\udcff \\ud800')\n")
    course.hand_in("bob")
    done = course.grade("class", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert scores(done.stdout) == {"alice": 0, "bob": 5}
    again = course.grade("class", "--format", "json", "--output", "scores.json")
    assert (again.returncode, again.stderr) == (0, "")
    assert (course.folder / "scores.json").read_text(encoding="utf-8") == done.stdout


def test_a_zip_gives_what_can_be_had_of_it(course: Course, tmp_path: Path) -> None:
    path = course.folder / "handed in.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("alice/attention.py", RIGHT)
        archive.writestr("bob/attention.ipynb", notebook(code(RIGHT)))
        archive.writestr("../carol/attention.py", RIGHT)
        archive.writestr("/dave/attention.py", RIGHT)
        link = zipfile.ZipInfo("erin/attention.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../../solutions/keys/l10_attention.py")
        archive.writestr("frank/attention.ipynb", bytes(150_000_000))
    done = course.grade(path.name, "--format", "json")
    assert done.returncode == 1
    found = scores(done.stdout)
    assert {student: found[student] for student in ("alice", "bob")} == {"alice": 5, "bob": 5}
    assert {score for student, score in found.items() if student not in ("alice", "bob")} <= {0}
    for student in ("carol", "dave", "erin", "frank"):
        assert student in done.stderr
    assert all(line.endswith(".") for line in done.stderr.splitlines())
    assert not (course.folder.parent / "carol").exists()
    assert not Path("/dave").exists()


# --- a command line or a course that is wrong --------------------------------------------------------------------


@pytest.mark.parametrize("later", ["csv", "junit", "gradescope", "html"])
def test_a_format_that_is_not_there_yet_says_so(course: Course, later: str) -> None:
    course.hand_in("alice")
    done = course.grade("class", "--format", later)
    assert (done.returncode, done.stdout) == (2, "")
    assert later in one_sentence(done.stderr)
    assert not (course.folder / "graded").exists()


def test_a_cluster_is_not_there_yet_and_says_so(course: Course) -> None:
    course.hand_in("alice")
    done = course.grade("class", "--cluster", "tcp://localhost:8786")
    assert done.returncode == 2
    assert "--cluster" in one_sentence(done.stderr)


WRONG_OPTIONS = [
    ["--jobs", "0"],
    ["--jobs", "two"],
    ["--timeout", "0"],
    ["--timeout", "-1"],
    ["--timeout", "nan"],
    ["--timeout", "inf"],
    ["--timeout", "soon"],
    ["--format", "xml"],
    ["--isolation", "none"],
    ["--output", "missing/folder/scores.json"],
    ["--output", "class"],
    ["--output", "."],
    ["--output", "/"],
    ["--output", ""],
    ["--output", "x" * 300],
    ["--nonsense"],
]


@pytest.mark.parametrize("options", WRONG_OPTIONS, ids=lambda options: " ".join(options)[:40])
def test_a_wrong_option_says_so_before_anything_is_graded(course: Course, options: list[str]) -> None:
    course.hand_in("alice")
    done = course.invoke("grade", ASSIGNMENT, "class", "--format", "json", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip().endswith((".", "?"))
    assert options[0] in done.stderr
    assert not (course.folder / "graded").exists()


def test_a_command_without_an_assignment_says_what_is_missing(course: Course) -> None:
    done = course.invoke("grade")
    assert done.returncode == 2
    assert "ASSIGNMENT" in done.stderr


def test_an_unknown_assignment_ends_with_code_2(course: Course) -> None:
    done = course.run("grade", "l11_mask", "class")
    assert (done.returncode, done.stdout) == (2, "")
    assert "l11_mask" in one_sentence(done.stderr)


@pytest.mark.parametrize("name", ["l11_mask", "", "..", "../keys/l10_attention", "x" * 300, "secret", "a b"])
def test_an_unknown_assignment_is_told_with_those_there_are(course: Course, name: str) -> None:
    course.hand_in("alice")
    done = course.invoke("grade", name, "class")
    assert (done.returncode, done.stdout) == (2, "")
    assert ASSIGNMENT in one_sentence(done.stderr).replace(f"`{name}`", "", 1)


@pytest.mark.parametrize("paths", [[], ["class"], ["missing"], ["class/alice", "missing"]], ids=str)
def test_a_class_without_anybody_is_told(course: Course, paths: list[str]) -> None:
    (course.folder / "class").mkdir()
    if len(paths) == 2:
        course.hand_in("alice")
    done = course.invoke("grade", ASSIGNMENT, *paths)
    assert (done.returncode, done.stdout) == (2, "")
    assert (paths[-1] if paths else "submitted") in one_sentence(done.stderr)


def test_a_folder_that_is_no_course_is_told(tmp_path: Path) -> None:
    done = Course(tmp_path).invoke("grade", ASSIGNMENT, "class")
    assert done.returncode == 2
    assert "course's folder" in one_sentence(done.stderr)


BROKEN_KEYS = {
    "a syntax error": "def broken(:\n",
    "an error": "raise ValueError('no')\n",
    "no key": "x = 1\n",
    "another key": "key = 1\n",
    "points that do not add up": (
        "from grader.key import AnswerKey\nkey = AnswerKey('l10_attention', title='T')\n"
        "key.values('a', points=5, title='A')\n"
    ),
    "bytes": "\0\0",
}


@pytest.mark.parametrize("name", BROKEN_KEYS)
def test_a_broken_key_is_told_and_nobody_is_graded(course: Course, name: str) -> None:
    course.hand_in("alice")
    (course.folder / "solutions/keys/l10_attention.py").write_text(BROKEN_KEYS[name])
    done = course.invoke("grade", ASSIGNMENT, "class")
    assert (done.returncode, done.stdout) == (2, "")
    assert "l10_attention.py" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (course.folder / "graded").exists()


def test_results_that_cannot_be_stored_are_told(course: Course) -> None:
    course.hand_in("alice")
    (course.folder / "graded").write_text("a file in the folder's place")
    done = course.grade("class", "--format", "json")
    assert done.returncode in (1, 2)
    assert "graded" in one_sentence(done.stderr)


# --- isolation ------------------------------------------------------------------------------------------------------


def test_without_bubblewrap_it_is_said_once_and_stands_in_the_results(course: Course, tmp_path: Path) -> None:
    for number in range(3):
        course.hand_in(f"s{number}", f"# {number}\n{RIGHT}")
    without = {"PATH": str(tmp_path)}
    done = course.grade("class", "--format", "json", environment=without)
    assert done.returncode == 0
    assert "bubblewrap" in one_sentence(done.stderr)
    assert {result["isolation"] for result in json.loads(done.stdout)} == {"process"}
    assert set(scores(done.stdout).values()) == {5}
    asked_for = course.grade("class", "--format", "json", "--isolation", "process", environment=without)
    assert (asked_for.returncode, asked_for.stderr) == (0, "")
    strict = course.grade("class", "--isolation", "strict", environment=without)
    assert (strict.returncode, strict.stdout) == (2, "")
    assert "strict" in strict.stderr


def test_a_worker_that_does_not_start_is_our_fault_and_costs_nobody(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grader's own trouble: the exit code tells, no file pretends to be complete, a rerun grades."""
    course.hand_in("alice")
    course.hand_in("bob", f"# bob\n{RIGHT}")
    broken = course.folder / "python"
    broken.write_text("#!/bin/sh\necho no memory left >&2\nexit 1\n")
    broken.chmod(0o755)
    options = ("class", "--isolation", "process", "--format", "json")
    with monkeypatch.context() as patch:
        patch.setattr("sys.executable", str(broken))
        done = course.invoke("grade", ASSIGNMENT, *options, "--output", "scores.json")
    assert done.returncode == 1
    assert "no memory left" in done.stderr
    out = course.folder / "scores.json"
    assert not out.exists() or {result["status"] for result in json.loads(out.read_text())} == {"grader_error"}
    assert scores(course.grade(*options).stdout) == {"alice": 5, "bob": 5}


# --- runs that are stopped, and runs at once --------------------------------------------------------------


def slow_class(course: Course, count: int = 4) -> None:
    for number in range(count):
        course.hand_in(f"s{number}", f"# {number}\n{SLOW}")


def until_one_is_stored(course: Course) -> None:
    for _ in range(2_000):
        if course.stored():
            return
        time.sleep(0.02)
    raise AssertionError("nothing was graded within 40 seconds")


def descendants(pid: int) -> list[int]:
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            found += [child, *descendants(child)]
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, dict[str, Any]]:
    """What a run stores that nobody stops."""
    course = set_up(tmp_path_factory.mktemp("undisturbed") / "course", root)
    slow_class(course)
    assert course.grade("class", "--quiet").returncode == 0
    return course.stored()


@pytest.mark.parametrize(
    "how", variants([signal.SIGKILL, signal.SIGINT], short=[signal.SIGINT], id=lambda how: how.name)
)
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    course: Course, undisturbed: dict[str, dict[str, Any]], how: signal.Signals
) -> None:
    slow_class(course)
    process = course.start("grade", ASSIGNMENT, "class", "--format", "json", "--output", "scores.json")
    until_one_is_stored(course)
    workers = descendants(process.pid)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (1 if how == signal.SIGINT else -how)
    assert "Traceback" not in said
    assert not (course.folder / "scores.json").exists()
    assert len(course.stored()) < len(undisturbed)
    deadline = time.monotonic() + 10
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in workers if alive(pid)] == []
    assert course.grade("class", "--quiet").returncode == 0
    assert course.stored() == undisturbed


def test_two_runs_at_once_give_what_one_gives(course: Course) -> None:
    for number in range(8):
        course.hand_in(f"s{number}", f"# {number}\n{RIGHT}")
    options = ("class", "--format", "json", "--output", "scores.json", "--jobs", "1")
    runs = [course.start("grade", ASSIGNMENT, *options) for _ in range(2)]
    ends = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    assert ends == [("", "", 0), ("", "", 0)]
    written = (course.folder / "scores.json").read_text()
    assert scores(written) == {f"s{number}": 5 for number in range(8)}
    assert sorted(course.stored()) == sorted(scores(written))
    left = [file.name for file in course.folder.iterdir() if file.name.startswith(".")]
    assert left == []


def test_a_reader_that_goes_away_is_no_error_of_ours(course: Course) -> None:
    slow_class(course, 2)
    process = course.start("grade", ASSIGNMENT, "class", "--format", "json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert "Traceback" not in said
    assert set(scores(course.grade("class", "--format", "json").stdout).values()) == {5}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is Linux's")
@pytest.mark.parametrize("form", ["table", "json", "jsonl"])
def test_a_full_disk_is_told_in_a_sentence(mixed: Course, graded: subprocess.CompletedProcess[str], form: str) -> None:
    done = mixed.grade("class/magics", "--format", form, "--output", "/dev/full")
    assert done.returncode == 2
    assert re.search("/dev/full.*: No space left on device", done.stderr)
    assert "Traceback" not in done.stderr


def test_a_device_as_output_stays_one(mixed: Course, graded: subprocess.CompletedProcess[str], tmp_path: Path) -> None:
    assert mixed.grade("class/magics", "--output", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()
    (tmp_path / "link").symlink_to(tmp_path / "scores.json")
    assert mixed.grade("class/magics", "--format", "json", "--output", str(tmp_path / "link")).returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert scores((tmp_path / "scores.json").read_text()) == {"magics": 5}


def test_a_body_that_does_nothing_is_as_good_as_the_stub(course: Course) -> None:
    bodies = {"alice": "pass", "bob": "...", "carol": '"""Not yet."""'}
    for student, body in bodies.items():
        course.hand_in(student, f"def project(x, table):\n    {body}\n")
    results = json.loads(course.grade("class", "--format", "json").stdout)
    found = {bodies[one["student"]]: {question["status"] for question in one["questions"]} for one in results}
    assert found == {body: {"not_attempted"} for body in bodies.values()}
