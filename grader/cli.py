"""The command line. Nothing slow is imported before a command needs it: `grader --help` is instant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import click

from grader import __version__
from grader.errors import CourseError


class _Sentences(click.Group):
    """Turns errors of the course or the command line into one sentence and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CourseError as error:
            click.echo(str(error), err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            grading = ctx.invoked_subcommand == "grade"
            rest = " What was graded is stored; the same command goes on from there." if grading else ""
            click.echo(f"Stopped.{rest}", err=True)
            sys.exit(1)


def _finite(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:
        raise click.BadParameter("'nan' is no number of seconds.")
    return value


@click.group(cls=_Sentences, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grader")
def main() -> None:
    """Grade PyTorch exercises, and say question by question what is wrong and why."""


@main.command()
@click.argument("assignment")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("--jobs", "-j", type=click.IntRange(1, 256), help="Submissions graded at once.  [default: cores]")
@click.option("--cluster", metavar="ADDRESS", hidden=True)
@click.option(
    "--format",
    "-f",
    type=click.Choice(["table", "json", "jsonl", "csv", "junit", "gradescope", "html"]),
    default="table",
    show_default=True,
    metavar="[table|json|jsonl]",
)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write there instead of to the screen.")
@click.option("--fresh", is_flag=True, help="Grade anew what is stored already.")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 3600), callback=_finite, help="Seconds per question.  [default: the key's]"
)
@click.option("--isolation", type=click.Choice(["auto", "strict", "process"]), default="auto", show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="No progress, no closing words.")
def grade(
    assignment: str,
    paths: tuple[Path, ...],
    isolation: Literal["auto", "strict", "process"],
    cluster: str | None,
    **options: Any,
) -> None:
    """Run the hidden checks of ASSIGNMENT on submissions.

    PATH is a notebook, a script, a student's folder, a folder of students' folders, or a zip of these;
    without PATH, submitted/*/ASSIGNMENT. Run it in the course's folder. Results are stored in graded/,
    and a rerun grades only what changed.
    """
    if cluster is not None:
        raise CourseError("--cluster is not there yet; --jobs uses the cores of this machine.")
    from grader.commands import Options, grade_command

    sys.exit(grade_command(assignment, paths, Options(isolation=isolation, **options)))


@main.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--watch", "-w", is_flag=True, help="Check again whenever you save, until Ctrl-C.")
def check(path: Path, watch: bool) -> None:
    """Run the public checks on your own work in PATH (default: the current folder)."""
    if watch:
        from grader.student.watching import watch_folder

        sys.exit(watch_folder(path))
    from grader.student.terminal import check_folder

    sys.exit(check_folder(path))


@main.command()
@click.argument("words", nargs=-1, metavar="[ID] [PATH]")
def hint(words: tuple[str, ...]) -> None:
    """Ask you something that helps with question ID (default: the next that is open) of the exercise in PATH.

    ID is a question's name, or that of a function or an answer that it asks for. No hint tells the answer.
    """
    from grader.student.hint import hint_command

    sys.exit(hint_command(words))


@main.command()
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
def verify(assignments: tuple[str, ...]) -> None:
    """Prove that an answer key keeps its promises, and print which mistake fails which check.

    What is right earns everything, what is nothing earns nothing, every mistake is caught and named, tolerances stand
    clear, and nothing private shows. Without ASSIGNMENT, all keys in solutions/keys. Exit code 1 when a proof does not
    hold; each says what to do.
    """
    from grader.verifying.command import verify_command

    sys.exit(verify_command(assignments))


@main.command()
@click.argument("assignment")
@click.option("--bundle", metavar="ZIP", type=click.Path(path_type=Path), help="Also pack what a student needs.")
def release(assignment: str, bundle: Path | None) -> None:
    """Make exercises/ASSIGNMENT from solutions/ASSIGNMENT, and refuse if anything private would show.

    With --bundle, ZIP holds the exercise, the grader, a pyproject.toml to install both, and a page that says how.
    """
    from grader.releasing.bundle import release_bundle
    from grader.releasing.release import release as release_assignment

    here = Path()
    released = release_assignment(here, assignment) if bundle is None else release_bundle(here, assignment, bundle)
    for written in released.written:
        click.echo(written)
    for left_out in released.left_out:
        click.echo(f"not released: {left_out}", err=True)
