"""What a worker does before it serves anybody: import what students import, once and for all."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.worker.pages import use_large_pages

NEEDED = ("numpy", "torch", "grader.worker.serve", "grader.worker.shell")
ENOUGH = 12  # times until Python has made the code that every child runs as fast as it can
WELCOME = (  # save each child the import
    "grader.notebook",
    "IPython.core.application",
    "IPython.core.completerlib",
    "IPython.core.magics.execution",
    "IPython.core.magics.osm",
    "IPython.core.pylabtools",
    "pexpect",
)
PLOTS = ("matplotlib.backends.backend_agg", "matplotlib.pyplot", "PIL.JpegImagePlugin")  # once a child will plot


def get_ready() -> None:
    """Import, warm up, and forget the way to the course's own folder."""
    for name in NEEDED:
        importlib.import_module(name)
    _import(WELCOME)
    _warm_up()
    # an editable install puts the course's own folder on the path; nothing of it is a student's to import
    homes = tuple(str(Path(home).resolve()) for home in (sys.prefix, sys.base_prefix))
    sys.path[:] = [place for place in sys.path if str(Path(place).resolve()).startswith(homes)]
    gc.collect()
    use_large_pages()
    gc.freeze()  # collecting in a child would touch, and so copy, all that it shares with the slot


def get_ready_to_plot() -> bool:
    """Import what plotting takes; whether it was not yet."""
    before = len(sys.modules)
    _import(PLOTS)
    return len(sys.modules) > before


def _import(names: Sequence[str]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _warm_up() -> None:
    """Do once what is slow the first time."""
    import torch

    from grader.worker.practice import practise
    from grader.worker.shell import warm_up

    warm_up()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    for _ in range(ENOUGH):
        practise()
