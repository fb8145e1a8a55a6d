"""Proofs about the real key of lesson 10: it accepts what is right, and each part of it can fail."""

from __future__ import annotations

import functools
import importlib.util
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.grading.diagnose import Diagnosis
from grader.grading.functions import grade_code
from grader.grading.scoring import Scoring
from grader.key import CodeQuestion, ValueQuestion, load_key
from grader.key.code import CodeCheck, Probe, copied, probe_outcome
from grader.key.draw import secret_draw, shown_draw
from grader.key.judge import judge, observe
from grader.key.steps import Mistake
from grader.key.values import ChoicePart, NumberPart, Part, TablePart
from grader.observing.calling import call
from grader.observing.outcome import Finding, Outcome
from grader.observing.returned import Returned, describe
from grader.reading.submission import Submission
from grader.results import QuestionResult
from grader.sandbox.request import Request
from grader.sandbox.session import Value

ROOT = Path(__file__).resolve().parent.parent
EXERCISE = ROOT / "exercises/l10_attention"
KEY = load_key(ROOT / "solutions/keys", "l10_attention")
CODE = tuple(KEY.code_questions.values())
PARTS = {
    part.name: part for question in KEY.questions if isinstance(question, ValueQuestion) for part in question.parts
}
ATTEMPTS = 3  # the inputs that are shown, and those of two submissions: each has its own

Function = Callable[..., Any]

every_check = pytest.mark.parametrize(
    ("question", "check"),
    [
        pytest.param(question, check, id=f"{question.id}: {check.name}")
        for question in CODE
        for check in question.checks
    ],
)
every_mistake = pytest.mark.parametrize(
    ("question", "mistake"),
    [
        pytest.param(question, mistake, id=f"{question.id}: {mistake.name}")
        for question in CODE
        for mistake in question.mistakes
    ],
)
every_part = pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)


@functools.cache
def probes(question_id: str, check_name: str, attempt: int) -> list[Probe]:
    """The calls of a check: on the inputs that are shown (0), or on those that a submission is scored on."""
    question = KEY.code_questions[question_id]
    check = next(check for check in question.checks if check.name == check_name)
    secret = secret_draw(KEY.secret, f"submission {attempt}", question_id, check_name)
    return list(question.probes(check, secret if attempt else shown_draw(question_id, check_name)))


def miss(probes: list[Probe], check: CodeCheck, student: Callable[[Probe], Function]) -> Finding | None:
    """The first miss of a check, for the function that `student` makes for each of its calls."""

    def calls(asked: Iterable[tuple[Probe, int]]) -> Iterator[Outcome]:
        return (probe_outcome(student(probe), probe, seed) for probe, seed in asked)

    for (_, probe), outcome, again in observe([((check,), probe) for probe in probes], calls):
        finding = judge(probe, outcome, check.only, again)
        if finding is not None:
            return finding
    return None


def passes(question: CodeQuestion, check: CodeCheck, student: Callable[[Probe], Function]) -> list[bool]:
    """For each attempt, whether the check is passed."""
    return [miss(probes(question.id, check.name, attempt), check, student) is None for attempt in range(ATTEMPTS)]


def with_mistake(question: CodeQuestion, mistake: Mistake) -> Callable[[Probe], Function]:
    return lambda probe: question.with_mistakes((mistake,)).reference()


def filled(make: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Probe], Function]:
    """A function that returns tensors of the right shapes and dtype, filled by `make`."""

    def null(probe: Probe) -> Function:
        made = tuple(make(tensor).to(probe.expected.dtype) for tensor in probe.expected.tensors.values())
        return lambda *arguments: made[0] if probe.expected.single else made

    return null


def first_argument(probe: Probe) -> Function:
    count = len(probe.expected.tensors)
    return lambda *arguments: arguments[0] if probe.expected.single else (arguments[0],) * count


NULL_STUDENTS: dict[str, Callable[[Probe], Function]] = {
    "zeros": filled(torch.zeros_like),
    "ones": filled(torch.ones_like),
    "NaN": filled(lambda tensor: torch.full_like(tensor, math.nan)),
    "infinity": filled(lambda tensor: torch.full_like(tensor, math.inf)),
    "the first argument": first_argument,
    "None": lambda probe: lambda *arguments: None,
}


@pytest.fixture(scope="module")
def diagnoses() -> dict[str, Diagnosis]:
    return {question.id: Diagnosis(question) for question in CODE}


# --- functions ----------------------------------------------------------------------------------------


@every_check
def test_the_reference_passes_every_check(question: CodeQuestion, check: CodeCheck) -> None:
    assert all(passes(question, check, lambda probe: question.reference()))


