"""What most submissions do, done once in advance, so that the first time, which is slow, is nobody's."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
from dataclasses import dataclass
from typing import Any

import torch

from grader.observing import outcome
from grader.observing.calling import call
from grader.observing.cells import cell_file
from grader.worker.load import load
from grader.worker.pack import pack, unpack

CELL = '''
import math
import torch

table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

def product(one, other, third):
    """What small exercises are made of."""
    sums = torch.einsum("ab,ab->b", one, other) / math.sqrt(2)
    shares = torch.softmax(one - other.transpose(-2, -1).mT + sums, dim=0)
    return shares.mT @ third, shares

mixed, shares = product(table, table, table)
print(mixed, shares.sum(dim=-1), f"{shares[0, 0]:.4f}", shares.shape, shares.tolist(), shares.std())
print(torch.allclose(mixed, mixed), round(mixed.sum().item(), 4), shares.argmax(dim=-1))
'''


@dataclass(frozen=True)
class _Cell:
    number: int = 1
    source: str = CELL
    line: int = 1


def practise() -> None:
    """Load a cell, call its function, pack and unpack what came of that; nothing of it stays but memory in use.

    No backward: it starts threads, and a child forked from a process whose torch has threads would hang.
    """
    namespace: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        loaded = load([_Cell()], "notebook", namespace)
    if loaded.errors:
        raise RuntimeError(f"a worker's own cell raised {loaded.errors[0].message}")
    for dtype in (torch.float32, torch.float64):
        table = torch.ones(3, 4, dtype=dtype)
        done = call(namespace["product"], [table, table, table], after=True)
        tensors: dict[str, torch.Tensor] = {}
        json.dumps(outcome.to_wire(done, tensors))
        unpack(pack(tensors))
    linecache.cache.pop(cell_file(1), None)
