"""Large pages for what a slot holds: forking a child, and ending it, takes time by the page."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

LARGE = 2**21  # bytes
COLLAPSE = 25  # MADV_COLLAPSE of Linux 6.1 and later
_PRIVATE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ 00:00 0\s*(\[heap\])?")


def use_large_pages() -> int:
    """Have the kernel lay this process' memory together, as far as it can; where it cannot, all stays as it is.

    The number of pages that lie together now.
    """
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return 0
    laid = 0
    advise = ctypes.CDLL(None).madvise
    for line in maps.read_text().splitlines():
        if found := _PRIVATE.fullmatch(line.strip()):
            first, last = -(-int(found[1], 16) // LARGE) * LARGE, int(found[2], 16)
            for start in range(first, last - LARGE + 1, LARGE):
                laid += advise(ctypes.c_void_p(start), ctypes.c_size_t(LARGE), COLLAPSE) == 0
    return laid
