"""What one call of a student's function did, and what a check found wrong with it: plain data."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import torch

from grader.observing import returned
from grader.observing.cells import LONGEST_MESSAGE
from grader.observing.returned import Returned, whole
from grader.observing.seen import Seen, name_from_wire, seen_from_wire

Ended: TypeAlias = Literal["returned", "raised", "timed_out", "died"]
Stage: TypeAlias = Literal[
    "not_attempted",
    "load",
    "missing",
    "crashed",
    "timed_out",
    "died",
    "type",
    "shape",
    "dtype",
    "nan",
    "values",
    "gradient",
    "inputs",
    "repeat",
]


@dataclass(frozen=True)
class Raised:
    """An exception of the student's, with their own line where the traceback holds one, and what stood on it: the
    tensors that it names, and a name that is `near` to one that is missing.
    """

    type: str
    message: str
    cell: int | None = None
    line: int | None = None
    text: str = ""
    stub: bool = False  # NotImplementedError straight from a function that does nothing else
    place: str = ""  # the line in words: "line 12", "cell 44, line 12"
    tensors: tuple[Seen, ...] = ()
    near: str = ""


@dataclass(frozen=True)
class Called:
    """A forbidden function that was called, and the student's line on which it was, where there is one."""

    name: str
    cell: int | None = None
    line: int | None = None


NOTHING = Returned("none", "None")
MOST_INPUTS = 100  # of which a child tells what became of them
MOST_CALLED = 100  # forbidden functions that a child may tell


def gradient_trouble(note: str) -> str:
    """What kind of trouble kept a gradient from being taken, from what torch says of it; "" for none."""
    if "modified by an inplace operation" in note:
        return "in place"
    return "cut off" if note else ""


@dataclass(frozen=True)
class Outcome:
    """One call. `after` holds the inputs as they are after it, `gradients` one entry an input (kind
    "none" where none arrived), both only where asked for; `note` says why a gradient could not be taken, or what became
    of a call that did not come back; `forbidden` holds what was called of the functions that it was not to reach.
    """

    ended: Ended
    value: Returned = NOTHING
    raised: Raised | None = None
    after: tuple[Returned, ...] = ()
    gradients: tuple[Returned, ...] = ()
    note: str = ""
    forbidden: tuple[Called, ...] = ()


@dataclass(frozen=True)
class Finding:
    """Why a check is not passed: how far the call got (`stage`) and a sentence to the student."""

    stage: Stage
    message: str
    part: str = ""  # the returned name it is about: "output", "scores", ...


def to_wire(outcome: Outcome, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    """The outcome as JSON; its tensors are put into `tensors`."""
    forbidden = [dataclasses.astuple(called) for called in outcome.forbidden]
    plain: dict[str, Any] = {"ended": outcome.ended, "note": outcome.note, "forbidden": forbidden}
    if outcome.raised is not None:
        return plain | {"raised": dataclasses.asdict(outcome.raised)}
    plain["value"] = returned.to_wire(outcome.value, tensors)
    plain["after"] = [returned.to_wire(tree, tensors) for tree in outcome.after]
    plain["gradients"] = [returned.to_wire(tree, tensors) for tree in outcome.gradients]
    return plain


def from_wire(plain: dict[str, Any], tensors: dict[str, torch.Tensor]) -> Outcome:
    """The inverse, which trusts nothing: KeyError, TypeError or ValueError on anything else."""
    forbidden = tuple(_called(*called) for called in plain["forbidden"][:MOST_CALLED])
    if plain["ended"] == "raised":
        return Outcome("raised", raised=_raised(plain["raised"]), forbidden=forbidden)
    if plain["ended"] != "returned" or len(plain["after"]) + len(plain["gradients"]) > MOST_INPUTS:
        raise ValueError("not the outcome of a call")
    return Outcome(
        "returned",
        returned.from_wire(plain["value"], tensors),
        after=tuple(returned.from_wire(tree, tensors) for tree in plain["after"]),
        gradients=tuple(returned.from_wire(tree, tensors) for tree in plain["gradients"]),
        note=whole(str(plain["note"]), LONGEST_MESSAGE),
        forbidden=forbidden,
    )


def _called(name: object, cell: object, line: object) -> Called:
    if type(name) is not str:
        raise TypeError("not the name of a function")
    return Called(whole(name), cell if type(cell) is int else None, line if type(line) is int else None)


def _raised(plain: dict[str, Any]) -> Raised:
    cell, line = plain["cell"], plain["line"]
    return Raised(
        whole(str(plain["type"])),
        whole(str(plain["message"]), LONGEST_MESSAGE),
        cell if type(cell) is int else None,
        line if type(line) is int else None,
        whole(str(plain["text"])),
        plain["stub"] is True,
        tensors=seen_from_wire(plain["tensors"]),
        near=name_from_wire(plain["near"]),
    )
