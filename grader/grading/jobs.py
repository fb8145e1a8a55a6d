"""Grade a class over several jobs: each job has a sandbox of its own, results come in the order of students."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader import __version__
from grader.grading.grade import Grading, unreadable_result
from grader.grading.store import read_result, write_result
from grader.markdown import unmarked
from grader.reading.entry import Entry
from grader.reading.submission import FILE_BYTES, Submission, Unreadable, open_file
from grader.results import Result
from grader.sandbox.isolation import Isolation
from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.pool import Sandboxes
from grader.sandbox.sandbox import Sandbox

AHEAD = 8  # submissions per job that may be finished before their turn, so memory stays flat


@dataclass(frozen=True)
class Graded:
    """One student's result. `problem`: why it could not be graded. `cpu` in seconds, 0 if it was stored."""

    result: Result
    problem: str = ""
    stored: bool = False
    cpu: float = 0.0

    @property
    def faultless(self) -> bool:
        """Whether everything is right and there is nothing to say."""
        return self.result.score == self.result.max_score and not self.result.messages


@dataclass(frozen=True)
class Plan:
    """How to grade: jobs, isolation, limits, where results are stored and whether stored ones are used."""

    jobs: int
    isolation: Isolation
    limits: Limits
    folder: Path
    fresh: bool = False


def grade_class(grading: Grading, entries: Sequence[Entry], plan: Plan) -> Iterator[Graded]:
    """Results in the order of `entries`, each stored before it is given out.

    Raises WorkerBroken when no worker starts at all.
    """
    jobs = max(1, min(plan.jobs, len(entries)))
    sandboxes = Sandboxes(plan.isolation, plan.limits, jobs, len(entries))

    def one(entry: Entry) -> Graded:
        with sandboxes.lent() as sandbox:
            return grade_entry(grading, entry, sandbox, plan)

    pool = ThreadPoolExecutor(jobs)
    try:
        waiting = [pool.submit(one, entry) for entry in entries[: jobs * AHEAD]]
        for place in range(len(entries)):
            graded = waiting.pop(0).result()
            following = place + jobs * AHEAD
            if following < len(entries):
                waiting.append(pool.submit(one, entries[following]))
            yield graded
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        sandboxes.end()  # whoever is still being graded, because the run was stopped, gets no result
        pool.shutdown()


def grade_entry(grading: Grading, entry: Entry, sandbox: Sandbox, plan: Plan) -> Graded:
    """Grade one student, or take the stored result; it is stored before it is returned. Raises WorkerBroken."""
    try:
        submission = entry.submission(grading.key.names)
    except Unreadable as problem:
        source = entry.paths[0].name if entry.paths else ""
        result = unreadable_result(grading, entry.student, source, _digest(entry), str(problem), plan.isolation)
        write_result(plan.folder, result, plan.limits.seconds)
        return Graded(result, f"{entry.student}: {problem}")
    stored = None if plan.fresh else _stored(grading, submission, plan)
    if stored is not None:
        return Graded(stored, stored=True)
    return _grade_now(grading, submission, sandbox, plan)


def _digest(entry: Entry) -> str:
    """The sha256 of the file that could not be read as a submission, where its bytes can be read at all."""
    try:
        with open_file(entry.paths[0], FILE_BYTES) as file:
            return hashlib.sha256(file.read()).hexdigest()
    except (IndexError, OSError, Unreadable):
        return ""


def _grade_now(grading: Grading, submission: Submission, sandbox: Sandbox, plan: Plan) -> Graded:
    try:
        sandbox.start()  # so that start-up is nobody's CPU
    except WorkerBroken:
        if not sandbox.starts:
            raise  # it never did: there is no point in going on
    children, thread = sandbox.cpu_seconds, time.thread_time()
    result = grading.grade(submission, sandbox)
    thread = time.thread_time() - thread
    if sandbox.ended:
        raise WorkerBroken("the run was stopped")
    write_result(plan.folder, result, plan.limits.seconds)
    sandbox.settle()
    cpu = sandbox.cpu_seconds - children + thread
    return Graded(result, _problem(result), cpu=cpu)


def _stored(grading: Grading, submission: Submission, plan: Plan) -> Result | None:
    """A stored result that grading now would only repeat."""
    found = read_result(plan.folder, grading.key.assignment, submission.student)
    if found is None or found[0].status != "graded":
        return None
    result, seconds = found
    then = (result.submission, result.source, result.key, result.grader, result.isolation, seconds)
    now = (submission.digest, submission.source, grading.key.digest, __version__, plan.isolation, plan.limits.seconds)
    asked = [question.id for question in grading.key.questions]
    return result if then == now and [question.id for question in result.questions] == asked else None


def _problem(result: Result) -> str:
    """What to say of a result that is no grade; nothing for one that is."""
    broken = next((question for question in result.questions if question.status == "grader_error"), None)
    return f"{result.student}: {unmarked(broken.feedback)}" if broken else ""
