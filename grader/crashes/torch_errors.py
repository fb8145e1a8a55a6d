"""What usual errors of torch mean. tests/test_crashes.py makes each of them with the torch that is installed."""

from __future__ import annotations

import re

from grader.crashes.rules import Rule, axes
from grader.crashes.things import no_tensor

RUNTIME, INDEX, TYPE, VALUE = "RuntimeError", "IndexError", "TypeError", "ValueError"
N = r"(\d{1,20})"  # a length

SPELT = {"Float": "float32", "Double": "float64", "Half": "float16", "Long": "int64", "Int": "int32", "Bool": "bool"}
NEW = "could the result be a new tensor?"
PRODUCT = "A matrix product needs as many columns on its left as there are rows on its right; here {0}. "
SUMMED = "Which axis of each should be summed over?"
DTYPES = (
    "Two dtypes meet here. A tensor that torch.zeros, torch.ones or torch.tensor makes has a dtype of its own unless "
    "`dtype=` says which: which tensor here differs from the inputs?"
)
LEAF = (
    "This changes in place a tensor whose gradient is wanted, as `+=`, `-=`, `*=`, `/=` and names that end in `_` do: "
    + NEW
)
USED = (
    "A tensor was changed in place after it had been used, and its old numbers are needed for the gradient: which "
    "line above changes a tensor instead of making a new one?"
)
NO_GRADIENTS = (
    "NumPy knows no gradients, and this tensor needs one; `.detach()` would end the error and lose the gradient. "
    "Can torch do this step?"
)
TRUTH = (
    "`if`, `and`, `or` and `not` need one True or False, and a tensor has one for each of its places: should it hold "
    "for all of them, for any, or for each by itself?"
)
ONE_NUMBER = (
    "One number is wanted here, and this tensor holds several: float(), .item() and the functions of `math` take one "
    "number, those of torch a whole tensor."
)
NO_AXES = "This tensor is a single number, without axes: did a sum or an index before it take one away too many?"
VIEW = (
    "view() only groups numbers anew as they lie in memory, and after a transpose they lie in another order: should "
    "axes change places here, or numbers be grouped anew?"
)
BROADCAST = (
    "Element by element, and in `@` before the last two axes, shapes are lined up from their last axis backwards, and "
    "two lengths must be equal unless one is 1; here {0} meets {1}. Did an axis get lost on the way, or did `.T` turn "
    "all of them round?"
)
FILLS = (
    "What is to be put in has the length {1} where there are {0} places, and only a length of 1 is repeated: what "
    "shape should each side have?"
)
OPERANDS = (
    "The equation has a group of letters for each tensor, with commas between them: there must be as many of both."
)
LETTERS = "Before the arrow stand the letters of each tensor's axes, with commas between; behind it, the result's."


def _batches(found: re.Match[str]) -> str:
    many, columns, others, rows = found.groups()
    if many != others:
        return f"Both sides of bmm() need as many matrices; here {many} meet {others}."
    return PRODUCT.format(f"{columns} columns meet {rows} rows") + SUMMED


def _no_axis(found: re.Match[str]) -> str:
    has = axes(int(found[1]) + 1)
    asks = "which one is meant, and are there as many as you expect?"
    return f"The tensor has {has} here, counted from 0, or from -1 at the end: {asks}"


def _outside(found: re.Match[str]) -> str:
    axis, length = found.groups()
    places = f"has the places 0 to {int(length) - 1}" if int(length) else "is empty"
    return f"Axis {axis} of the tensor {places}: is it the axis that you mean?"


def _matrices_only(found: re.Match[str]) -> str:
    return f"`.{found[1]}` is for matrices, and this tensor has {axes(int(found[2]))}: are there as many as you expect?"


def _no_cast(found: re.Match[str]) -> str:
    came, kept = (SPELT.get(name, name) for name in found.groups())
    return f"What works in place keeps its tensor's dtype, and {came} does not fit into {kept}: {NEW}"


def _not_for(found: re.Match[str]) -> str:
    dtype = SPELT.get(found[1], found[1])
    return f"This does not work on tensors of {dtype}: where was that tensor made, and should it hold floats?"


def _huge(found: re.Match[str]) -> str:
    size = f"{int(found[1]) / 1e9:,.1f}".removesuffix(".0")
    return f"It asks for a tensor of {size} GB, for which there is no memory: which lengths multiply to that?"


