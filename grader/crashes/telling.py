"""An error in a few sentences: what was raised, what met there, and what it means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.crashes import python_errors, torch_errors
from grader.markdown import quoted
from grader.observing.seen import Seen
from grader.wording import joined

# shapes say nothing of these
OF_NAMES = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "KeyError", "RecursionError")
# where in torch's own code, or on which machine, it happened
INNER = re.compile(
    r"\[enforce fail at [^\]]{,80}\] (?:[^.]{,20}\. )?"
    r"|\s*Error code \d+ \([^)]{,80}\)"
    r"|\s*\(Triggered internally at [^)]{,200}\)"
    r"|(?<=')\s*\(/[^()]{,200}\)"
)


def raised(kind: str, message: str) -> str:
    """`RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x6 and 7x6)`, with no full stop added."""
    told = quoted(INNER.sub("", message)).removesuffix(":")
    return f"{kind}: {told}" if told else kind


def meaning(kind: str, message: str, near: str = "") -> str:
    """What an error means here, in a sentence that asks or points; "" for one that is not known.

    `near` is a name in reach that is almost the one that is missing.
    """
    if near and kind == "NameError":
        return f"There is no such name; there is `{near}`: is that it?"
    rules = (*torch_errors.RULES, *python_errors.RULES)
    return next((said for rule in rules if (said := rule.sentence(kind, message))), "")


def met(tensors: Sequence[Seen], kind: str = "", where: str = "There") -> str:
    """`There, q is [5, 6] and k is [7, 6].`, with the dtypes where they differ; "" where it would not help."""
    if not tensors or kind in OF_NAMES:
        return ""
    differ = len({seen.dtype for seen in tensors}) > 1
    told = [f"{seen.name} is {_shape(seen)}{f' ({seen.dtype})' if differ else ''}" for seen in tensors]
    return f"{where}, {joined(told)}."


def _shape(seen: Seen) -> str:
    return str(list(seen.shape)) if seen.shape else "a single number"


def sentences(*parts: str) -> str:
    """Those of the parts that say anything, each closed with a full stop where it has no end of its own."""
    return " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part)
