"""One student of a class: where the files are, and which of them count. They are read when asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.reading.attempt import attempted, choose
from grader.reading.names import shown
from grader.reading.submission import Submission, Unreadable, read_submission
from grader.wording import joined

SUFFIXES = (".ipynb", ".py")


@dataclass(frozen=True)
class Entry:
    """A student's files (a notebook, a script, or both) or, without any, the `problem` as a sentence.

    `where` is how to name the place to people. `messages` are about the files' names; `doubt` says which
    files were left out because it cannot be told which of them is the student's work.
    """

    student: str
    where: str
    paths: tuple[Path, ...] = ()
    problem: str | None = None
    messages: tuple[str, ...] = ()
    doubt: str | None = None

    def forms(self) -> tuple[Submission, ...]:
        """Read the files; those that can be read, at least one. Raises Unreadable."""
        return self._read()[0]

    def submission(self, names: Collection[str]) -> Submission:
        """Read the files and choose the form that counts; `names` are what the questions ask for.

        Raises Unreadable if nothing can be read, and if the only form that can be read is untouched: the
        student's work is then in the other one, and 0 points would be wrong.
        """
        forms, unread = self._read()
        counted, message = choose(forms, names)
        if unread and not attempted(counted, names):
            raise Unreadable(unread[0])
        replaced = [f"{problem} {counted.source} was looked at in its place." for problem in unread]
        notes = [*self.messages, *replaced, *([message] if message else []), *counted.messages]
        return replace(counted, messages=tuple(notes))

    def _read(self) -> tuple[tuple[Submission, ...], list[str]]:
        forms, unread = [], [self.doubt] if self.doubt else []
        for path in self.paths:
            try:
                forms.append(read_submission(path, self.student))
            except Unreadable as problem:
                unread.append(str(problem))
        if not forms:
            raise Unreadable(self.problem or " ".join(unread))
        return tuple(forms), unread


def is_form(path: Path) -> bool:
    """Whether a file's name is that of a notebook or a script."""
    return path.suffix.lower() in SUFFIXES


def is_named(path: Path, stem: str) -> bool:
    """Whether a file has the name that the exercise came with, capitals aside."""
    return path.stem.lower() == stem.lower()


def entry_of(student: str, where: str, files: Sequence[Path], stem: str) -> Entry:
    """The entry of a student who handed in `files`: those named after the exercise count, else the only other
    notebook (it was renamed), else the only other script.
    """
    notebook, notebooks = _pick(files, ".ipynb", stem)
    script, scripts = _pick(files, ".py", stem)
    messages = []
    doubt = None
    if notebook is None and len(notebooks) == 1:
        notebook = notebooks[0]
        messages.append(f"{shown(notebook.name)} was read, as there is no {stem}.ipynb.")
    elif notebook is None and notebooks:
        doubt = f"{where} holds {_names(notebooks)}, none of them named {stem}.ipynb: rename the one that counts."
    # Other scripts beside a notebook are helpers; one that is named like it is its second form.
    renamed = [path for path in scripts if notebook is None or path.stem == notebook.stem]
    if script is None and doubt is None and len(renamed) == 1:
        script = renamed[0]
        messages.append(f"{shown(script.name)} was read, as there is no {stem}.py.")
    elif script is None and doubt is None and notebook is None and renamed:
        doubt = f"{where} holds {_names(renamed)}, none of them named {stem}.py: rename the one that counts."
    paths = tuple(path for path in (notebook, script) if path is not None)
    problem = None if paths else doubt or _nothing(where, files, stem)
    return Entry(student, where, paths, problem, tuple(messages), doubt)


def _pick(files: Sequence[Path], suffix: str, stem: str) -> tuple[Path | None, list[Path]]:
    """The file with the exercise's name, and the others with this ending."""
    fitting = sorted(path for path in files if path.suffix.lower() == suffix)
    named = [path for path in fitting if is_named(path, stem)]
    # "attention.ipynb" before "Attention.ipynb"
    chosen = max(named, key=lambda path: path.name == stem + suffix, default=None)
    return chosen, [path for path in fitting if path not in named]


def _nothing(where: str, files: Sequence[Path], stem: str) -> str:
    only = f" (only {_names(sorted(files))})" if files else ""
    return f"{where} holds no {stem}.ipynb and no {stem}.py{only}: hand in one of them."


def _names(paths: Sequence[Path]) -> str:
    names = [shown(path.name) for path in paths]
    if len(names) > 4:
        names[3:] = [f"{len(names) - 3} others"]
    return joined(names)
