"""The question that --watch shows: the one that is worked on."""

from __future__ import annotations

from grader.student.focus import Focus
from grader.student.tally import Lesson, Question, Said, Status, Tally


def lesson(*statuses: Status, source: str = "lesson.py", problem: str = "", message: str = "") -> Lesson:
    """One whose questions are "0", "1" and so on, each with one check."""
    tallies = {}
    for number, status in enumerate(statuses):
        id = str(number)
        said = Said(id, "it holds", status, message if status == "failed" else "", name=f"f{id}")
        tallies[id] = Tally(id, Question(1, (f"f{id}",)), 1, 1, [said])
    return Lesson(source, tallies, problem=problem)


def shown(focus: Focus, *lessons: Lesson) -> str:
    _, tally = focus.after(lessons)
    return tally.id if tally is not None else ""


def test_at_first_it_is_the_first_that_is_not_done() -> None:
    assert shown(Focus(), lesson("passed", "not_attempted", "failed")) == "1"
    assert shown(Focus(), lesson("passed", "passed")) == ""


def test_a_question_that_changes_is_shown_until_it_is_done() -> None:
    focus = Focus()
    assert shown(focus, lesson("not_attempted", "not_attempted", "not_attempted")) == "0"
    assert shown(focus, lesson("not_attempted", "not_attempted", "failed")) == "2"
    assert shown(focus, lesson("not_attempted", "not_attempted", "failed")) == "2"
    assert shown(focus, lesson("not_attempted", "failed", "failed")) == "1"
    assert shown(focus, lesson("not_attempted", "passed", "failed")) == "0"


def test_one_that_changes_along_does_not_take_the_place_of_the_one_that_is_worked_on() -> None:
    focus = Focus()
    shown(focus, lesson("failed", "not_attempted", message="a"))
    assert shown(focus, lesson("failed", "failed", message="a")) == "1"
    assert shown(focus, lesson("failed", "failed", message="b")) == "1"


def test_what_is_taken_back_is_not_worked_on() -> None:
    focus = Focus()
    shown(focus, lesson("failed", "failed"))
    assert shown(focus, lesson("failed", "not_attempted")) == "0"


def test_a_round_that_says_nothing_and_a_file_that_cannot_be_read_change_nothing() -> None:
    focus = Focus()
    shown(focus, lesson("not_attempted", "not_attempted"))
    assert shown(focus, lesson("not_attempted", "failed")) == "1"
    assert focus.after([]) == (None, None)
    assert shown(focus, lesson("not_attempted", "failed")) == "1"
    broken = lesson("failed", "not_attempted", problem="lesson.py ends in the middle.")
    assert focus.after([broken]) == (broken, broken.next)
    assert shown(focus, lesson("not_attempted", "failed")) == "1"


def test_a_first_save_in_the_other_form_is_followed() -> None:
    focus = Focus()
    shown(focus, lesson("not_attempted", "not_attempted", source="lesson.ipynb"))
    assert shown(focus, lesson("not_attempted", "failed", source="lesson.py")) == "1"


def test_an_error_that_breaks_all_questions_for_a_while_changes_nothing() -> None:
    focus = Focus()
    shown(focus, lesson("failed", "not_attempted"))
    assert shown(focus, lesson("failed", "failed")) == "1"
    assert shown(focus, lesson("crashed", "crashed")) == "1"
    assert shown(focus, lesson("failed", "failed")) == "1"


def test_another_lesson_of_the_folder_may_be_worked_on() -> None:
    focus, first = Focus(), lesson("not_attempted")
    shown(focus, first, lesson("not_attempted", source="b.py"))
    second = lesson("failed", source="b.py")
    assert focus.after([first, second]) == (second, second.tallies["0"])