RULES = (
    # products
    Rule(
        RUNTIME,
        rf"mat1 and mat2 shapes cannot be multiplied \(\d+x{N} and {N}x\d+\)",
        PRODUCT.format("{0} columns meet {1} rows") + SUMMED,
    ),
    Rule(RUNTIME, rf"Expected size for first two .* to be: \[{N}, {N}\] but got: \[{N}, {N}\]", _batches),
    Rule(
        RUNTIME,
        rf"size mismatch, got input \(\d+\), mat \(\d+x{N}\), vec \({N}\)",
        PRODUCT.format("{0} columns meet {1} numbers") + SUMMED,
    ),
    Rule(
        RUNTIME,
        rf"inconsistent tensor size, expected tensor \[{N}\] and src \[{N}\]",
        "Two rows of numbers must be of one length to be multiplied and summed; here {0} meet {1}.",
    ),
    Rule(
        RUNTIME,
        "1D tensors expected, but got",
        "torch.dot() takes tensors of one axis: is a product of matrices meant?",
    ),
    Rule(
        RUNTIME,
        "both arguments to matmul need to be at least 1D",
        "One side of this matrix product is a single number, without axes: should it multiply each element instead?",
    ),
    Rule(
        RUNTIME,
        r"\w+ must be a (3D tensor|matrix)",
        "This function takes a {0}, with neither more nor fewer axes: how many does the tensor have?",
    ),
    # element by element, and side by side
    Rule(RUNTIME, rf"The size of tensor a \({N}\) must match the size of tensor b \({N}\)", BROADCAST),
    Rule(RUNTIME, rf"The expanded size of the tensor \({N}\) must match the existing size \({N}\)", FILLS),
    Rule(
        RUNTIME,
        r"shape mismatch: value tensor of shape",
        "What stands on the right does not fit into the places on the left: what shape should each side have?",
    ),
    Rule(
        RUNTIME,
        r"output with shape \[[\d, ]*\] doesn't match the broadcast shape",
        f"What works in place keeps its tensor's shape, and this result would be larger: {NEW}",
    ),
    Rule(
        RUNTIME,
        rf"Sizes of tensors must match except in dimension {N}\. Expected size {N} but got size {N}",
        "To be joined along axis {0}, tensors must have the same length in every other axis; here {1} meets {2}.",
    ),
    Rule(
        RUNTIME,
        "stack expects each tensor to be equal size",
        "torch.stack() needs tensors of the same shape; these differ.",
    ),
    # dtypes
    Rule(RUNTIME, r"(?:expected m\w+ and m\w+ to have the same dtype|expected scalar type \w+ but found \w+)", DTYPES),
    Rule(RUNTIME, r"(?:dot : expected both vectors to have same dtype|\w+\(\): Expected self\.dtype to be)", DTYPES),
    Rule(RUNTIME, r"(?:Found dtype \w+ but expected \w+|Index put requires the source and destination dtypes)", DTYPES),
    Rule(
        RUNTIME,
        r"result type (\w+) can't be cast to the desired output type (\w+)",
        _no_cast,
    ),
    Rule(
        RUNTIME,
        r"mean\(\): could not infer output dtype",
        "A mean needs a tensor of floats, and this one holds whole numbers or True and False: where was it made?",
    ),
    Rule(
        f"{RUNTIME} NotImplementedError",
        r"\"\w+\" not implemented for '(\w+)'",
        _not_for,
    ),
    Rule(
        RUNTIME,
        "[Oo]nly Tensors of floating point",
        "Only floats have gradients, and this tensor holds whole numbers: 1 is one, 1.0 is not.",
    ),
    Rule(
        RUNTIME,
        r"(?:masked_fill_? only supports boolean masks|where expected condition to be a boolean)",
        "A mask holds True and False, as a comparison gives them; this one holds numbers.",
    ),
    # gradients
    Rule(RUNTIME, "a (?:view of a )?leaf Variable that requires grad is being used in an in-place operation", LEAF),
    Rule(RUNTIME, "one of the variables needed for gradient computation has been modified by an inplace", USED),
    Rule(RUNTIME, r"Can't call numpy\(\) on Tensor that requires grad", NO_GRADIENTS),
    Rule(
        RUNTIME,
        "element 0 of tensors does not require grad",
        "Nothing on the way here asks for a gradient: was the way cut, or is there no tensor with `requires_grad`?",
    ),
    Rule(
        RUNTIME,
        "grad can be implicitly created only for scalar outputs",
        "A gradient is taken of one number, and this tensor holds several: how should they become one?",
    ),
    Rule(
        RUNTIME,
        "Trying to backward through the graph a second time",
        "backward() went through the same steps twice: is something calculated before a loop that belongs in it?",
    ),
    # axes and places
    Rule(
        "UserWarning DeprecationWarning RuntimeError",
        r"The use of `x\.T` on tensors of dimension other than 2",
        "`.T` turns all axes round, those of a batch too: which two of them should change places?",
    ),
    Rule(RUNTIME, rf"tensor\.(m?[TH]) is only supported on .{{,60}} Got {N}-D tensor", _matrices_only),
    Rule(RUNTIME, rf"(t\(\)) expects a tensor with <= 2 dimensions, but self is {N}D", _matrices_only),
    Rule(INDEX, rf"Dimension out of range \(expected to be in range of \[-\d+, {N}\]", _no_axis),
    Rule(
        INDEX,
        rf"too many indices for tensor of dimension {N}",
        "More places are asked for than the tensor has axes: which axes does it have here?",
    ),
    Rule(INDEX, rf"index -?\d+ is out of bounds for dimension {N} with size {N}", _outside),
    Rule(INDEX, r"(?:invalid index of a 0-dim tensor|slice\(\) cannot be applied to a 0-dim)", NO_AXES),
    Rule(TYPE, r"(?:iteration over|len\(\) of) a 0-d tensor", NO_AXES),
    Rule(
        INDEX,
        "The shape of the mask",
        "A mask has the shape of the tensor that it picks from: which axis does each of the two have first?",
    ),
    Rule(
        INDEX,
        "(?:only integers, slices|tensors used as indices must be)",
        "Places are counted in whole numbers, and this is none: `/` gives a float, and so does torch.zeros().",
    ),
    # one number, one truth
    Rule(
        f"{RUNTIME} {VALUE}",
        "(?:only one element tensors can be|a Tensor with .{,30} cannot be) converted to",
        ONE_NUMBER,
    ),
    Rule(
        TYPE,
        "only integer tensors of a single element can be converted to an index",
        "One whole number is wanted here, and this is a tensor of several, or of floats: is a length of it meant?",
    ),
    Rule(RUNTIME, "Boolean value of Tensor with more than one value is ambiguous", TRUTH),
    # einsum
    Rule(
        RUNTIME,
        rf"einsum\(\): the number of subscripts in the equation \({N}\) .* of dimensions \({N}\) for operand {N}",
        "Each tensor needs a letter for each of its axes; operand {2} (the first is 0) has {1} axes and {0} letters.",
    ),
    Rule(
        RUNTIME,
        rf"einsum\(\): subscript (\w) has size {N} for operand {N} .* previously seen size {N}",
        "A letter is one length wherever it stands: {0} is {3} first, then {1}. Do the letters name the right axes?",
    ),
    Rule(
        RUNTIME,
        r"einsum\(\): output subscript (\w) does not appear",
        "The letter {0} behind the arrow stands for no axis before it.",
    ),
    Rule(RUNTIME, r"einsum\(\): (?:more|fewer) operands were provided", OPERANDS),
    Rule(f"{RUNTIME} {VALUE}", r"einsum\(\)", LETTERS),
    # shapes anew
    Rule(RUNTIME, "view size is not compatible with input tensor's size and stride", VIEW),
    Rule(
        RUNTIME,
        rf"shape '\[[-\d, ]*\]' is invalid for input of size {N}",
        "A new shape must hold as many numbers as the old one, {0}: what should each of its axes be?",
    ),
    Rule(
        RUNTIME,
        rf"permute\(.{{,20}}\): number of dimensions .* input\.dim\(\) = {N} is not equal to len\(dims\) = {N}",
        "permute() names every axis once: the tensor has {0} of them, and {1} are named.",
    ),
    # what is handed over
    Rule(TYPE, r"(\w+)\(\): argument '\w+' (?:\(position \d+\) )?must be Tensor, not ([\w.]+)", no_tensor),
    Rule(
        TYPE,
        r"(\w+)\(\): argument 'tensors' (?:\(position \d+\) )?must be tuple of Tensors",
        "{0}() takes its tensors as one list or tuple.",
    ),
    Rule(
        TYPE,
        r"(\w+)\(\) missing \d+ required positional arguments?: \"dim\"",
        "{0}() has to be told along which axis it goes: `dim`.",
    ),
    Rule(
        TYPE,
        r"(\w+)\(\) received an invalid combination of arguments",
        "{0}() does not take things of these kinds or names together: what does its documentation list?",
    ),
    # memory
    Rule(RUNTIME, rf"(?:\[enforce fail.{{,60}}\] )?.{{,40}}DefaultCPUAllocator: .{{,60}} allocate {N} bytes", _huge),
    Rule(
        RUNTIME,
        "Storage size calculation overflowed",
        "It asks for a tensor larger than any memory: which lengths multiply to that?",
    ),
)
