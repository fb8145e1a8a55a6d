"""Whatever a student does to a notebook ends in a grade, with a sentence, and the class goes on."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from grader.autograding.repair import BLANK
from tests.test_autograde import ASSIGNMENT, CLASS, ROOT, as_text, command, new_course

Notebook = dict[str, Any]
RIGHT = json.loads((CLASS / "ada-all-right/attention.ipynb").read_text(encoding="utf-8"))
WRONG = json.loads((CLASS / "carla-unscaled/attention.ipynb").read_text(encoding="utf-8"))
UNTOUCHED = json.loads((ROOT / "exercises" / ASSIGNMENT / "attention.ipynb").read_text(encoding="utf-8"))
SCRIPT = CLASS / "ben-all-right-script/attention.py"
FULL, UNSCALED = 100.0, 71.0


def code(source: str, **metadata: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}
    return {"id": f"extra-{abs(hash(source)) % 10**8}", **cell}


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "extra-text", "metadata": {}, "source": source}


def cell_of(notebook: Notebook, id: str) -> dict[str, Any]:
    return next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == id)


def deleted(*ids: str) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        notebook["cells"] = [cell for cell in notebook["cells"] if mark(cell).get("grade_id") not in ids]

    return change


def mark(cell: dict[str, Any]) -> dict[str, Any]:
    found = cell["metadata"].get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def doubled(id: str) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        place = notebook["cells"].index(cell_of(notebook, id))
        notebook["cells"].insert(place, copy.deepcopy(notebook["cells"][place]))

    return change


def each_mark(**changed: Any) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            if mark(cell):
                mark(cell).update(changed)

    return change


def every_mark_is(junk: Any) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            if mark(cell):
                cell["metadata"]["nbgrader"] = junk

    return change


def retyped(id: str, kind: str) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        cell = cell_of(notebook, id)
        cell["cell_type"] = kind
        del cell["outputs"], cell["execution_count"]

    return change


def questions_first(notebook: Notebook) -> None:
    notebook["cells"].sort(key=lambda cell: not mark(cell).get("grade", False))


def renamed_ids(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if mark(cell):
            mark(cell)["grade_id"] = mark(cell)["grade_id"][::-1]


def swapped_ids(notebook: Notebook) -> None:
    one, other = mark(cell_of(notebook, "attention")), mark(cell_of(notebook, "one_way"))
    one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]


def appended(*cells: dict[str, Any]) -> Callable[[Notebook], None]:
    return lambda notebook: notebook["cells"].extend(copy.deepcopy(cells))


def put_first(*cells: dict[str, Any]) -> Callable[[Notebook], None]:
    def change(notebook: Notebook) -> None:
        notebook["cells"][0:0] = copy.deepcopy(cells)

    return change


def rewritten_checks(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if mark(cell).get("grade"):
            cell["source"] = f"{mark(cell)['points']}.0"


def forged_outputs(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if mark(cell).get("grade"):
            value = {"text/plain": f"{mark(cell)['points']}.0"}
            cell["outputs"] = [
                {"output_type": "execute_result", "data": value, "metadata": {}, "execution_count": 1},
            ]


def same_cell_ids(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        cell["id"] = "same"


def strange_cells(notebook: Notebook) -> None:
    notebook["cells"] += [17, None, {"cell_type": "dance"}, {"cell_type": "code"}, {"cell_type": "code", "source": 3}]


CHEAT = code(
    "import builtins, sys, grader, torch\n"
    "check = lambda *a, **k: 100.0\n"
    "builtins.check = check\n"
    "grader.check = check\n"
    "for module in list(sys.modules.values()):\n"
    "    if getattr(module, '__name__', '').startswith('grader'):\n"
    "        vars(module)['check'] = check\n"
    "torch.equal = torch.allclose = lambda *a, **k: True\n"
    "class Passes(float):\n"
    "    __eq__ = lambda self, other: True\n"
    "print('20.0')"
)
SHOUT = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"
LOUD = code(f"from IPython.display import HTML, display\ndisplay(HTML({SHOUT!r}))\nraise ValueError({SHOUT!r})")

PICTURE = code(
    "import base64\nfrom IPython.display import Image, display\n"
    f"data = base64.b64decode({BLANK!r})\n"
    "display(Image(data, width='1 onload=window.broken=1'))\n"
    "display({'image/png': base64.b64encode(data).decode()}, raw=True,\n"
    "        metadata={'filenames': {'image/png': 'https://example.org/seen.png'}, 'image/png': [1]})\n"
    "display({'application/vnd.jupyter.widget-view+json': 'text', 'text/plain': 'a widget'}, raw=True)"
)
LOST = text("![x](attachment:lost.png) ![y](attachment:empty%20one.png) ![z](attachment:ü.png)")
LOST["attachments"] = {"empty one.png": {}, "other.png": {"text/html": "<b>"}}

# what is done to a notebook, the score, and a part of what the feedback page says of it
Case = tuple[Notebook, Callable[[Notebook], Any], float, str]
CASES: dict[str, Case] = {
    "nothing-changed": (RIGHT, lambda notebook: None, FULL, "Every question is right."),
    "check-cell-deleted": (RIGHT, deleted("attention"), FULL, "attention was missing and was put back."),
    "all-check-cells-deleted": (WRONG, deleted(*[mark(c)["grade_id"] for c in WRONG["cells"] if mark(c).get("grade")]),
                                UNSCALED, "and 10 others were missing and were put back."),
    "answer-cell-deleted": (RIGHT, deleted("attention_answer"), 65.0, "attention(): not attempted"),
    "check-cell-doubled": (RIGHT, doubled("attention"), FULL, "attention was there more than once; the last one"),
    "answer-cell-doubled": (RIGHT, doubled("attention_answer"), FULL, "attention_answer was there more than once"),
    "questions-first": (WRONG, questions_first, UNSCALED, "Some cells were moved"),
    "answer-became-text": (RIGHT, retyped("attention_answer", "markdown"), FULL, "had become another type of cell"),
    "check-became-text": (RIGHT, retyped("attention", "markdown"), FULL, "had become another type of cell"),
    "check-became-raw": (RIGHT, retyped("attention", "raw"), FULL, "had become another type of cell"),
    "ids-renamed": (WRONG, renamed_ids, UNSCALED, "marks that this assignment does not know"),
    "ids-swapped": (WRONG, swapped_ids, UNSCALED, "are locked, had been changed"),
    "points-raised": (WRONG, each_mark(points=1000), UNSCALED, "had other marks or points"),
    "no-grade-flags": (WRONG, each_mark(grade=False, locked=False), UNSCALED, "had other marks or points"),
    "solutions-everywhere": (WRONG, each_mark(solution=True), UNSCALED, "had other marks or points"),
    "schema-too-new": (WRONG, each_mark(schema_version=99), UNSCALED, "had other marks or points"),
    "schema-is-text": (WRONG, each_mark(schema_version="three"), UNSCALED, "had other marks or points"),
    "points-are-text": (WRONG, each_mark(points="many"), UNSCALED, "had other marks or points"),
    "marks-lost": (WRONG, every_mark_is({}), UNSCALED, "To mend"),
    "marks-are-a-list": (WRONG, every_mark_is([1, 2]), UNSCALED, "To mend"),
    "marks-are-null": (WRONG, every_mark_is(None), UNSCALED, "To mend"),
    "check-cells-rewritten": (UNTOUCHED, rewritten_checks, 0.0, "are locked, had been changed, and are back"),
    "checker-redefined-last": (WRONG, appended(CHEAT), UNSCALED, "To mend"),
    "checker-redefined-first": (WRONG, put_first(CHEAT), UNSCALED, "To mend"),
    "outputs-forged": (UNTOUCHED, forged_outputs, 0.0, "not attempted"),
    "cell-ids-equal": (RIGHT, same_cell_ids, FULL, "Every question is right."),
    "strange-cells": (RIGHT, strange_cells, FULL, "could not be read"),
    "exits": (RIGHT, appended(code("exit()"), code("import os\nos._exit(0)")), FULL, "ended the whole program"),
    "segfault": (RIGHT, appended(code("import ctypes\nctypes.string_at(0)")), FULL, "ended the whole program"),
    "half-characters": (RIGHT, appended(code("print('\ud800')"), text("\udfff")), FULL, "characters that Python"),
    "script-in-page": (RIGHT, appended(LOUD, text(SHOUT)), FULL, "window.broken"),
    "pictures-that-run": (RIGHT, appended(PICTURE, LOST), FULL, "Every question is right."),
    "kernel-of-another": (RIGHT, lambda nb: nb["metadata"].update(kernelspec={"name": "ir"}), FULL, "Every question"),
    "metadata-is-a-list": (RIGHT, lambda nb: nb.update(metadata=[]), FULL, "Every question is right."),
    "format-from-the-future": (RIGHT, lambda nb: nb.update(nbformat=9, nbformat_minor=9), FULL, "newer notebook"),
    "another-assignment": (
        {"cells": [code("x = 1", nbgrader={"grade": True, "grade_id": "squares", "points": 3, "schema_version": 3})],
         "metadata": {}, "nbformat": 4, "nbformat_minor": 5},
        lambda notebook: None, 0.0, "holds none of the cells that this assignment came with",
    ),
}  # fmt: skip


def hand_in(submitted: Path) -> dict[str, tuple[float, str]]:
    """Write the submissions; what each must get."""
    expected: dict[str, tuple[float, str]] = {}
    for student, (notebook, change, score, said) in CASES.items():
        changed = copy.deepcopy(notebook)
        change(changed)
        file(submitted, student, "attention.ipynb", json.dumps(changed))
        expected[student] = (score, said)
    whole, script = json.dumps(RIGHT), SCRIPT.read_text(encoding="utf-8")
    for student, files, score, said in [
        ("nothing-handed-in", {"notes.txt": "I was ill."}, 0.0, "handed in"),
        ("extra-notebook", {"attention.ipynb": whole, "Untitled.ipynb": "{"}, FULL, "Every question is right."),
        ("renamed", {"Attention-final (2).ipynb": whole}, FULL, "was read, as there is no attention.ipynb"),
        ("script-only", {"attention.py": script}, FULL, "made from attention.py"),
        ("script-beside-stub", {"attention.ipynb": json.dumps(UNTOUCHED), "attention.py": script}, FULL, "made from"),
        ("broken-json", {"attention.ipynb": whole[: len(whole) // 2]}, 0.0, "ends in the middle"),
        ("empty-file", {"attention.ipynb": ""}, 0.0, "is empty"),
        ("no-notebook", {"attention.ipynb": "[1, 2]"}, 0.0, "is not a notebook"),
        ("web-page", {"attention.ipynb": "<html></html>"}, 0.0, "is a web page"),
        ("links-beside", {"attention.ipynb": whole}, FULL, "Every question is right."),
        ("no-time", {"attention.ipynb": whole, "timestamp.txt": "yesterday"}, FULL, "Every question is right."),
    ]:
        for name, content in files.items():
            file(submitted, student, name, content)
        expected[student] = (score, said)
    links(submitted)
    return expected


def links(submitted: Path) -> None:
    """Beside the notebook, links to the answers and to nowhere, and a pipe."""
    folder = submitted / "links-beside" / ASSIGNMENT
    (folder / "key.py").symlink_to(submitted.parent / "solutions/keys" / f"{ASSIGNMENT}.py")
    (folder / "nowhere.txt").symlink_to("not there")
    os.mkfifo(folder / "pipe")


def file(submitted: Path, student: str, name: str, content: str) -> None:
    folder = submitted / student / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content, encoding="utf-8")


class Class:
    """The class after it was graded: what the run said, scores and pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = new_course(folder)
        self.expected = hand_in(folder / "submitted")
        self.ran = command(folder, "nbgrader", "autograde", ASSIGNMENT)
        self.pages = command(folder, "nbgrader", "generate_feedback", ASSIGNMENT)
        with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
            graded = gradebook.assignment_submissions(ASSIGNMENT)
            self.scores = {submission.student.id: submission.score for submission in graded}

    def page(self, student: str) -> str:
        return (self.folder / "feedback" / student / ASSIGNMENT / "attention.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    return Class(tmp_path_factory.mktemp("hostile"))


NAMES = [*CASES, "nothing-handed-in", "extra-notebook", "renamed", "script-only", "script-beside-stub"]
NAMES += ["broken-json", "empty-file", "no-notebook", "web-page", "no-time", "links-beside"]


def test_no_notebook_stops_the_class(graded: Class) -> None:
    assert graded.ran.returncode == 0, graded.ran.stderr[-4000:]
    assert "Traceback" not in graded.ran.stderr
    assert graded.pages.returncode == 0, graded.pages.stderr[-4000:]
    assert sorted(graded.expected) == sorted(NAMES)


@pytest.mark.parametrize("student", NAMES)
def test_a_changed_notebook_gets_what_its_answers_deserve(student: str, graded: Class) -> None:
    score, said = graded.expected[student]
    assert graded.scores[student] == score
    assert said in as_text(graded.page(student))


def test_a_page_runs_nothing_of_a_students(graded: Class) -> None:
    page = graded.page("script-in-page")
    assert "window.broken" in page
    assert not re.search(r"<script>\s*window", page)
    assert not re.search(r"<img[^>]*onerror", page)


def test_pictures_of_a_students_run_and_load_nothing(graded: Class) -> None:
    page = graded.page("pictures-that-run")
    pictures = re.findall(r"<img[^>]*>", page)
    assert len(pictures) >= 5
    assert not [picture for picture in pictures if "onload" in picture or "example.org" in picture]


def test_nothing_that_a_link_points_to_reaches_a_student(graded: Class) -> None:
    for step in ("autograded", "feedback"):
        names = [path.name for path in (graded.folder / step / "links-beside" / ASSIGNMENT).iterdir()]
        assert "attention" in " ".join(names)
        assert not {"key.py", "nowhere.txt", "pipe"} & set(names)


@pytest.mark.long
def test_what_a_killed_run_left_is_graded_again(graded: Class, tmp_path: Path) -> None:
    course = new_course(tmp_path)
    for student, left in (("ada", None), ("ben", '{"cells": [], "metadata": {"unfinished": true}}'), ("eve", "{")):
        shutil.copytree(CLASS / "ada-all-right", course / "submitted" / student / ASSIGNMENT)
        (course / "autograded" / student / ASSIGNMENT).mkdir(parents=True)
        if left is not None:
            (course / "autograded" / student / ASSIGNMENT / "attention.ipynb").write_text(left)
    ran = command(course, "nbgrader", "autograde", ASSIGNMENT)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("100 of 100 points") == 3
    assert command(course, "nbgrader", "autograde", ASSIGNMENT).stderr.count("Skipping existing") == 3


def test_a_lesson_whose_key_is_gone_keeps_its_scores(graded: Class, tmp_path: Path) -> None:
    course = new_course(tmp_path)
    shutil.copy(graded.folder / "gradebook.db", course)
    shutil.copytree(graded.folder / "submitted/exits", course / "submitted/exits")
    shutil.rmtree(course / "solutions")
    ran = command(course, "nbgrader", "autograde", ASSIGNMENT, "--force")
    assert ran.returncode == 1
    assert "asks questions of an answer key, and there is none: put it at" in ran.stderr
    assert "Traceback" not in ran.stderr
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        assert gradebook.find_submission(ASSIGNMENT, "exits").score == FULL


@pytest.mark.long
def test_two_runs_at_once_on_a_fresh_course_both_end_well(tmp_path: Path) -> None:
    course = new_course(tmp_path)
    for student in ("ada", "eve"):
        shutil.copytree(CLASS / "ada-all-right", course / "submitted" / student / ASSIGNMENT)
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda one: command(course, "nbgrader", "autograde", ASSIGNMENT, "--student", one),
                             ("ada", "eve")))  # fmt: skip
    assert [ran.returncode for ran in runs] == [0, 0], runs[0].stderr + runs[1].stderr


def test_a_gradebook_that_is_none_is_a_sentence(tmp_path: Path) -> None:
    course = new_course(tmp_path)
    shutil.copytree(CLASS / "ada-all-right", course / "submitted/ada" / ASSIGNMENT)
    (course / "gradebook.db").write_text("no database")
    ran = command(course, "nbgrader", "autograde", ASSIGNMENT)
    assert ran.returncode == 1
    assert "The gradebook cannot be used" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_script_alone_is_told_from_a_missing_notebook(graded: Class, tmp_path: Path) -> None:
    """With no notebook anywhere in the run, nbgrader says itself that it finds none, and stops."""
    course = new_course(tmp_path)
    shutil.copytree(CLASS / "ben-all-right-script", course / "submitted/ben" / ASSIGNMENT)
    ran = command(course, "nbgrader", "autograde", ASSIGNMENT, "--student", "ben")
    assert ran.returncode == 1
    assert "No notebooks were matched" in ran.stderr
    assert "Traceback" not in ran.stderr
