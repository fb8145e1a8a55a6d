"""Many variants of one behaviour: `make test` tries some of them, `make test-long` the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def variants(all_of_them: Iterable[str], long: Collection[str] = (), short: Collection[str] = ()) -> list[Any]:
    """Parameters: those in `long`, or those that are not in `short`, are tried by the long tests."""
    names = list(all_of_them)
    unknown = {*long, *short} - set(names)
    assert not unknown, f"there is no {unknown}"
    assert bool(long) != bool(short)
    slow = set(long) if long else set(names) - set(short)
    return [pytest.param(name, id=name, marks=pytest.mark.long) if name in slow else name for name in names]
