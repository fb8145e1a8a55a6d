"""What usual errors of Python mean, once the code runs and before it does."""

from __future__ import annotations

import re

from grader.crashes.names import no_attribute, no_name, not_in_module
from grader.crashes.rules import Rule
from grader.crashes.things import NONE, UNCALLED, of_thing, operands

TYPE, SYNTAX = "TypeError", "SyntaxError IndentationError TabError"
PARAMETERS = (
    "The call and the parameters of {0}() do not fit each other: compare them one by one. A function of the exercise "
    "keeps the parameters that it came with."
)
UNSET = (
    "A name that a function assigns anywhere is its own, and on the way to this line `{0}` got no value: does an `if` "
    "or a loop pass it by, or should it come from outside?"
)
CALLED = (
    "Round brackets call what stands before them, and that is of type {0}: is an operator missing, or was a "
    "function's name given to something else?"
)
SHAPE_CALLED = "Round brackets call, and a tuple such as a shape cannot be called: its entries take square brackets."
UNREAD = "Python could not read it, so nothing in it ran"


def _unpacked(found: re.Match[str]) -> str:
    how = "fewer" if found[1] == "not enough" else "more"
    asks = "how many axes does the tensor have here, and could others stand in front, for a batch?"
    return f"{found[2]} names stand on the left, and {how} things on the right. If they come from a shape: {asks}"


def _one_thing(found: re.Match[str]) -> str:
    said = f"Several names stand on the left and one thing of type {found[1]} on the right: what does it come from?"
    return of_thing(found[1]) or said


RULES = (
    # None, wherever it turns up
    Rule("TypeError AttributeError", r"(?:argument of type )?'NoneType'", NONE),
    Rule("TypeError AttributeError", r"cannot unpack non-iterable NoneType object", NONE),
    # how many
    Rule("ValueError", r"(not enough|too many) values to unpack \(expected (?:at least )?(\d{1,9})", _unpacked),
    Rule(TYPE, r"cannot unpack non-iterable ([\w.]+) object", _one_thing),
    Rule(
        "IndexError",
        "tuple index out of range",
        "The tuple ends before that place. A shape has one for each axis: how many axes does the tensor have here?",
    ),
    Rule(
        "IndexError",
        "list (?:assignment )?index out of range",
        "The list is shorter than that, and counting begins at 0: how many entries does it have when this line runs?",
    ),
    Rule(
        TYPE,
        "(list|tuple) indices must be integers",
        "Entries of a {0} are asked for by whole numbers: what stands between the square brackets?",
    ),
    Rule(
        TYPE,
        r"([\w.<>]{1,80})\(\) (?:takes .{1,60} but \d+ w\w+ given|missing \d+ required|got multiple values for)",
        PARAMETERS,
    ),
    Rule(TYPE, r"([\w.<>]{1,80})\(\) got an unexpected keyword argument", PARAMETERS),
    # what does not go together
    Rule(TYPE, r"unsupported operand type\(s\) for .{1,20}: '([\w.]+)' and '([\w.]+)'", operands),
    Rule(TYPE, r"'(?:tuple|torch\.Size)' object is not callable", SHAPE_CALLED),
    Rule(
        TYPE,
        "'module' object is not callable",
        "A module was called: the function that you mean stands in it, after a dot.",
    ),
    Rule(TYPE, r"'([\w.]{1,60})' object is not callable", CALLED),
    Rule(TYPE, r"'(?:builtin_function_or_method|method|function)' object is not (?:subscriptable|iterable)", UNCALLED),
    Rule(
        TYPE,
        r"'(int|float)' object is not (?:subscriptable|iterable)",
        "This is one number (of type {0}), without entries.",
    ),
    Rule(
        TYPE,
        r"'(?:tuple|torch\.Size)' object does not support item assignment",
        "A tuple cannot be changed, and a shape is one: should the tensor get another shape?",
    ),
    # names
    Rule("NameError", r"name '(\w{1,80})' is not defined", no_name),
    Rule("UnboundLocalError NameError", r"cannot access (?:local|free) variable '(\w{1,80})'", UNSET),
    Rule("AttributeError", r"module '([\w.]{1,80})' has no attribute '(\w{1,80})'", not_in_module),
    Rule("AttributeError", r"'([\w.]{1,80})' object has no attribute '(\w{1,80})'", no_attribute),
    Rule(
        "KeyError",
        "",
        "A dict was asked for a key that it does not hold: which keys does it have when this line runs?",
    ),
    Rule(
        "ModuleNotFoundError",
        r"No module named '([\w.]{1,80})'",
        "There is no module `{0}` where your work runs: is it spelt so, and does the exercise need it?",
    ),
    Rule(
        "ImportError",
        r"cannot import name '(\w{1,80})' from '([\w.]{1,80})'",
        "{1} holds nothing called `{0}`: is it spelt so?",
    ),
    Rule("FileNotFoundError", "", "There is no such file where your work runs: can it do without?"),
    # no end
    Rule("RecursionError", "", "The function calls itself without end: what should stop it, or was another one meant?"),
    Rule("MemoryError", "", "It asks for more memory than there is: which tensor, array or list grows so large?"),
    # what does not load
    Rule(
        SYNTAX,
        r"(?:'[(\[{]' was never closed|unmatched|closing parenthesis)",
        f"{UNREAD}: each bracket needs its partner, which may be missing lines before the place that is named.",
    ),
    Rule(SYNTAX, "expected ':'", f"{UNREAD}: a line with `def`, `if`, `for` or `while` ends with a colon."),
    Rule(SYNTAX, "expected an indented block", f"{UNREAD}: what belongs to a line with a colon stands further in."),
    Rule(
        SYNTAX,
        "(?:unexpected indent|unindent does not match|inconsistent use of tabs)",
        f"{UNREAD}: the lines of a block begin in the same column, all with spaces.",
    ),
    Rule(SYNTAX, "unterminated", f"{UNREAD}: a text ends with the quotation mark that it began with."),
    Rule(
        SYNTAX,
        "invalid (?:non-printable )?character",
        f"{UNREAD}: it holds a sign that is none of Python's, as texts copied from elsewhere do.",
    ),
    Rule(
        SYNTAX,
        "(?:cannot assign to|invalid syntax. Maybe you meant '==')",
        f"{UNREAD}: `=` gives a name a value, and `==` compares.",
    ),
    Rule(
        SYNTAX,
        "'return' outside function",
        f"{UNREAD}: this `return` does not stand far enough in to be part of a function.",
    ),
    Rule(SYNTAX, "", f"{UNREAD}; the cause is often just before the place that is named."),
)
