"""The code cells of a notebook, run in the sandbox as a Jupyter kernel would run them.

A cell that hangs or ends its process is lost, and says so in an error of its own. A fresh child then runs the
cells above it once more, without those that were lost, and goes on below; what the cells put out the first time
stays. An error that is not told would let a test cell score in full, so no cell is left without one.
"""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from grader.reading.submission import json_values
from grader.sandbox.cell_outputs import CellOutputs, Room
from grader.sandbox.child import ALLOWANCE, BROKEN, Child, SlotGone
from grader.sandbox.limits import WorkerBroken
from grader.sandbox.sandbox import Sandbox
from grader.worker.wire import Closed, TooSlow, framed

MOST_CHILDREN = 13  # for one notebook: the first, and twelve after cells that were lost
OPEN_SECONDS = 60.0  # until a shell is there, or a piece of a file; no student's code has run
PIECE = 4 * 2**20  # bytes of a file sent at once
MOST_VALUES = 500_000  # in one output
FRAME = 16 * 2**20  # bytes of what a worker says at once
ENAMES = {"timed_out": "CellTimeoutError", "died": "ProcessEnded", "not_run": "CellNotRun"}


@dataclass(frozen=True)
class CellRun:
    """What one cell put out, as nbformat 4 has it. `lost` follows "The cell" when it did not run to its end."""

    outputs: list[dict[str, Any]]
    execution_count: int | None
    lost: str = ""


def run_notebook(sandbox: Sandbox, cells: Sequence[str], files: Mapping[str, Path], seconds: float) -> list[CellRun]:
    """Run the code `cells` in order, each for at most `seconds`; one result for each, whatever they do.

    `files` are copied into the folder where the cells run: by their path there, relative and with slashes.
    What is no ordinary file, or cannot be read, is left out. Raises WorkerBroken when no worker can be had.
    """
    try:
        return _run_all(_Run(sandbox, cells, files, seconds))
    except SlotGone:
        return _run_all(_Run(sandbox, cells, files, seconds, blamed=True))


def _run_all(run: _Run) -> list[CellRun]:
    try:
        for place in range(len(run.cells)):
            run.cell(place)
    finally:
        run.end_child()
    return run.results()