@pytest.mark.parametrize("student", NULL_STUDENTS)
@every_check
def test_a_student_who_does_nothing_earns_nothing(question: CodeQuestion, check: CodeCheck, student: str) -> None:
    assert not any(passes(question, check, NULL_STUDENTS[student]))


@dataclass
class Here:
    """What a session is to grading, with a function of this process."""

    name: str
    function: Function

    @property
    def submission(self) -> Submission:
        return Submission("alice", "attention.py", "script", (), "the hash of a submission", ())

    @property
    def values(self) -> dict[str, Value]:
        return {self.name: Value(Returned("other", "function"), True)}

    def begin_question(self) -> None:
        pass

    def calls(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        for request in requests:
            assert request.name == self.name
            copies = copied(request.arguments)
            yield call(self.function, copies, gradient=request.gradient, after=request.after, seed=request.seed)


def graded_here(question: CodeQuestion, function: Function, diagnoses: dict[str, Diagnosis]) -> QuestionResult:
    session: Any = Here(question.id, function)
    scoring = Scoring(question, KEY.secret, "the hash of a submission")
    return grade_code(question, session, scoring, lambda: diagnoses[question.id])


@every_mistake
def test_a_mistake_costs_points_and_is_told(
    question: CodeQuestion, mistake: Mistake, diagnoses: dict[str, Diagnosis]
) -> None:
    graded = graded_here(question, question.with_mistakes((mistake,)).reference(), diagnoses)
    assert graded.score < question.points
    assert graded.status in ("failed", "partial", "crashed")
    assert mistake.message in [named.message.removeprefix("Or: ") for named in graded.mistakes]
    assert mistake.message in graded.feedback


def test_a_wrong_dtype_costs_the_output_and_its_dtype_only(diagnoses: dict[str, Diagnosis]) -> None:
    """One cause costs once: the inputs are left alone, and batches and gradients are right, in that dtype too."""
    question = KEY.code_questions["attention"]
    mistake = next(mistake for mistake in question.mistakes if mistake.name == "output_in_float32")
    graded = graded_here(question, question.with_mistakes((mistake,)).reference(), diagnoses)
    missed = {check.name for check in graded.checks if check.status != "passed"}
    about = {"each row of the output mixes the rows of v by its weights", "the dtype of the inputs is kept"}
    assert missed <= about
    assert "the dtype of the inputs is kept" in missed


@pytest.mark.parametrize("question", CODE, ids=lambda question: question.id)
def test_the_reference_earns_every_point(question: CodeQuestion, diagnoses: dict[str, Diagnosis]) -> None:
    graded = graded_here(question, question.reference(), diagnoses)
    assert (graded.score, graded.status, graded.mistakes) == (question.points, "passed", ())


NOTHING_DONE = {
    "None": "return None",
    "the first argument": "return arguments[0]",
    "the first argument three times": "return (arguments[0],) * 3",
    "the last argument three times": "return (arguments[-1],) * 3",
    "zeros": "return torch.zeros_like(arguments[0])",
    "all zeros": "return tuple(torch.zeros(shape) for shape in shapes(arguments))",
    "all zeros of the dtype": "return tuple(arguments[0].new_zeros(shape) for shape in shapes(arguments))",
    "all ones": "return tuple(arguments[0].new_ones(shape) for shape in shapes(arguments))",
    "all NaN": "return tuple(arguments[0].new_full(shape, torch.nan) for shape in shapes(arguments))",
    "an error": "raise ValueError",
    "nothing": "return ()",
    "a text": "return 'output'",
}


@pytest.mark.parametrize("name", NOTHING_DONE)
@pytest.mark.parametrize("question", CODE, ids=lambda question: question.id)
def test_a_student_who_does_nothing_earns_nothing_in_the_end(
    question: CodeQuestion, name: str, diagnoses: dict[str, Diagnosis]
) -> None:
    """Partial credit judges again with a named mistake; that must not pay for work that was not done."""

    def shapes(arguments: Sequence[Any]) -> list[tuple[int, ...]]:
        q, k, v = (*arguments, arguments[-1])[:3]
        scores = (*q.shape[:-1], k.shape[-2])
        return [(*q.shape[:-1], v.shape[-1]), scores, scores]

    names: dict[str, Any] = {"torch": torch, "shapes": shapes}
    exec(f"def function(*arguments):\n    {NOTHING_DONE[name]}", names)
    graded = graded_here(question, names["function"], diagnoses)
    assert graded.score == 0, graded.feedback


@every_check
def test_a_check_fails_for_some_student(question: CodeQuestion, check: CodeCheck) -> None:
    """One with a mistake of the key's or, as those are functions of their inputs, one whose answers are random."""

    def random(probe: Probe) -> Function:
        reference = question.reference()
        return lambda *arguments: tuple(part + torch.randn_like(part) for part in reference(*arguments))

    students = [random] if check.repeat else [with_mistake(question, mistake) for mistake in question.mistakes]
    assert any(not all(passes(question, check, student)) for student in students)


def observed(diagnosis: Diagnosis, function: Function) -> list[Outcome]:
    return [probe_outcome(function, probe, 0) for _, probe in diagnosis.probes]


@every_mistake
def test_a_mistake_is_named(question: CodeQuestion, mistake: Mistake, diagnoses: dict[str, Diagnosis]) -> None:
    """Alone, or together with one other that does the same on all inputs that are tried."""
    diagnosis = diagnoses[question.id]
    function = question.with_mistakes((mistake,)).reference()
    named = diagnosis.mistakes(observed(diagnosis, function))
    assert (mistake,) in named
    assert all(len(mistakes) == 1 for mistakes in named)
    assert len({mistakes[0].message for mistakes in named}) <= 2


@pytest.mark.parametrize("question", CODE, ids=lambda question: question.id)
def test_nothing_is_named_for_the_reference(question: CodeQuestion, diagnoses: dict[str, Diagnosis]) -> None:
    diagnosis = diagnoses[question.id]
    assert diagnosis.mistakes(observed(diagnosis, question.reference())) == ()


@pytest.mark.parametrize("question", CODE, ids=lambda question: question.id)
def test_two_mistakes_of_one_step_never_share_a_name(question: CodeQuestion) -> None:
    names = [mistake.name for mistake in question.mistakes]
    assert len(names) == len(set(names))


# --- names that hold answers --------------------------------------------------------------------------


def right_value(part: Part) -> Any:
    if isinstance(part, NumberPart):
        values = [round(value, part.decimals) for value in part.expected.values]
        return torch.tensor(values, dtype=torch.float64).reshape(part.expected.shape).tolist()
    return part.right if isinstance(part, ChoicePart) else RIGHT_TABLES[part.name]


RIGHT_TABLES = {
    "ONE_WAY_WK": [[0, 2], [0, 0]],
    "CANCEL_V": [[1, 2], [0, 0], [-1, -2]],
}


@every_part
def test_the_answer_to_the_decimals_asked_is_right(part: Part) -> None:
    assert part.judge(describe(right_value(part))) is None


@every_part
@pytest.mark.parametrize("kind", ["zeros", "ones", "NaN", "None", "empty list", "empty text", "an unknown letter"])
def test_a_value_that_says_nothing_earns_nothing(part: Part, kind: str) -> None:
    shape = part.expected.shape if isinstance(part, NumberPart) else part.shape if isinstance(part, TablePart) else ()
    value = {
        "zeros": torch.zeros(shape),
        "ones": torch.ones(shape),
        "NaN": torch.full(shape, math.nan),
        "None": None,
        "empty list": [],
        "empty text": "",
        "an unknown letter": "Z",
    }[kind]
    assert part.judge(describe(value)) is not None


@pytest.mark.parametrize(
    "part", [part for part in PARTS.values() if isinstance(part, ChoicePart)], ids=lambda part: part.name
)
def test_every_wrong_letter_is_answered(part: ChoicePart) -> None:
    assert set(part.why) == set(part.letters) - {part.right}
    for letter in part.why:
        finding = part.judge(describe(letter))
        assert finding is not None
        assert part.why[letter] in finding.message


FACTS = {
    "UNIFORM_AVERAGE": [5 / 3, 8 / 3],
    "FIXED_MIX": [1.6, 3.6],
    "SCORES_SHAPE": (4, 7),
    "OUTPUT_SHAPE": (4, 5),
    "TEN_POSITIONS_WIDTH": 2,
    "V_ROW_INCREASE": 0.8022,
    "Q0_WEIGHTS": [1 / 3, 1 / 3, 1 / 3],
    "Q0_OUTPUT": [2 / 3, 4 / 3],
}


@pytest.mark.parametrize("name", FACTS)
def test_the_figures_of_the_lesson_are_right(name: str) -> None:
    assert PARTS[name].judge(describe(FACTS[name])) is None


def by_hand() -> dict[str, Any]:
    """The answers as somebody gets them who rounds each figure to 4 decimals before going on."""
    scores = [round(raw / 1.4142, 4) for raw in (2, 1, 3)]
    powers = [round(math.exp(score), 4) for score in scores]
    weights = [round(power / round(sum(powers), 4), 4) for power in powers]
    row = [round(weights[0] + weights[2], 4), round(2 * weights[1] + 2 * weights[2], 4)]
    third = 0.3333
    return {
        "UNIFORM_AVERAGE": [round(third * 5, 4), round(third * 8, 4)],
        "ROW_WEIGHTS": weights,
        "ROW_OUTPUT": row,
        "V_ROW_INCREASE": round(0.1978 + 3 * 0.4011 - 0.5989, 4),
        "Q0_WEIGHTS": [third] * 3,
        "Q0_OUTPUT": [round(2 * third, 4), round(4 * third, 4)],
    }


@pytest.mark.parametrize("name", by_hand())
def test_figures_that_were_rounded_on_the_way_are_right(name: str) -> None:
    assert PARTS[name].judge(describe(by_hand()[name])) is None


@pytest.mark.parametrize(
    "table",
    [
        [[1, 1], [round(-2 * 0.4011 / 0.1978, 4), round(-2 * 0.4011 / 0.1978, 4)], [1, 1]],
        [[5, 0.25], [0, 0], [-5, -0.25]],
        [[0, 1], [0, 0], [0, -1]],
    ],
)
def test_values_that_cancel_are_right(table: list[list[float]]) -> None:
    assert PARTS["CANCEL_V"].judge(describe(table)) is None


@pytest.mark.parametrize(
    "table",
    [
        [[1, 0], [0, 2], [1, 2]],
        [[1, 1], [-4, -4], [1, 1]],
        [[1, 1], [0, 0], [-1, 1]],
        [[1e-9, 1e-9], [1e-9, 1e-9], [1e-9, 1e-9]],
        [[1e200, 1e200], [0, 0], [1e200, 1e200]],
        [[1e308, 1e308], [1e308, 1e308], [1e308, 1e308]],
    ],
)
def test_values_that_do_not_cancel_are_wrong_however_small_or_large(table: list[list[float]]) -> None:
    assert PARTS["CANCEL_V"].judge(describe(table)) is not None


@pytest.mark.parametrize("table", [[[0, 2], [0, 0]], [[7, 2], [0, -3]], torch.tensor([[0.0, 2.0], [0.0, 0.0]])])
def test_any_table_that_matches_one_way_is_right(table: Any) -> None:
    assert PARTS["ONE_WAY_WK"].judge(describe(table)) is None


@pytest.mark.parametrize(
    "table", [[[0, 0], [2, 0]], [[0, 2], [2, 0]], [[1, 0], [0, 1]], [[0, 1.9], [0, 0]], [0, 2, 0, 0]]
)
def test_a_table_that_matches_otherwise_is_wrong(table: Any) -> None:
    assert PARTS["ONE_WAY_WK"].judge(describe(table)) is not None


@pytest.mark.parametrize("value", [2.4, 1.5, 1.9, 2.001])
def test_a_count_is_a_whole_number(value: float) -> None:
    assert PARTS["TEN_POSITIONS_WIDTH"].judge(describe(value)) is not None


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if isinstance(part, NumberPart)])
def test_explaining_a_wrong_number_changes_nothing(name: str) -> None:
    """Explanations run the mistakes, some of which change their inputs: nobody graded later may notice."""
    key = load_key(ROOT / "solutions/keys", "l10_attention")
    parts = {
        part.name: part for question in key.questions if isinstance(question, ValueQuestion) for part in question.parts
    }
    wrong = describe(torch.full(PARTS[name].expected.shape, 0.1234))
    first = parts[name].judge(wrong)
    assert first is not None
    from_weights = [[1, 1], [-4.0570, -4.0570], [1, 1]]
    assert parts["CANCEL_V"].judge(describe(from_weights)) is None
    assert parts[name].judge(wrong) == first
    assert parts["CANCEL_V"].judge(describe(from_weights)) is None


