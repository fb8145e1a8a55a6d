"""Sentences as markdown and back. A message is plain text, in which backticks set code and nothing else is a mark."""

from __future__ import annotations

import re

from grader.wording import first_line

CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
IN_PAIRS = re.compile(r"[^`]*(?:`[^`]+`[^`]*)*")
MARK = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)"  # a backslash that would take the mark from what follows
    r"|`"
    r"|\*(?=\S|$)|(?<!\s)\*"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it is no mark
    r"|\](?=[(\[:])"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w+;)"
    r"|~(?=~)|(?<=~)~"
)
AT_START = re.compile(r"(\s*(?:\d+(?=[.)])|(?=[-+*>#])))")  # of a list, a quotation or a heading
PLAIN = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)|\*\*")


def escaped(text: str) -> str:
    """A message as markdown that shows it letter by letter, but for what stands in backticks, which is code."""
    line = " ".join(text.splitlines())
    pieces, end = [], 0
    for code in CODE.finditer(line):
        pieces += [MARK.sub(r"\\\g<0>", line[end : code.start()]), code[0]]
        end = code.end()
    made = "".join([*pieces, MARK.sub(r"\\\g<0>", line[end:])])
    return AT_START.sub(r"\1\\", made, count=1) if AT_START.match(made) else made


def unmarked(markdown: str) -> str:
    """Our markdown as one reads it in a terminal: nothing is bold, nothing escaped; backticks stay around code."""
    return PLAIN.sub(lambda found: found[1] or ("" if found[0] == "**" else found[0]), markdown)


def quoted(text: str, longest: int = 300) -> str:
    """The first line of what somebody else says; a backtick in it that has no partner would make code of ours."""
    line = first_line(text, longest)
    return line if IN_PAIRS.fullmatch(line) else line.replace("`", "'")


def code(text: str, longest: int = 300) -> str:
    """A line of code between backticks: as many as the line itself does not have side by side."""
    line = first_line(text, longest)
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (max(map(len, re.findall("`+", line))) + 1)
    return f"{fence} {line} {fence}"
