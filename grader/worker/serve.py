"""The child's side of one submission: load its cells, tell what names hold, call functions.

Everything here runs beside a student's code and may be broken by it, so nothing here decides anything:
it takes inputs, and sends back what came of them. It knows no answer.
"""

from __future__ import annotations

import builtins
import dataclasses
import os
import socket
import sys
import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from grader.observing import outcome, returned
from grader.observing.calling import call, safely_described, seed_all
from grader.observing.returned import Returned
from grader.worker.load import load
from grader.worker.pack import pack, unpack
from grader.worker.wire import MAX_FRAME, Closed, receive, send


@dataclass(frozen=True)
class _Cell:
    number: int
    source: str
    line: int


def serve(link: socket.socket) -> NoReturn:
    """Answer the grader's frames until it closes the link, then end without clean-up code."""
    namespace: dict[str, Any] = {}
    answers = {"load": _load, "call": _call, "notebook": _notebook}
    try:
        while True:
            message, blob = receive(link, json_cap=MAX_FRAME)  # the grader's own: a submission is text
            if message["op"] == "load":
                namespace = _module(message["kind"]).__dict__
            reply, tensors = answers[message["op"]](link, namespace, message, blob)
            send(link, reply, pack(tensors))
    except Closed:
        pass
    finally:
        os._exit(0)


def _module(kind: str) -> types.ModuleType:
    """A module for the student's names: dataclasses and typing look theirs up in sys.modules."""
    name = "__main__" if kind == "notebook" else "submission"
    module = types.ModuleType(name)
    sys.modules[name] = module
    return module


def _load(
    link: socket.socket, namespace: dict[str, Any], message: dict[str, Any], blob: bytes
) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    builtins.input = _no_input
    seed_all(0)
    cells = [_Cell(**cell) for cell in message["cells"]]
    loaded = load(cells, message["kind"], namespace, lambda number: send(link, {"op": "cell", "cell": number}))
    tensors: dict[str, torch.Tensor] = {}
    values = _values(namespace, message["names"], tensors)
    return {"op": "loaded", **dataclasses.asdict(loaded), "values": values}, tensors


def _notebook(
    link: socket.socket, namespace: dict[str, Any], message: dict[str, Any], blob: bytes
) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Serve the cells of a notebook from here on, in a namespace of their own."""
    from grader.worker.shell import serve_cells

    serve_cells(link)


def _no_input(*_: object) -> str:
    raise RuntimeError("input() cannot be answered while this is graded")


def _values(
    namespace: dict[str, Any], names: Iterable[str], tensors: dict[str, torch.Tensor]
) -> dict[str, dict[str, Any]]:
    """What each name holds: a description, whether it can be called; names that are absent are left out."""
    trees = {}
    for name in names:
        if name in namespace:
            value = namespace[name]
            tree = Returned("other", "function") if callable(value) else safely_described(value)
            trees[name] = returned.to_wire(tree, tensors) | {"callable": callable(value)}
    return trees


def _call(
    link: socket.socket, namespace: dict[str, Any], message: dict[str, Any], blob: bytes
) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    inputs = unpack(blob)
    arguments = [inputs[item["tensor"]] if "tensor" in item else item["value"] for item in message["arguments"]]
    seeds = {int(place): inputs[name] for place, name in message["gradient"].items()}
    function = namespace[message["name"]]
    asked = {name: message[name] for name in ("after", "seed", "forbids")}
    result = call(function, arguments, gradient=seeds, **asked)
    tensors: dict[str, torch.Tensor] = {}
    return outcome.to_wire(result, tensors), tensors
