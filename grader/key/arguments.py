"""Arguments of a function that students write: tensors, and whatever else it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grader.observing.calling import floating


def dtype_of(arguments: Sequence[Any]) -> torch.dtype:
    """That of the first floating-point tensor; float64 where there is none."""
    return next((tensor.dtype for tensor in floating(arguments)), torch.float64)


def copied(arguments: Sequence[Any]) -> list[Any]:
    """The arguments, their tensors copied: some mistakes change them."""
    return [argument.clone() if isinstance(argument, torch.Tensor) else argument for argument in arguments]


def widened(arguments: Sequence[Any]) -> list[Any]:
    """Copies of the arguments, their floating-point tensors in float64."""
    return [_wide(argument) if isinstance(argument, torch.Tensor) else argument for argument in arguments]


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.float64, copy=True) if tensor.is_floating_point() else tensor.clone()
