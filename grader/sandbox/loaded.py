"""What a child tells of the cells that it ran, as it comes over the wire. Each reader raises one of child.BROKEN on
what cannot be read as that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.observing import returned
from grader.observing.cells import LONGEST_MESSAGE
from grader.observing.returned import Returned, whole
from grader.worker.load import CellError

MOST_TOLD = 20  # errors, and notes, of one loading


@dataclass(frozen=True)
class Value:
    """What a name holds after the student's cells ran."""

    tree: Returned
    callable: bool


def read_values(trees: Mapping[str, Any], tensors: dict[str, torch.Tensor], names: Collection[str]) -> dict[str, Value]:
    """By name, of these names."""
    return {
        name: Value(returned.from_wire(tree, tensors), bool(tree.get("callable")))
        for name, tree in trees.items()
        if name in names
    }


def read_errors(errors: Sequence[Mapping[str, Any]]) -> list[CellError]:
    """Why cells did not run to their ends."""
    return [_cell_error(error) for error in errors[:MOST_TOLD]]


def read_notes(notes: Sequence[Sequence[Any]]) -> list[tuple[int, str]]:
    """By cell, what is said of lines that were left out."""
    return [(int(cell), whole(str(note))) for cell, note in notes[:MOST_TOLD]]


def _cell_error(plain: Mapping[str, Any]) -> CellError:
    line = plain["line"]
    kind, message = whole(str(plain["type"])), whole(str(plain["message"]), LONGEST_MESSAGE)
    return CellError(int(plain["cell"]), line if type(line) is int else None, kind, message, whole(str(plain["text"])))
