"""Time grading side by side in one run: stock nbgrader, nbgrader with our step, and `grader grade`.

    make bench                 20 notebooks, about three minutes
    python tests/benchmarks/bench.py --students 5

Each way grades the same notebooks of lesson 10 with real commands, from a fresh gradebook that knows the
assignment already. Stock nbgrader has hidden asserts in its gradebook, as an author would write them for it: without
any, it would have nothing to grade. Times are wall time of the whole command, its start included, divided by
the notebooks.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nbgrader.api import Gradebook
from stock import write_hidden_asserts

ROOT = Path(__file__).resolve().parent.parent.parent
ASSIGNMENT = "l10_attention"
# Right, wrong and unfinished notebooks that end by themselves: an endless loop would time waiting.
STUDENTS = ["ada-all-right", "carla-unscaled", "elif-dot-t", "gwen-in-place", "kaya-misspelt-name", "sam-half-finished"]
STOCK = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
"""


def main() -> None:
    """Print seconds for each notebook, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=20, help="how many notebooks (default: 20)")
    students = parser.parse_args().students
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ours = _course(Path(folder, "ours"), students)
        stock = _stock(ours, Path(folder, "stock"))
        python = sys.version.split()[0]
        print(f"{students} notebooks of {ASSIGNMENT}, {os.cpu_count()} cores, Python {python}", flush=True)
        autograde = ["nbgrader", "autograde", ASSIGNMENT]
        slow = _timed("stock nbgrader autograde", stock, autograde, students)
        quick = _timed("nbgrader autograde with grader", ours, autograde, students)
        for course in (stock, ours):  # a way that does not grade would be the fastest of all
            score = _score(course, "student-000")
            if score != 100:
                sys.exit(f"The right notebook got {score:g} of 100 in {course.name}, so nothing was measured.")
        shutil.rmtree(ours / "graded")
        quickest = _timed("grader grade", ours, ["grader", "grade", ASSIGNMENT, "--quiet"], students)
        print(f"stock ÷ nbgrader autograde with grader: {slow / quick:.1f}")
        print(f"stock ÷ grader grade:                   {slow / quickest:.1f}")


def _course(folder: Path, students: int) -> Path:
    """A course with `students` submissions whose gradebook knows the assignment."""
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns(".*", "__pycache__"))
    shutil.copytree(ROOT / "exercises", folder / "exercises")
    for name in ("course_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, folder)
    for number in range(students):
        _hand_in(folder / "submitted" / f"student-{number:03}" / ASSIGNMENT, STUDENTS[number % len(STUDENTS)], number)
    _run(folder, ["nbgrader", "generate_assignment", ASSIGNMENT, "--force"])
    return folder


def _hand_in(to: Path, student: str, number: int) -> None:
    """A notebook of the demo's class, with a line that no other one has: nothing may be graded only once."""
    notebook = json.loads((ROOT / "tests/submissions" / ASSIGNMENT / student / "attention.ipynb").read_text())
    mine = {"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].append({**mine, "source": f"print('student {number}')"})
    to.mkdir(parents=True)
    (to / "attention.ipynb").write_text(json.dumps(notebook))


def _stock(ours: Path, folder: Path) -> Path:
    """The same course as stock nbgrader grades it."""
    shutil.copytree(ours, folder)
    (folder / "nbgrader_config.py").write_text(STOCK)
    write_hidden_asserts(folder / "solutions", ASSIGNMENT)
    (folder / "gradebook.db").unlink()
    _run(folder, ["nbgrader", "generate_assignment", ASSIGNMENT, "--force"])
    return folder


def _score(course: Path, student: str) -> float:
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        return float(gradebook.find_submission(ASSIGNMENT, student).score)


def _timed(what: str, course: Path, command: list[str], students: int) -> float:
    started = time.perf_counter()
    _run(course, command)
    each = (time.perf_counter() - started) / students
    print(f"{what:32} {each:7.3f} s a notebook", flush=True)
    return each


def _run(course: Path, command: list[str]) -> None:
    beside = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ.get('PATH', '')}"}
    ran = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-4000:]}")


if __name__ == "__main__":
    main()
