"""The corpus of attacks as plain data, and the table of them for the docs.

    .venv/bin/python -m tests.attacks.corpus > docs/attacks.md

An attack is a snippet in scripts/, whose first lines say what it is:

    # Tries: to have every comparison say yes, by patching torch.allclose and torch.equal.
    # Stopped by: comparing in the grader's own process, which no student code enters.
    # Score: HALF          (or a number; a reason may follow it in brackets)
    # Says: a part of what the result must say | another part    (may be left out, where no cell raises or is lost)
    # Process: yes         (or: no, with the reason: only bubblewrap stops it)
    # Place: after         (the honest half; or before; or alone: there is no honest half; may be left out)
    # Form: script         (or notebook; may be left out)
    # Seconds: 1           (that a question may take; may be left out, but for what hangs)
    # Exit: 0              (1: nothing of it can be read as a submission; may be left out)

A line "#   and so on" goes on with the one above. What is no script is made by a function in made.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
HALF = 59  # the score of the honest half alone, which a test proves
HALF_SAYS = "You multiply by the table as it stands"  # of project(), which raises for most shapes
FILE = "attention.py"
SECONDS = 10.0  # per question: more than honest work takes beside an attack on a busy machine

_FIELD = re.compile(r"# (Tries|Stopped by|Score|Says|Process|Place|Form|Seconds|Exit): (.*)")
_SCORE = re.compile(r"(HALF|[0-9.]+)(?: \(.+\))?")
_PLACES, _FORMS = ("before", "after", "alone"), ("script", "notebook")
_CELL = re.compile(r"^# %%.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """One way to do harm. `hand_in` writes it into the student's folder, which is there and empty.

    `says` are parts of what the result must say, with " | " between them. A cell that raises or is lost is left out,
    and an attack with it, so that each message must be among them. `process` is empty where a plain process stops it,
    too; else it says why only bubblewrap does. `exit` is the exit code of a run over a class with it.
    """

    name: str
    tries: str
    stopped_by: str
    hand_in: Callable[[Path], None]
    score: float = HALF
    says: str = ""
    process: str = ""
    seconds: float = SECONDS
    exit: int = 0

    @property
    def parts(self) -> list[str]:
        """What `says` holds."""
        return self.says.split(" | ") if self.says else []


def corpus() -> list[Attack]:
    """Every attack, by name."""
    from tests.attacks.made import MADE

    scripts = [read_script(path) for path in sorted((HERE / "scripts").glob("*.py"))]
    return sorted([*scripts, *MADE], key=lambda attack: attack.name)


def honest_half() -> str:
    """The script that stands beside each snippet."""
    return (HERE / "honest_half.py").read_text(encoding="utf-8")


def read_script(path: Path) -> Attack:
    """The attack of one snippet. Raises ValueError for a header that is not as above."""
    snippet = path.read_text(encoding="utf-8")
    said = _header(snippet)
    score, place, form = _SCORE.fullmatch(said["Score"]), said.get("Place", "after"), said.get("Form", "script")
    if score is None or place not in _PLACES or form not in _FORMS:
        raise ValueError(f"{path.name}: a score, place or form that there is not")
    return Attack(
        path.stem.replace("_", "-"),
        said["Tries"],
        said["Stopped by"],
        partial(_hand_in, snippet, place, form),
        HALF if score[1] == "HALF" else float(score[1]),
        said.get("Says", ""),
        _only_bubblewrap(said["Process"]),
        float(said.get("Seconds", SECONDS)),
        int(said.get("Exit", "0")),
    )


def _header(snippet: str) -> dict[str, str]:
    said: dict[str, str] = {}
    field = ""
    for line in snippet.splitlines():
        found = _FIELD.fullmatch(line)
        if found:
            field = found[1]
            said[field] = found[2].strip()
        elif field and line.startswith("#   "):
            said[field] += f" {line[1:].strip()}"
        else:
            break
    return said


def _only_bubblewrap(said: str) -> str:
    if said == "yes":
        return ""
    answer, _, why = said.partition(", ")
    if answer != "no" or not why:
        raise ValueError(f"Process is 'yes', or 'no, ' and the reason; not {said!r}")
    return why


def _hand_in(snippet: str, place: str, form: str, folder: Path) -> None:
    parts = {
        "before": [snippet, honest_half()],
        "after": [honest_half(), snippet],
        "alone": [snippet],
    }[place]
    script = "\n# %%\n".join(parts)
    if form == "script":
        (folder / FILE).write_text(script, encoding="utf-8")
    else:
        (folder / FILE).with_suffix(".ipynb").write_text(notebook(_CELL.split(script)), encoding="utf-8")


def notebook(sources: list[str]) -> str:
    """A notebook of these code cells."""
    cells = [
        {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


INTRODUCTION = """\
# Attacks

Each line is a submission in `tests/attacks/` that tries one thing: to raise its score, to learn an answer or another's
work, to disturb another submission, to crash or hang the grader, or to survive it. Most of them hold the honest half of
lesson 10 besides ({half} of 100 points). `tests/test_attacks.py` grades each between two honest submissions in one
sandbox: its score must be what its honest answers deserve, the other two must get exactly what they get alone, and no
process, file, descriptor or thread may be left. A cell that raises or is stopped is left out, so that whatever is said
of lost cells and functions must be what the attack announces. `tests/test_attacks_in_a_class.py` has all of them in one
run of `grader grade --isolation strict`, each between two honest students.
"Process" says whether a plain process (`--isolation process`, all that macOS and Windows have) stops it as well as
bubblewrap does. This page is made by `python -m tests.attacks.corpus`.

| attack | tries | what stops it | score | process | test |
|---|---|---|---|---|---|
"""


def page() -> str:
    """docs/attacks.md."""
    return INTRODUCTION.format(half=HALF) + "".join(_row(attack) for attack in corpus())


def _row(attack: Attack) -> str:
    process = f"no: {attack.process.rstrip('.')}" if attack.process else "yes"
    test = f'`test_attacks.py -m "" -k {attack.name}`'
    cells = (attack.name, attack.tries, attack.stopped_by, f"{attack.score:g}", process, test)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


if __name__ == "__main__":
    print(page(), end="")
