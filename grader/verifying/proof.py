"""What was proved, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """A present-tense sentence about the key, and what speaks against it: sentences that say what to do.

    `tried` says on how much; `notes` are worth knowing and no failures. `left_out` is why nothing could be tried.
    """

    says: str
    failures: tuple[str, ...] = ()
    tried: str = ""
    notes: tuple[str, ...] = ()
    left_out: str = ""

    @property
    def holds(self) -> bool:
        return not self.failures
