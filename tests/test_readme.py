"""Every command of the READMEs runs, and prints what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.variants import variants

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "exercises/l10_attention/README.md", "docs/nbgrader.md")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN_HERE = {
    "make test": "this is it",
    "apt install bubblewrap": "needs root; .ci/run does it",
    ".venv/bin/jupyter lab exercises/l10_attention/attention.ipynb": "opens a browser",
    ".venv/bin/grader check --watch exercises/l10_attention": "goes on until Ctrl-C; tests/test_watch.py runs it",
    ".venv/bin/jupyter lab": "opens a browser; tests/test_formgrader.py does it",
}
# seconds, the machine's cores, and whether it has bubblewrap
VARIES = re.compile(r"\d+(\.\d+)?(?= s\b)|\d\.\d+(?=,?$)|\d+ jobs?\b|\b(bubblewrap|process)\b")


@dataclass(frozen=True)
class Shown:
    page: str
    command: str
    output: str


def shown(page: str) -> Iterator[Shown]:
    """The commands of a page, each with the block of output that follows it, if one does."""
    blocks = FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
    for place, (kind, text) in enumerate(blocks):
        following = blocks[place + 1] if place + 1 < len(blocks) else ("", "")
        output = following[1] if following[0] in ("text", "json") else ""
        if kind in ("console", "bash", "sh"):
            commands = [line.removeprefix("$ ").strip() for line in text.splitlines() if line.strip()]
            for command in commands:
                yield Shown(page, command, output if command == commands[-1] else "")


COMMANDS = [one for page in PAGES for one in shown(page)]


def clone(folder: Path) -> Path:
    """The tracked files in a folder of their own, with the environment that these tests run in."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in tracked.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    venv = folder / ".venv"
    (venv / "bin").mkdir(parents=True)
    for program in Path(sys.prefix, "bin").iterdir():
        (venv / "bin" / program.name).symlink_to(program)
    (venv / "lib").symlink_to(Path(sys.prefix, "lib"))
    shutil.copy2(Path(sys.prefix, "pyvenv.cfg"), venv)
    (venv / ".ready").touch()
    return folder


@pytest.mark.parametrize("page", variants(PAGES, short=PAGES[:2]))
def test_the_commands_of_a_page_run_from_top_to_bottom_and_print_what_is_shown(page: str, tmp_path: Path) -> None:
    folder = clone(tmp_path)
    wrong = [trouble for one in COMMANDS if one.page == page for trouble in troubles(one, folder)]
    assert not wrong, "\n\n".join(wrong)


def troubles(one: Shown, folder: Path) -> Iterator[str]:
    """Run a command of the page; what is not as the page says."""
    if one.command in NOT_RUN_HERE:
        return
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
    for name in [name for name in environment if name.startswith("PYTEST")]:
        del environment[name]
    ran = subprocess.run(
        one.command, shell=True, cwd=folder, capture_output=True, text=True, env=environment, timeout=300
    )
    said = ran.stdout + ran.stderr
    # a student's own checks end with 1 while something is left to do
    fine = (0, 1) if "grader check" in one.command or "pytest" in one.command else (0,)
    if ran.returncode not in fine or "Traceback" in said:
        yield f"`{one.command}` ended with {ran.returncode}:\n{said}"
    printed = {plain(line) for line in said.splitlines()}
    missing = [line for line in one.output.splitlines() if plain(line) not in printed and line.strip() != "…"]
    if missing:
        yield "\n".join([f"the page shows lines that `{one.command}` does not print:", *missing, said])


def plain(line: str) -> str:
    """A line without the spaces at its end and without what differs from run to run."""
    return VARIES.sub("#", re.sub(r"\s+", " ", line).strip())


def test_the_pages_show_commands() -> None:
    assert len(COMMANDS) >= 8
    assert {"make demo", "make test"} <= {one.command for one in COMMANDS}


def test_system_packages_of_the_readme_are_installed_by_ci() -> None:
    script = (ROOT / ".ci/run").read_text()
    assert "bubblewrap" in script
    assert "make test" in script
    assert "make demo" in script


@pytest.mark.parametrize("page", PAGES)
def test_pictures_and_files_that_a_page_links_to_are_there(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
