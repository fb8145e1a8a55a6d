"""The plain data that grading produces and every front end reads (contract: schema 1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Status: TypeAlias = Literal["passed", "partial", "failed", "crashed", "timed_out", "not_attempted", "grader_error"]
SCHEMA = 1


@dataclass(frozen=True)
class CheckResult:
    """What one hidden check said; `points` of `max_points` were earned."""

    name: str
    status: Status
    points: float
    max_points: float
    message: str = ""


@dataclass(frozen=True)
class MistakeFound:
    """A named mistake that reproduces what the student returned; `message` is written to the student."""

    step: str
    name: str
    message: str


@dataclass(frozen=True)
class QuestionResult:
    """One question; `feedback` is markdown for the student, `seconds` the wall time of its checks."""

    id: str
    title: str
    status: Status
    score: float
    max_score: float
    checks: tuple[CheckResult, ...] = ()
    mistakes: tuple[MistakeFound, ...] = ()
    hint: str = ""
    feedback: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Result:
    """One graded submission. `key` and `submission` are sha256 sums in hex."""

    assignment: str
    student: str
    source: str
    score: float
    max_score: float
    status: Literal["graded", "grader_error"]
    questions: tuple[QuestionResult, ...] = ()
    messages: tuple[str, ...] = ()
    isolation: str = ""
    grader: str = ""
    key: str = ""
    submission: str = ""
    schema: int = field(default=SCHEMA)

    def to_json(self) -> dict[str, Any]:
        """The contract's dictionary, `schema` first; whole scores are written as whole numbers."""
        plain = dataclasses.asdict(self)
        tidy: dict[str, Any] = _tidy({"schema": plain.pop("schema"), **plain})
        return tidy


def _tidy(value: Any) -> Any:
    """Tuples as lists and 20.0 as 20, so that a score reads as people write it."""
    if isinstance(value, dict):
        return {name: _tidy(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tidy(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def result_from_json(plain: Mapping[str, Any]) -> Result:
    """The inverse of `Result.to_json`. Raises KeyError, TypeError or ValueError on anything else."""
    fields = dict(plain)
    if fields.pop("schema") != SCHEMA:
        raise ValueError(f"a result of schema {plain['schema']}, not {SCHEMA}")
    fields["questions"] = tuple(_question(question) for question in fields["questions"])
    fields["messages"] = tuple(fields["messages"])
    return Result(**fields)


def _question(plain: Mapping[str, Any]) -> QuestionResult:
    checks = tuple(CheckResult(**check) for check in plain["checks"])
    mistakes = tuple(MistakeFound(**mistake) for mistake in plain["mistakes"])
    return QuestionResult(**{**plain, "checks": checks, "mistakes": mistakes})


def tidy_score(score: float) -> float:
    """A score as a plain number with at most two decimals (so that thirds do not print sixteen)."""
    rounded = round(float(score), 2)
    return rounded if rounded != 0 else 0.0
