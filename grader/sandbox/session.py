"""One submission in the sandbox: load it once, ask what its names hold, call its functions.

A child that hangs or dies costs the question it was busy with (or the cell it was running): a fresh
child loads the submission again, without that cell, and goes on.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from grader.observing.outcome import Outcome, from_wire
from grader.reading.submission import Cell, Submission
from grader.sandbox.child import ALLOWANCE, BROKEN, Child, Lost
from grader.sandbox.loaded import Value, read_errors, read_notes, read_values
from grader.sandbox.request import Request
from grader.sandbox.sandbox import Sandbox
from grader.worker.load import CellError
from grader.worker.pack import unpack
from grader.worker.wire import Closed, TooSlow, framed

MOST_LOADS = 12  # of one submission, before what still hangs or dies is given up
AHEAD = 4  # calls that are sent before the answers to those before them were heard, each of
SOON = 1.0  # seconds that loading may have taken for it to be done again where that explains something
HELD = 2**14  # bytes at most, which a socket holds while nobody reads


@dataclass
class Session:
    """A submission at work in one sandbox. Use as a context: leaving it ends the child. Anything raises SlotGone,
    unless the submission is `blamed` for a slot that is gone. `meanwhile` is what there is to do while the cells run.

    `errors` and `notes` are what running the cells met; `lost` are cells that hang or end the process.
    """

    sandbox: Sandbox
    submission: Submission
    names: Sequence[str]
    seconds: float
    blamed: bool = False
    meanwhile: Callable[[], None] = lambda: None
    errors: list[CellError] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    lost: dict[int, Lost] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    _child: Child | None = None
    _loads: int = 0
    _loading: float = 0.0  # seconds, of all loads
    _ours: float = 0.0  # seconds of it that were the grader's own
    _told: bool = False
    _over: bool = False  # nothing was given up, and nothing is tried any more
    _allowed: bool = False  # and no student code ran since
    _allowing: bool = False  # was asked for, and is not answered yet
    _spent: float = 0.0
    _unheard: int = 0  # requests that were sent, and not answered yet
    _question_lost: Outcome | None = None

    def __enter__(self) -> Self:
        self._ensure_loaded()
        return self

    def __exit__(self, *_: object) -> None:
        self._end_child()

    def begin_question(self) -> None:
        """A new question: a fresh allowance of student time, and nothing left running that could use it up."""
        self._settle()
        self._spent = 0.0
        self._question_lost = None
        self._allow()

    def start_anew(self) -> bool:
        """Have the next call meet a program that was never called; False where that takes too long, or fails."""
        if self._child is None or self._loading > self._loads * SOON:
            return False
        before = self._loads, self._loading, dict(self.lost), self.values
        self._end_child()
        self._loads = MOST_LOADS - 1
        self._ensure_loaded()
        self._loads, self._loading, self.lost, self.values = before
        self.begin_question()
        return self._child is not None

    def end_scoring(self) -> None:
        """All that counts was called: nothing is given up for what is lost from now on."""
        self._over = not self.given_up

    def end_calls(self) -> None:
        """There will be no more: the child can end while what it answered is judged."""
        self.end_scoring()
        self._end_child()

    def call(self, name: str, arguments: Sequence[object], **how: Any) -> Outcome:
        """The outcome of one call; `how` are fields of Request."""
        return next(self.calls([Request(name, arguments, **how)]))

    def calls(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """The outcome of each request, in order.

        The next one is sent before the outcome of one is awaited, so that the child works while outcomes are judged.
        """
        self._settle()
        asked = iter(requests)
        waiting: deque[Request] = deque()  # the first of them, as many as are unheard, were sent
        while True:
            if waiting and not self._unheard:
                self._ask(waiting[0])
            while len(waiting) <= AHEAD and (request := next(asked, None)) is not None:
                if not waiting:
                    self._ask(request)
                elif len(waiting) == self._unheard:
                    self._ask_ahead(request)
                waiting.append(request)
            if not waiting:
                return
            outcome = self._answer()
            waiting.popleft()
            if not waiting:  # what comes next, most often, is another question
                self._allow_ahead()
            yield outcome

    @property
    def at_work(self) -> bool:
        """Whether a call finds the submission loaded, without running its cells again."""
        return self._child is not None

    @property
    def given_up(self) -> str:
        """Why nothing of the submission can be tried any more, after what it is about; "" as long as it can."""
        if self._child is not None or self._over:
            return ""
        if self._loading < self.seconds * ALLOWANCE and self._loads < MOST_LOADS:
            return ""
        if self._loads < MOST_LOADS:
            return f"was not tried, since running your cells had taken {self._loading:.0f} s in all"
        return f"was not tried, since your code had hung or ended the program {MOST_LOADS} times"

    def _ask(self, request: Request) -> None:
        if self._allowing:
            self._allow()
        if self._question_lost is not None or not self._ensure_loaded():
            return
        assert self._child is not None
        self._unheard, self._allowed = 1, False
        started = time.monotonic()
        try:
            self._child.say(request.frame, deadline=started + self.seconds - self._spent)
        except (TooSlow, Closed) as error:
            self._question_lost = self._lost_call(error)
        self._spent += time.monotonic() - started

    def _ask_ahead(self, request: Request) -> None:
        """Only what the socket surely takes at once: the child reads it when it is done with what came before."""
        if self._child is None:
            return
        if len(request.frame) > HELD:
            return
        self._unheard += 1
        with contextlib.suppress(TooSlow, Closed):  # whoever waits for its answer finds out
            self._child.say(request.frame, deadline=time.monotonic() + self.seconds)

    def _answer(self) -> Outcome:
        """Of the request that was asked first."""
        if self._question_lost is None and self._child is not None:
            outcome = self._heard(self._child)
            if outcome.ended in ("timed_out", "died"):
                self._question_lost = outcome
            return outcome
        return self._question_lost or Outcome("died", note=self.given_up)

    def _heard(self, child: Child) -> Outcome:
        started = time.monotonic()
        self._unheard -= 1
        try:
            reply, answer = child.hear(started + self.seconds - self._spent)
            return self._placed(from_wire(reply, unpack(answer)))
        except (TooSlow, *BROKEN) as error:
            return self._lost_call(error)
        finally:
            self._spent += time.monotonic() - started

    def _lost_call(self, error: BaseException) -> Outcome:
        lost = self._lose(error, self.seconds, f"was still running after {self.seconds:g} s and was stopped")
        return Outcome(lost.how, note=lost.text)

    def _settle(self) -> None:
        """Wait for what was asked ahead and is not wanted any more. A child that it costs is nobody's loss."""
        while self._unheard and self._child is not None:
            self._heard(self._child)

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
            self._loading += time.monotonic() - started - self._ours
            self._ours = 0.0
            self._allowed = False
            if loaded:
                self._allow()
        return True

    def _allow(self) -> None:
        """Processor time anew, without what was left running; nothing to do where no student code ran since."""
        if self._child is not None and not self._allowed:
            self._allowed, self._allowing = self._child.allow(self.seconds, alone=True), False
            if not self._allowed:
                self._end_child()

    def _allow_ahead(self) -> None:
        """The same, to be waited for when it is needed: the slot looks while the grader judges."""
        if self._child is not None and not self._unheard:
            self._child.allow_ahead(self.seconds)
            self._allowing = True

    def _load(self, child: Child, last: float) -> bool:
        """Run the cells until `last` at most; a cell that hangs or kills is noted, to be left out the next time."""
        cells = [cell for cell in self.submission.cells if cell.number not in self.lost]
        plain = [{"number": cell.number, "source": cell.source, "line": cell.line} for cell in cells]
        running = 0
        try:
            asked = {"op": "load", "kind": self.submission.kind, "cells": plain, "names": list(self.names)}
            child.say(framed(asked), deadline=last)
            last += self._work_meanwhile()
            for place in range(len(cells) + 1):
                reply, blob = child.hear(min(time.monotonic() + self.seconds, last))
                if reply["op"] != "cell":
                    break
                running = place
            if not self._told:  # a later load could tell, by what it raises, the inputs of calls before it
                self.errors, self.notes = read_errors(reply["errors"]), read_notes(reply["notes"])
                self._told = True
            self.values = read_values(reply["values"], unpack(blob), self.names)
            return True
        except (TooSlow, *BROKEN) as error:
            self._leave_out(error, cells[running:], time.monotonic() > last)
        return False

    def _work_meanwhile(self) -> float:
        """Do what there is to do while the first child loads; the seconds that it took, which are not the student's."""
        meanwhile, self.meanwhile, started = self.meanwhile, lambda: None, time.monotonic()
        meanwhile()
        self._ours = time.monotonic() - started
        return self._ours

    def _leave_out(self, error: BaseException, unfinished: Sequence[Cell], all_spent: bool) -> None:
        """Leave out the first, or all where the cells together took too long."""
        seconds = self.seconds * ALLOWANCE
        late = f"was still running after {self.seconds:g} s and was stopped"
        if all_spent:
            late = f"was not reached within {seconds:g} s and was left out"
        lost = self._lose(error, seconds, late)
        all_spent = all_spent and lost.text == late
        self.lost |= {cell.number: lost for cell in (unfinished if all_spent else unfinished[:1])}

    def _lose(self, error: BaseException, seconds: float, late: str) -> Lost:
        assert self._child is not None
        child, self._child, self._unheard, self._allowing = self._child, None, 0, False
        return child.lose(error, seconds, late, self.blamed)

    def _end_child(self) -> None:
        if self._child is not None:
            child, self._child, self._unheard, self._allowing = self._child, None, 0, False
            child.end()
