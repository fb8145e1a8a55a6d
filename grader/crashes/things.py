"""What is said of a thing by its type's name, where another kind of thing was wanted."""

from __future__ import annotations

import math
import re

NONE = (
    "Something is None here: an argument that was left out of the call, or what a function gives that has no `return`. "
    "Where does it come from?"
)
UNCALLED = "A function stands here that was not called: are its round brackets missing?"
SEVERAL = "A {0} stands here, which holds several things: is one of them meant?"
NUMPY = "This is NumPy's, and no tensor: where on the way did it stop being one?"
FUNCTIONS = ("builtin_function_or_method", "method", "function", "method_descriptor")


def of_thing(kind: str) -> str:
    """What a thing of this type is; "" for types of which there is nothing to say."""
    if kind == "NoneType":
        return NONE
    if kind in FUNCTIONS:
        return UNCALLED
    if kind.startswith("torch.return_types."):
        return f"With `dim`, {kind.rpartition('.')[2]}() gives two things, values and where they stand: which is meant?"
    if kind in ("tuple", "list", "dict"):
        return SEVERAL.format(kind)
    if kind == "torch.Size":
        return "This is a shape, with one number for each axis: is one of them meant?"
    return NUMPY if kind.startswith("numpy.") else ""


def no_tensor(found: re.Match[str]) -> str:
    """For `sqrt(): argument 'input' (position 1) must be Tensor, not int`."""
    function, kind = found[1], found[2]
    if kind not in ("int", "float"):
        return of_thing(kind)
    said = f"torch.{function}() takes tensors, and this is a plain number"
    if not hasattr(math, function):
        return f"{said}: is it the right thing to hand over?"
    return f"{said}; `math.{function}()`{' and `** 0.5` are' if function == 'sqrt' else ' is'} for those."


def operands(found: re.Match[str]) -> str:
    """For `unsupported operand type(s) for @: 'Tensor' and 'NoneType'`."""
    said = next((told for kind in (found[1], found[2]) if (told := of_thing(kind))), "")
    return (
        said
        or f"A value of type {found[1]} and one of type {found[2]} do not go together: what should each of them be?"
    )
