"""The files of one student's folder, as nbgrader sees them: which file is which notebook, and what lies beside it."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.autograding.repair import Repaired, repaired
from grader.autograding.source import SourceCell
from grader.reading.names import shown
from grader.reading.submission import Unreadable, notebook_document, read_bytes, read_submission

SUFFIX = ".ipynb"


def submitted_notebook(folder: Path, name: str, source: Sequence[SourceCell], known: Collection[str]) -> Repaired:
    """The notebook `name` of a student; whatever stands there, and if nothing does, this is a notebook.

    `known` are the names of all notebooks of the assignment: the only other file is a renamed one.
    """
    path, notes = _file(folder, name, known)
    made = read_notebook(path, source) if path is not None else repaired(f"{name}{SUFFIX}", None, source)
    return replace(made, notes=(*notes, *made.notes))


def read_notebook(path: Path, source: Sequence[SourceCell]) -> Repaired:
    """A file that was handed in, as a notebook that can be graded: a script's cells stand there as code cells."""
    name = shown(path.name)
    try:
        if path.suffix.lower() != SUFFIX:
            return replace(repaired(name, _script(path), source), notes=(f"This page was made from {name}.",))
        document, notes = notebook_document(name, read_bytes(path))
        made = repaired(name, document, source)
        return replace(made, notes=(*notes, *made.notes))
    except Unreadable as problem:
        return replace(repaired(name, None, source), notes=(str(problem),))


def _script(path: Path) -> dict[str, Any]:
    cells = read_submission(path, "").cells
    return {"nbformat": 4, "cells": [{"cell_type": "code", "source": cell.source} for cell in cells]}


def _file(folder: Path, name: str, known: Collection[str]) -> tuple[Path | None, list[str]]:
    path = folder / f"{name}{SUFFIX}"
    if os.path.lexists(path):
        return path, []
    absent = [other for other in known if not os.path.lexists(folder / f"{other}{SUFFIX}")]
    unknown = [path for path in _notebooks(folder) if path.stem not in known]
    if len(unknown) == 1 and absent == [name]:
        return unknown[0], [f"{shown(unknown[0].name)} was read, as there is no {name}{SUFFIX}."]
    found = f" ({len(unknown)} other notebooks are there; none has this name)" if unknown else ""
    return None, [f"No {name}{SUFFIX} was handed in{found}."]


def _notebooks(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [folder / name for name in names if name.lower().endswith(SUFFIX) and not name.startswith(".")]


def files_beside(
    folder: Path, source: Path | None, excluded: Collection[str], ignored: Sequence[str]
) -> dict[str, Path]:
    """What stands in the working folder, by its place there: the student's files, over them the source's but for its
    notebooks, which hold the solutions. Only ordinary files: a link could lead to the answers.
    """
    found = dict(_files(folder, ignored))
    if source is not None:
        found |= {
            name: path for name, path in _files(source, ignored) if name not in excluded and not name.endswith(SUFFIX)
        }
    return found


def _files(top: Path, ignored: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for place, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not _is_ignored(name, ignored))
        for name in sorted(names):
            path = Path(place, name)
            if not _is_ignored(name, ignored) and stat.S_ISREG(path.lstat().st_mode):
                yield path.relative_to(top).as_posix(), path


def _is_ignored(name: str, ignored: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in ignored)
