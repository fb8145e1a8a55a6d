"""What is said of a name that is not there, and the one that may be meant."""

from __future__ import annotations

import math
import re
from types import ModuleType

import numpy as np
import torch

from grader.crashes.things import UNCALLED, of_thing
from grader.observing.seen import nearest

IMPORTS = {
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "math": "import math",
    "random": "import random",
    "torch": "import torch",
}
MODULES: dict[str, ModuleType] = {
    "torch": torch,
    "torch.nn": torch.nn,
    "torch.nn.functional": torch.nn.functional,
    "math": math,
    "numpy": np,
}


def no_name(found: re.Match[str]) -> str:
    """For `name 'F' is not defined`."""
    name = found[1]
    if name in IMPORTS:
        return f"Nothing imports `{name}` before this line: `{IMPORTS[name]}` would."
    return f"Nothing in reach gives `{name}` a value before this line: is it spelt as it is where it gets one?"


def not_in_module(found: re.Match[str]) -> str:
    """For `module 'torch' has no attribute 'sofmax'`."""
    module, name = found.groups()
    near = nearest(name, dir(MODULES[module])) if module in MODULES else ""
    return _not_there(module, name, near)


def no_attribute(found: re.Match[str]) -> str:
    """For `'Tensor' object has no attribute 'softmaxx'`."""
    kind, name = found.groups()
    if kind in ("Tensor", "Parameter"):
        return _not_there("A tensor", name, nearest(name, dir(torch.Tensor)))
    if kind in ("int", "float"):
        return f"This is a plain number (of type {kind}), and no tensor: did .item(), int() or float() make it one?"
    return UNCALLED if kind == "function" else of_thing(kind)


def _not_there(owner: str, name: str, near: str) -> str:
    return (
        f"{owner} has no `{name}`; it does have `{near}`: is that it?"
        if near
        else f"{owner} has no `{name}`: is it spelt so?"
    )
