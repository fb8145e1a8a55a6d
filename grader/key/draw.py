"""Inputs drawn for a check: reproducible from a seed, and independent of torch's global generator."""

from __future__ import annotations

import hashlib
import hmac

import torch


class Draw:
    """Random inputs from one seed. All shapes are given axis by axis; values are float64 unless asked."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Normal numbers of standard deviation `scale`."""
        return (torch.randn(*shape, generator=self._generator, dtype=torch.float64) * scale).to(dtype)

    def proportions(self, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Positive numbers that sum to 1 along the last axis, none of them equal."""
        return self.normal(*shape).softmax(dim=-1).to(dtype)


def secret_draw(secret: bytes, submission: str, question: str, check: str) -> Draw:
    """The inputs that are scored: from the course's secret and the submission's own hash, so a regrade sees
    the same ones and nothing learned from one attempt helps the next.
    """
    text = f"{submission}\0{question}\0{check}".encode()
    return Draw(int.from_bytes(hmac.digest(secret, text, "sha256")[:8], "big") >> 1)


def shown_draw(question: str, check: str) -> Draw:
    """The inputs that are shown and diagnosed with: the same for everybody, and worth nothing."""
    text = hashlib.sha256(f"{question}\0{check}".encode()).digest()
    return Draw(int.from_bytes(text[:8], "big") >> 1)