# --- the key as a whole, and what students get ----------------------------------------------------------


def test_the_points_add_up_to_100() -> None:
    assert KEY.points == 100
    for question in KEY.questions:
        assert sum(points for _, points in question.asks) == question.points
        assert all(points > 0 for _, points in question.asks)


def test_names_and_checks_are_told_apart() -> None:
    assert len(KEY.names) == len(set(KEY.names))
    for question in KEY.questions:
        says = [name for name, _ in question.asks]
        assert len(says) == len(set(says))


def test_the_public_questions_are_those_of_the_key() -> None:
    spec = importlib.util.spec_from_file_location("public_attention", EXERCISE / "test_attention.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    public = {id: (question.points, tuple(question.names)) for id, question in module.QUESTIONS.items()}
    assert list(public.items()) == [(question.id, (question.points, question.names)) for question in KEY.questions]


@pytest.mark.parametrize("folder", ["exercises", "solutions"])
def test_the_notebook_asks_the_questions_of_the_key(folder: str) -> None:
    notebook = json.loads((ROOT / folder / "l10_attention/attention.ipynb").read_text(encoding="utf-8"))
    marks = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    asked = [(mark["grade_id"], mark["points"]) for mark in marks if mark.get("grade")]
    assert asked == [(question.id, question.points) for question in KEY.questions]
