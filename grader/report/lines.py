"""Results as JSON: one list, or one result a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from grader.results import Result


def json_list(results: Iterable[Result]) -> Iterator[str]:
    """A JSON list in pieces, one result at a time."""
    lead = "[\n"
    for result in results:
        yield lead + _line(result)
        lead = ",\n"
    yield "[]\n" if lead == "[\n" else "\n]\n"


def json_lines(results: Iterable[Result]) -> Iterator[str]:
    """One result a line."""
    for result in results:
        yield _line(result) + "\n"


def _line(result: Result) -> str:
    return json.dumps(result.to_json(), ensure_ascii=False, allow_nan=False)
