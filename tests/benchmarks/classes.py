"""Classes of any size: cheap submissions of lesson 10, each another one, right, wrong, unfinished and broken."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
ASSIGNMENT = "l10_attention"
HEAD = "import math\nimport torch\n\n"
FUNCTIONS = {
    "mix_rows(rows, proportions=None)": (
        "return rows.mean(0) if proportions is None else proportions @ rows",
        "return rows.mean(0)",
        "return rows.sum(0) if proportions is None else proportions @ rows",
    ),
    "project(x, table)": ("return x @ table.T", "return x @ table", "return x @ table.reshape(table.T.shape)"),
    "match_scores(q, k)": (
        "return q @ k.T / math.sqrt(q.shape[-1])",
        "return q @ k.T",
        "return k @ q.T / math.sqrt(q.shape[-1])",
    ),
    "reading_weights(scores)": ("return scores.softmax(-1)", "return scores.softmax(0)", "return scores.exp()"),
}
STUB = "raise NotImplementedError  # write your code here, in place of this line"
ANSWERS = {
    "UNIFORM_AVERAGE": ("[1.6667, 2.6667]", "[1.67, 2.67]", "'one half'"),
    "FIXED_MIX": ("[1.6, 3.6]", "[3.6, 1.6]", "[float('nan'), 0]"),
    "SCORES_SHAPE": ("(4, 7)", "(7, 4)", "4"),
    "TEN_POSITIONS_WIDTH": ("2", "10", "True"),
}
BROKEN = (
    "import os\nos._exit(3)\n",
    "def project(x, table:\n",
    "raise ValueError('half of a thought')\n",
    "print('lots\\n' * 10_000)\n",
)


def hand_in(folder: Path, students: int) -> list[str]:
    """Write `students` scripts, `folder`/STUDENT/attention.py; the students, in order."""
    names = [f"s{number:05}" for number in range(students)]
    for number, student in enumerate(names):
        own = folder / student
        own.mkdir(parents=True)
        (own / "attention.py").write_text(script(number), encoding="utf-8")
    return names


def script(number: int) -> str:
    """The submission of student `number`: up to two functions, two answers, and for one in twenty something broken."""
    draw = random.Random(number)
    parts = [f"# student {number}\n", HEAD]
    for head, bodies in draw.sample(sorted(FUNCTIONS.items()), (0, 1, 1, 0, 1, 1, 0, 1, 1, 2)[number % 10]):
        parts.append(f"\ndef {head}:\n    {draw.choice((*bodies, bodies[0], STUB))}\n")
    for name, values in draw.sample(sorted(ANSWERS.items()), 2):
        parts.append(f"\n{name} = {draw.choice((*values, 'None'))}\n")
    if number % 20 == 7:
        parts.append(BROKEN[number // 20 % len(BROKEN)])
    return "".join(parts)


def course(folder: Path, students: int) -> list[str]:
    """A course with its answer key, and in `folder`/class its students' submissions; the students, in order."""
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns(".*", "__pycache__"))
    return hand_in(folder / "class", students)


def without_seconds(text: str) -> dict[str, Any]:
    """A stored result without the times, which no two runs share. Raises ValueError for half a file."""
    result: dict[str, Any] = json.loads(text)
    for question in result["questions"]:
        question.pop("seconds")
    return result
