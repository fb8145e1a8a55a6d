"""A call of one of a student's functions, as it is asked of a child."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch

from grader.worker.pack import pack
from grader.worker.wire import framed


@dataclass(frozen=True)
class Request:
    """Call the function `name`. `gradient` maps places in the returned tuple (-1: the value itself) to the tensors that
    weigh them in the scalar whose gradient is taken; `after`: tell the inputs as the call leaves them; `forbids`: tell
    which of these functions it calls.
    """

    name: str
    arguments: Sequence[object]
    gradient: Mapping[int, torch.Tensor] = field(default_factory=dict)
    after: bool = False
    seed: int = 0
    forbids: Sequence[str] = ()

    @cached_property
    def frame(self) -> bytes:
        """What is sent: the message, and the tensors that go with it."""
        tensors: dict[str, torch.Tensor] = {}
        plain: list[dict[str, object]] = []
        for place, argument in enumerate(self.arguments):
            if isinstance(argument, torch.Tensor):
                tensors[f"a{place}"] = argument.detach().contiguous()
                plain.append({"tensor": f"a{place}"})
            else:
                plain.append({"value": argument})
        tensors |= {f"seed{place}": seed for place, seed in self.gradient.items()}
        message = {
            "op": "call",
            "name": self.name,
            "arguments": plain,
            "gradient": {str(place): f"seed{place}" for place in self.gradient},
            "after": self.after,
            "seed": self.seed,
            "forbids": list(self.forbids),
        }
        return framed(message, pack(tensors))
