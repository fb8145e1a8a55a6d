"""Many variants of one behaviour: `make test` tries some of them, `make test-long` the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

import pytest

Variant = TypeVar("Variant")


def variants(every: Iterable[Variant], short: Collection[Variant], id: Callable[[Variant], str] = str) -> list[Any]:
    """All as parameters; those that are not in `short` are tried by the long tests."""
    listed = list(every)
    assert all(one in listed for one in short)
    return [pytest.param(one, id=id(one), marks=() if one in short else pytest.mark.long) for one in listed]
