"""The plain data that grading produces and every front end reads (contract: schema 1)."""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

Status: TypeAlias = Literal["passed", "partial", "failed", "crashed", "timed_out", "not_attempted", "grader_error"]
SCHEMA = 1
DEEPEST = 6  # tables of tables in an example


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
class Example:
    """A call on small inputs, made for showing, on which a function goes wrong; `part` is the returned name that is
    told, "" where only one comes back.

    A figure is a number to at most 4 decimals, or a text where that says too little ("NaN", "inf", "1e+300"). Inputs
    hold figures, rows of them, tables, and so on; `got` and `expected` one figure, a row, a table, or words. Where both
    have the same shape, the figures that differ are the wrong ones.
    """

    call: str
    inputs: dict[str, Any]
    part: str
    got: Any
    expected: Any
    note: str = ""


@dataclass(frozen=True)
class QuestionResult:
    """One question; `feedback` is markdown for the student, `seconds` the wall time of its checks.

    `example` is absent from JSON where there is none.
    """

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
    example: Example | None = None


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
        for question in plain["questions"]:
            if question["example"] is None:
                del question["example"]
        tidy: dict[str, Any] = _tidy({"schema": plain.pop("schema"), **plain})
        return tidy


def _tidy(value: Any) -> Any:
    """Tuples as lists and 20.0 as 20, so that a score reads as people write it."""
    if isinstance(value, dict):
        return {name: _tidy(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tidy(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def result_from_json(plain: Any) -> Result:
    """The inverse of `Result.to_json`. Raises ValueError on anything else."""
    result: Result = _read(Result, plain)
    if result.schema != SCHEMA:
        raise ValueError(f"a result of schema {result.schema}, not {SCHEMA}")
    if not all(_adds_up(one, one.checks, "points") for one in result.questions):
        raise ValueError("points that do not add up")
    if not _adds_up(result, result.questions, "score"):
        raise ValueError("scores that do not add up")
    return result


def _adds_up(whole: QuestionResult | Result, parts: tuple[Any, ...], each: str) -> bool:
    total = sum(getattr(part, each) for part in parts)
    return 0 <= whole.score <= whole.max_score and math.isclose(whole.score, total, abs_tol=0.01 * (len(parts) + 1))


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, plain: Any) -> Any:
    """`plain` as `kind`: a dataclass, a tuple of one kind, a choice of words, figures, or a plain type."""
    if dataclasses.is_dataclass(kind):
        hints = _hints(kind)  # type: ignore[arg-type]
        if not isinstance(plain, dict) or plain.keys() | {"example"} & hints.keys() != hints.keys():
            raise ValueError(f"not the fields of a {kind}")
        return kind(**{name: _read(hints[name], value) for name, value in plain.items()})  # type: ignore[operator]
    if get_origin(kind) is UnionType:  # `X | None`, where None is said by absence
        return _read(get_args(kind)[0], plain)
    if get_origin(kind) is dict and isinstance(plain, dict):
        return {str(name): _figures(value) for name, value in plain.items()}
    if kind is Any:
        return _figures(plain)
    if get_origin(kind) is tuple and isinstance(plain, list):
        return tuple(_read(get_args(kind)[0], item) for item in plain)
    if kind is float and type(plain) in (int, float) and math.isfinite(plain):
        return plain
    if (get_origin(kind) is Literal and plain in get_args(kind)) or type(plain) is kind:
        return plain
    raise ValueError(f"{plain!r} is no {kind}")


def _figures(plain: Any, depth: int = 0) -> Any:
    if isinstance(plain, list) and depth < DEEPEST:
        return [_figures(item, depth + 1) for item in plain]
    return plain if type(plain) is str else _read(float, plain)


def tidy_score(score: float) -> float:
    """A score as a plain number with at most two decimals (so that thirds do not print sixteen)."""
    rounded = round(float(score), 2)
    return rounded if rounded != 0 else 0.0