@dataclass
class _Run:
    sandbox: Sandbox
    cells: Sequence[str]
    files: Mapping[str, Path]
    seconds: float
    blamed: bool = False
    child: Child | None = None
    children: int = 0
    spent: float = 0.0  # seconds that cells took
    left_out: set[int] = field(default_factory=set)
    room: Room = field(default_factory=Room)
    outputs: list[CellOutputs] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    counts: list[int | None] = field(default_factory=list)
    count: int = 0

    def cell(self, place: int) -> None:
        """Run one cell and keep what came of it."""
        lost = ""
        outputs = CellOutputs(self.room, self.count + 1)
        counts = None
        if self.cells[place].strip():
            kind, lost = self._ready(place)
            if not lost:
                self.count += 1
                counts = self.count
                kind, lost = self._exchange(place, self.count, outputs)
            if lost:
                outputs.error(**_error(ENAMES[kind], lost))
        self.outputs.append(outputs)
        self.lost.append(lost)
        self.counts.append(counts)

    def results(self) -> list[CellRun]:
        """At the end only: a cell can update what one above it put out."""
        rows = zip(self.outputs, self.counts, self.lost, strict=True)
        return [CellRun(outputs.plain(), count, lost) for outputs, count, lost in rows]

    def end_child(self) -> None:
        """End the child and all that it started."""
        if self.child is not None:
            child, self.child = self.child, None
            child.end()

    def _ready(self, place: int) -> tuple[str, str]:
        """Have a child that ran the cells above; else what became of this cell, and why."""
        while self.child is None and self.children < MOST_CHILDREN and self._left() > 0:
            self.children += 1
            self.child = Child.forked(self.sandbox, self.cells, self._left())
            self._open(self.child)
            self._replay(place)
        if self._left() <= 0:
            total = self.seconds * ALLOWANCE
            return "not_run", f"was not run, since the cells above and it had {total:g} s together"
        if self.child is None:
            return "not_run", f"was not run, since cells were stopped or ended the program {self.children} times"
        return "", ""

    def _left(self) -> float:
        return self.seconds * ALLOWANCE - self.spent

    def _open(self, child: Child) -> None:
        """A shell, and the files. Only our own code runs, so what goes wrong is no student's fault."""
        try:
            _told(child, {"op": "notebook"})
            for message, piece in _pieces(self.files):
                _told(child, message, piece)
        except (Closed, TooSlow) as error:
            self.end_child()
            raise WorkerBroken(f"the worker cannot run notebooks ({error})") from error

    def _replay(self, place: int) -> None:
        """Run the cells above once more; one that is lost now had its outputs before, and is left out from now on."""
        for above, count in enumerate(self.counts[:place]):
            if self.child is not None and count is not None and above not in self.left_out:
                self._exchange(above, count, None)

    def _exchange(self, place: int, count: int, outputs: CellOutputs | None) -> tuple[str, str]:
        """Run one cell in the child; how it was lost and a sentence's end that says so, or two empty texts."""
        assert self.child is not None
        child, started, left = self.child, time.monotonic(), self._left()
        deadline = started + min(self.seconds, left)
        try:
            child.allow(deadline - started)
            self._follow(child, {"op": "run", "source": self.cells[place], "count": count}, deadline, outputs)
            return "", ""
        except (TooSlow, *BROKEN) as error:
            late = f"was still running after {self.seconds:g} s and was stopped"
            if left < self.seconds:
                late = f"was stopped, since the cells had taken {self.seconds * ALLOWANCE:g} s together"
            self.child = None
            lost = child.lose(error, deadline - started, late, self.blamed)
        finally:
            self.spent += time.monotonic() - started
        self.left_out.add(place)
        return lost.how, lost.text

    def _follow(self, child: Child, message: dict[str, Any], deadline: float, outputs: CellOutputs | None) -> None:
        child.say(framed(message), deadline=deadline)
        while True:
            reply, blob = child.hear(deadline, FRAME)
            if reply["op"] == "ran":
                break
            if reply["op"] != "output":
                raise ValueError("no answer of ours")
            if outputs is not None:
                outputs.apply(_event(blob))
            if time.monotonic() > deadline:
                raise TooSlow
        if outputs is not None:
            outputs.reported(reply["error"])


def _event(blob: bytes) -> Any:
    """What a cell put out. Raises ValueError, also for what would fill the memory: a value takes many bytes."""
    text = blob.decode()
    if json_values(text, MOST_VALUES) > MOST_VALUES:
        raise ValueError("an output of too many values")
    return json.loads(text)


def _error(ename: str, lost: str) -> dict[str, Any]:
    evalue = f"This cell {lost}."
    return {"ename": ename, "evalue": evalue, "traceback": [f"\x1b[0;31m{ename}\x1b[0m: {evalue}"]}


def _told(child: Child, message: dict[str, Any], blob: bytes = b"") -> None:
    """Send a frame, and wait until the child has done what it says."""
    deadline = time.monotonic() + OPEN_SECONDS
    child.say(framed(message, blob), deadline=deadline)
    child.hear(deadline)


def _pieces(files: Mapping[str, Path]) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Each file piece by piece. A link is not followed: a student's could lead anywhere."""
    for name, path in files.items():
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts:
            continue
        try:
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                yield from _pieces_of(
                    path, {"op": "file", "path": str(place), "mode": 0o755 if mode & 0o100 else 0o644}
                )
        except OSError:
            continue


def _pieces_of(path: Path, message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bytes]]:
    with path.open("rb") as file:
        piece = file.read(PIECE)
        yield message | {"first": True}, piece
        while piece := file.read(PIECE):
            yield message | {"first": False}, piece
