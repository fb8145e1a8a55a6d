"""The pyproject.toml that students install the grader with: the grader's own, and so written once."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from grader.errors import CourseError

FOR_NOTEBOOKS = ("jupyterlab", "matplotlib")


def student_project(folder: Path) -> dict[str, Any]:
    """What the pyproject.toml in `folder` says, without what only authors and instructors need.

    Raises CourseError if there is none, as where grader was installed without its folder.
    """
    file, constraints = folder / "pyproject.toml", folder / "constraints.txt"
    if not file.is_file():
        raise CourseError(f"--bundle needs grader's own pyproject.toml, and {folder} holds none: work in a clone.")
    whole = tomllib.loads(file.read_text(encoding="utf-8"))
    project = {name: value for name, value in whole["project"].items() if name != "readme"}
    extras = project.pop("optional-dependencies", {}).values()
    pinned = constraints.read_text(encoding="utf-8").splitlines() if constraints.is_file() else []
    project["dependencies"] = _needed([*project["dependencies"], *_for_notebooks(extras)], pinned)
    setuptools = {"setuptools": whole["tool"]["setuptools"]}
    return {"build-system": whole["build-system"], "project": project, "tool": setuptools}


def _for_notebooks(extras: Any) -> list[str]:
    return [one for extra in extras for one in extra if _name(one) in FOR_NOTEBOOKS]


def _needed(dependencies: list[str], pinned: list[str]) -> list[str]:
    # Another torch than the one that was tested may be gigabytes larger, or not fit the rest.
    torch = {line for line in pinned if _name(line) == "torch"}
    return sorted(torch | {one for one in dependencies if not torch or _name(one) != "torch"})


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0].lower()


def as_toml(table: dict[str, Any]) -> str:
    """Texts, flags, lists of texts, and tables of these, as TOML, which the standard library only reads."""
    return _sections(table, ()).lstrip()


def _sections(table: dict[str, Any], above: tuple[str, ...]) -> str:
    inner = {name: value for name, value in table.items() if isinstance(value, dict)}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if name not in inner]
    head = [f"\n[{'.'.join(map(_key, above))}]"] if above and (lines or not inner) else []
    text = "".join(f"{line}\n" for line in [*head, *lines])
    return text + "".join(_sections(value, (*above, name)) for name, value in inner.items())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    """JSON's texts, flags and lists are TOML's too."""
    return json.dumps(value, ensure_ascii=False, indent=4 if isinstance(value, list) and len(value) > 1 else None)
