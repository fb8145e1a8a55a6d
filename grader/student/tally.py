"""What the public checks of a lesson said, question by question, and the next step: plain data and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

Status: TypeAlias = Literal[
    "passed", "failed", "crashed", "timed_out", "not_attempted", "begun", "partly_run", "not_reached", "not_selected"
]
WORDS: dict[Status, str] = {
    "passed": "passed",
    "failed": "failed",
    "crashed": "crashed",
    "timed_out": "timed out",
    "not_attempted": "not attempted",
    "begun": "begun",
    "partly_run": "partly run",
    "not_reached": "not reached",
    "not_selected": "not selected",
}
NOT_RUN: tuple[Status, ...] = ("not_selected", "not_reached")


@dataclass(frozen=True)
class Question:
    """A question as students see it: its points, the names that they write for it, in order, a title where the
    names say too little, and a hint: something to ask oneself that tells no answer.
    """

    points: float
    names: tuple[str, ...]
    title: str = ""
    hint: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether numbers or choices are written (NAMES in capitals), whose rightness no public check says."""
        return all(name.isupper() for name in self.names)

    @property
    def written(self) -> str:
        """`attention()`, or `UNIFORM_AVERAGE, FIXED_MIX`."""
        return ", ".join(spoken_name(name) for name in self.names)

    @property
    def heading(self) -> str:
        """`attention()`, or `Shapes (SCORES_SHAPE, OUTPUT_SHAPE)`."""
        return f"{self.title} ({self.written})" if self.title else self.written


@dataclass(frozen=True)
class Said:
    """What one public check said. `name` is the student's name that it asked for last; checks stand in their
    file in the order of `order`.
    """

    question: str
    check: str
    status: Status
    message: str = ""
    place: str = ""
    name: str = ""
    order: tuple[int, ...] = ()


@dataclass
class Tally:
    """One question: `total` checks were found, `selected` of them were to be run, and those in `said` were run."""

    id: str
    question: Question
    total: int = 0
    selected: int = 0
    said: list[Said] = field(default_factory=list)

    @property
    def in_order(self) -> list[Said]:
        """As the checks stand in their file, whatever order they were run in."""
        return sorted(self.said, key=lambda said: tuple(said.order))

    @property
    def missed(self) -> Said | None:
        """The first check that does not hold; where none fails, the first that nothing was written for."""
        missed = [said for said in self.in_order if said.status != "passed"]
        wrong = [said for said in missed if said.status != "not_attempted"]
        return next(iter(wrong or missed), None)

    @property
    def passed(self) -> int:
        """How many of the checks that were run hold."""
        return sum(said.status == "passed" for said in self.said)

    @property
    def status(self) -> Status:
        """`begun`: what there is holds, and something is not there. `partly_run`: what was checked holds, and
        something was not checked.
        """
        if not self.said:
            return "not_reached" if self.selected else "not_selected"
        if self.missed is None:
            return "passed" if len(self.said) >= self.total else "partly_run"
        return "begun" if self.missed.status == "not_attempted" and self.passed else self.missed.status

    @property
    def next_name(self) -> str:
        """What to write or to mend next for this question: `attention()`."""
        return spoken_name((self.missed.name if self.missed else "") or self.question.names[0])

    @property
    def word(self) -> str:
        """The status in a word; an answer whose form is right is "answered", since nothing else was checked."""
        return "answered" if self.status == "passed" and self.question.is_answer else WORDS[self.status]


@dataclass
class Lesson:
    """Every question of one test file, and the file of the student's that was asked. `problem` says why that
    file could not be read, where it could not.
    """

    source: str
    tallies: dict[str, Tally]
    notes: list[str] = field(default_factory=list)
    problem: str = ""

    @property
    def run(self) -> list[Tally]:
        """The questions of which anything was checked."""
        return [tally for tally in self.tallies.values() if tally.said]

    @property
    def done(self) -> list[Tally]:
        """Attempted, and all their public checks hold."""
        return [tally for tally in self.run if tally.status == "passed"]

    @property
    def left(self) -> list[Tally]:
        """The questions that something is left to do for, of those that were run."""
        return [tally for tally in self.run if tally.status not in ("passed", "partly_run")]

    @property
    def next(self) -> Tally | None:
        """The first of those."""
        return next(iter(self.left), None)

    def of(self, status: Status) -> list[Tally]:
        """The questions with this status."""
        return [tally for tally in self.tallies.values() if tally.status == status]

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return len(self.done) == len(self.tallies)

    def closing(self, asked: Tally | None = None) -> str:
        """The last line: how much is done, and the next step, which is the question `asked` if it has one left."""
        run = self.run
        counted = f"{len(self.done)} of {len(run)} {'question' if len(run) == 1 else 'questions'} done{self._rest()}."
        left = asked if asked is not None and asked.status != "passed" else self.next
        if left is not None:
            return f"{counted} Next: {left.next_name} in {self.source}."
        return f"{counted} Save {self.source} and hand it in." if self.complete else counted

    def _rest(self) -> str:
        """` (2 more not selected, 1 more not reached)`: what was not run is not wrong."""
        counts = [(len(self.of(status)), WORDS[status]) for status in NOT_RUN]
        said = ", ".join(f"{count} more {word}" for count, word in counts if count)
        return f" ({said})" if said else ""

    def open_notes(self) -> list[str]:
        """The notes whose trouble no failed check has told already."""
        told = [said.place for tally in self.run for said in tally.said]
        return [note for note in self.notes if not any(place.startswith(note.partition(": ")[0]) for place in told)]


def to_plain(said: Said, lesson: Lesson) -> dict[str, Any]:
    """One check and the table it belongs to, as JSON that travels between pytest's processes."""
    table = {key: _plain_tally(tally) for key, tally in lesson.tallies.items()}
    about = {"source": lesson.source, "notes": lesson.notes, "problem": lesson.problem}
    return {"said": asdict(said), "table": table, **about}


def _plain_tally(tally: Tally) -> dict[str, Any]:
    return {"question": asdict(tally.question), "total": tally.total, "selected": tally.selected}


def add_plain(lessons: dict[str, Lesson], file: str, plain: Mapping[str, Any]) -> None:
    """Add one check to the lesson of its test file, which is made where it is new."""
    if file not in lessons:
        lessons[file] = Lesson(plain["source"], _tallies(plain["table"]))
    lesson, said = lessons[file], Said(**plain["said"])
    lesson.source, lesson.problem = plain["source"], plain["problem"]
    lesson.notes += [note for note in plain["notes"] if note not in lesson.notes]
    lesson.tallies[said.question].said.append(said)


def _tallies(table: Mapping[str, Mapping[str, Any]]) -> dict[str, Tally]:
    return {key: Tally(key, _question(**one["question"]), one["total"], one["selected"]) for key, one in table.items()}


def _question(names: Sequence[str], **rest: Any) -> Question:
    return Question(names=tuple(names), **rest)


def lesson_of(plain: Mapping[str, Any]) -> Lesson:
    """A whole lesson, from what `dataclasses.asdict` made of it and JSON carried."""
    tallies = _tallies(plain["tallies"])
    for key, tally in tallies.items():
        tally.said = [Said(**said) for said in plain["tallies"][key]["said"]]
    return Lesson(plain["source"], tallies, plain["notes"], plain["problem"])


def spoken_name(name: str) -> str:
    """`attention()` for a function, `Q0_WEIGHTS` for an answer."""
    return name if name.isupper() else f"{name}()"


def points_text(points: float) -> str:
    """`1 point`, `20 points`."""
    return f"{points:g} {'point' if points == 1 else 'points'}"
