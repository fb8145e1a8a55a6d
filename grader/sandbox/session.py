"""One submission in the sandbox: load it once, ask what its names hold, call its functions.

A child that hangs or dies costs the question it was busy with (or the cell it was running): a fresh
child loads the submission again, without that cell, and goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import torch

from grader.observing import returned
from grader.observing.cells import LONGEST_MESSAGE
from grader.observing.outcome import Outcome, from_wire
from grader.observing.returned import Returned, whole
from grader.reading.submission import Cell, Submission
from grader.sandbox.child import ALLOWANCE, BROKEN, Child, Lost
from grader.sandbox.sandbox import Sandbox
from grader.worker.load import CellError
from grader.worker.pack import pack, unpack
from grader.worker.wire import TooSlow

MOST_LOADS = 12  # of one submission, before what still hangs or dies is given up
MOST_TOLD = 20  # errors, and notes, of one loading


@dataclass(frozen=True)
class Value:
    """What a name holds after the student's cells ran."""

    tree: Returned
    callable: bool


@dataclass
class Session:
    """A submission at work in one sandbox. Use as a context: leaving it ends the child. Anything raises SlotGone,
    unless the submission is `blamed` for a slot that is gone.

    `errors` and `notes` are what running the cells met; `lost` are cells that hang or end the process.
    """

    sandbox: Sandbox
    submission: Submission
    names: Sequence[str]
    seconds: float
    blamed: bool = False
    errors: list[CellError] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    lost: dict[int, Lost] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    _child: Child | None = None
    _loads: int = 0
    _loading: float = 0.0  # seconds, of all loads
    _told: bool = False
    _spent: float = 0.0
    _question_lost: Outcome | None = None

    def __enter__(self) -> Self:
        self._ensure_loaded()
        return self

    def __exit__(self, *_: object) -> None:
        self._end_child()

    def begin_question(self) -> None:
        """A new question: a fresh allowance of student time."""
        self._spent = 0.0
        self._question_lost = None
        if self._child is not None and not self._child.allow(self.seconds, alone=True):
            self._end_child()

    def call(
        self,
        name: str,
        arguments: Sequence[object],
        *,
        gradient: Mapping[int, torch.Tensor] | None = None,
        after: bool = False,
        seed: int = 0,
        forbids: Sequence[str] = (),
    ) -> Outcome:
        """Call the student's `name`. `gradient` maps places in the returned tuple (-1: the value itself)
        to the tensors that weigh them in the scalar whose gradient is taken.
        """
        if self._question_lost is not None:
            return self._question_lost
        if not self._ensure_loaded():
            return Outcome("died", note=self.given_up)
        message, blob = _request(name, arguments, gradient or {}, after, seed)
        message["forbids"] = list(forbids)
        started = time.monotonic()
        outcome = self._exchange(message, blob, started + self.seconds - self._spent)
        self._spent += time.monotonic() - started
        if outcome.ended in ("timed_out", "died"):
            self._question_lost = outcome
        return outcome

    @property
    def given_up(self) -> str:
        """Why nothing of the submission can be tried any more, after what it is about; "" as long as it can."""
        if self._child is not None or (self._loading < self.seconds * ALLOWANCE and self._loads < MOST_LOADS):
            return ""
        if self._loads < MOST_LOADS:
            return f"was not tried, since running your cells had taken {self._loading:.0f} s in all"
        return f"was not tried, since your code had hung or ended the program {MOST_LOADS} times"

    def _exchange(self, message: dict[str, Any], blob: bytes, deadline: float) -> Outcome:
        assert self._child is not None
        try:
            self._child.say(message, blob, deadline=deadline)
            reply, answer = self._child.hear(deadline)
            return self._placed(from_wire(reply, unpack(answer)))
        except (TooSlow, *BROKEN) as error:
            lost = self._lose(error, self.seconds, f"was still running after {self.seconds:g} s and was stopped")
            return Outcome(lost.how, note=lost.text)

    def _placed(self, outcome: Outcome) -> Outcome:
        """A crash with its line as the student finds it: lines of a notebook count within a cell."""
        raised = outcome.raised
        if raised is None or raised.line is None:
            return outcome
        cell = f"cell {raised.cell}, " if self.submission.kind == "notebook" else ""
        return replace(outcome, raised=replace(raised, place=f"{cell}line {raised.line}"))

    def _ensure_loaded(self) -> bool:
        """A child that holds the loaded submission; False when none can be had."""
        while self._child is None:
            left = self.seconds * ALLOWANCE - self._loading
            if self._loads >= MOST_LOADS or left <= 0:
                return False
            self._loads += 1
            sources = [cell.source for cell in self.submission.cells]
            self._child = Child.forked(self.sandbox, sources, left)
            started = time.monotonic()
            loaded = self._load(self._child, started + left)
            self._loading += time.monotonic() - started
            if loaded and not self._child.allow(self.seconds, alone=True):
                self._end_child()
        return True

    def _load(self, child: Child, last: float) -> bool:
        """Run the cells until `last` at most; a cell that hangs or kills is noted, to be left out the next time."""
        cells = [cell for cell in self.submission.cells if cell.number not in self.lost]
        plain = [{"number": cell.number, "source": cell.source, "line": cell.line} for cell in cells]
        running = 0
        try:
            child.say({"op": "load", "kind": self.submission.kind, "cells": plain}, deadline=last)
            for place in range(len(cells) + 1):
                reply, _ = child.hear(min(time.monotonic() + self.seconds, last))
                if reply["op"] != "cell":
                    break
                running = place
            if not self._told:  # a later load could tell, by what it raises, the inputs of calls before it
                self.errors = [_cell_error(error) for error in reply["errors"][:MOST_TOLD]]
                self.notes = [(int(cell), whole(str(note))) for cell, note in reply["notes"][:MOST_TOLD]]
                self._told = True
            self._read_values(child)
            return True
        except (TooSlow, *BROKEN) as error:
            self._leave_out(error, cells[running:], time.monotonic() > last)
        return False

    def _leave_out(self, error: BaseException, unfinished: Sequence[Cell], all_spent: bool) -> None:
        """Leave out the first, or all where the cells together took too long."""
        seconds = self.seconds * ALLOWANCE
        late = f"was still running after {self.seconds:g} s and was stopped"
        if all_spent:
            late = f"was not reached within {seconds:g} s and was left out"
        lost = self._lose(error, seconds, late)
        all_spent = all_spent and lost.text == late
        self.lost |= {cell.number: lost for cell in (unfinished if all_spent else unfinished[:1])}

    def _read_values(self, child: Child) -> None:
        deadline = time.monotonic() + self.seconds
        child.say({"op": "values", "names": list(self.names)}, deadline=deadline)
        reply, blob = child.hear(deadline)
        tensors = unpack(blob)
        self.values = {
            name: Value(returned.from_wire(tree, tensors), bool(tree.get("callable")))
            for name, tree in reply["values"].items()
            if name in self.names
        }

    def _lose(self, error: BaseException, seconds: float, late: str) -> Lost:
        assert self._child is not None
        child, self._child = self._child, None
        return child.lose(error, seconds, late, self.blamed)

    def _end_child(self) -> None:
        if self._child is not None:
            child, self._child = self._child, None
            child.end()


def _cell_error(plain: dict[str, Any]) -> CellError:
    """Raises one of BROKEN on anything but an error that `load` made."""
    line = plain["line"]
    kind, message = whole(str(plain["type"])), whole(str(plain["message"]), LONGEST_MESSAGE)
    return CellError(int(plain["cell"]), line if type(line) is int else None, kind, message, whole(str(plain["text"])))


def _request(
    name: str, arguments: Sequence[object], gradient: Mapping[int, torch.Tensor], after: bool, seed: int
) -> tuple[dict[str, Any], bytes]:
    tensors: dict[str, torch.Tensor] = {}
    plain: list[dict[str, object]] = []
    for place, argument in enumerate(arguments):
        if isinstance(argument, torch.Tensor):
            tensors[f"a{place}"] = argument.detach().contiguous().clone()
            plain.append({"tensor": f"a{place}"})
        else:
            plain.append({"value": argument})
    tensors |= {f"seed{place}": seed_tensor for place, seed_tensor in gradient.items()}
    seeds = {str(place): f"seed{place}" for place in gradient}
    message = {"op": "call", "name": name, "arguments": plain, "gradient": seeds, "after": after, "seed": seed}
    return message, pack(tensors)
