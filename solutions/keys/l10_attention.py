"""Answer key of lesson 10, attention. PRIVATE: nothing of this file reaches a student.

Each code question is a chain of steps; each mistake replaces one step and is told to the student in one
sentence. Cases give every axis a size of its own, so that a swapped axis cannot go unnoticed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

from grader.key import AnswerKey, CodeQuestion, Draw, Step

Arguments: TypeAlias = Iterator[tuple[Any, ...]]
Queries: TypeAlias = Float[Tensor, "*batch queries width"]
Keys: TypeAlias = Float[Tensor, "*batch keys width"]
Values: TypeAlias = Float[Tensor, "*batch keys columns"]
Scores: TypeAlias = Float[Tensor, "*batch queries keys"]
Outputs: TypeAlias = Float[Tensor, "*batch queries columns"]
Rows: TypeAlias = Float[Tensor, "rows columns"]
Table: TypeAlias = Float[Tensor, "out in"]
Row: TypeAlias = Float[Tensor, " columns"]
Shares: TypeAlias = Float[Tensor, " rows"]

key = AnswerKey("l10_attention", title="Attention", seconds=5.0)

# The worked example of the lesson: three positions, two coordinates.
Q = K = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
V = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]], dtype=torch.float64)
FIGURE = 0.5e-4  # the most that a figure displayed with 4 decimals is off


# --- the questions, in the order of the lesson --------------------------------------------------------

mix_rows = key.code(
    "mix_rows",
    points=5,
    takes="rows proportions",
    returns="mixed",
    axes={"mixed": "columns of rows"},
    hint="Which row should count most, and where in your code does its proportion meet it?",
)
average_answer = key.values(
    "average_answer",
    points=4,
    title="Two mixtures",
    hint="How much of each row is taken, and what do the shares sum to?",
)
project = key.code(
    "project",
    points=5,
    takes="x table",
    returns="projected",
    axes={"projected": "rows of x, rows of table"},
    hint="The table has one row per output coordinate. Which axis of the table must meet the columns of x?",
)
match_scores = key.code(
    "match_scores",
    points=10,
    takes="q k",
    returns="scores",
    axes={"scores": "queries, keys"},
    hint="For one query and one key, what single number should come out, and what is it divided by?",
)
reading_weights = key.code(
    "reading_weights",
    points=8,
    takes="scores",
    returns="weights",
    axes={"weights": "as the scores"},
    hint="Which numbers must sum to 1: those of one row, or those of one column?",
)
attention = key.code(
    "attention",
    points=20,
    takes="q k v",
    returns="output scores weights",
    axes={"output": "queries, columns of v", "scores": "queries, keys", "weights": "queries, keys"},
    hint="Follow one query by hand: its scores, its weights, its output. Where does your code first differ?",
)
attend_one = key.code(
    "attend_one",
    points=5,
    takes="query k v",
    returns="one_output",
    axes={"one_output": "columns of v"},
    hint="A single query is one row. What would attention() give for a table that holds only this row?",
)
shapes_answer = key.values(
    "shapes_answer",
    points=5,
    title="Shapes",
    hint="Which sizes meet in a product and vanish, and which ones remain?",
)
row_answer = key.values(
    "row_answer",
    points=6,
    title="A row of your own",
    hint="Scores first, then scaling, then exponentials: at which step do you leave the worked example?",
)
v_row_increase = key.values(
    "v_row_increase",
    points=4,
    title="A row of V changes: the output",
    hint="How much of V's third row does position 1 read, and by how much did that row change?",
)
v_row_weights = key.values(
    "v_row_weights",
    points=3,
    title="A row of V changes: the weights",
    hint="Which of Q, K and V go into the scores?",
)
q0_weights = key.values(
    "q0_weights",
    points=4,
    title="A query of zeros: the weights",
    hint="What is the dot product of zeros with any key, and what does softmax make of equal scores?",
)
q0_output = key.values(
    "q0_output",
    points=4,
    title="A query of zeros: the output",
    hint="Which earlier way of mixing rows do these weights remind you of?",
)
one_way = key.values(
    "one_way",
    points=6,
    title="A key table of your own",
    hint="With X the identity, which row of the key table does which position read?",
)
cancel = key.values(
    "cancel",
    points=5,
    title="Values of your own",
    hint="Positions 0 and 2 get the same weight from position 0. What could their rows of V be?",
)
gradients = key.values(
    "gradients",
    points=6,
    title="What is trained",
    hint="Which tables are kept from one pass to the next, and which are computed anew?",
)


# --- code questions: references, mistakes and cases ---------------------------------------------------


def shared(questions: tuple[CodeQuestion, ...], step: str, message: str) -> Callable[[Step], Step]:
    """A mistake that several questions have in common, since their chains share the step."""

    def add(replacement: Step) -> Step:
        for question in questions:
            question.mistake(step, message)(replacement)
        return replacement

    return add


of_scores = partial(shared, (match_scores, attention))
of_weights = partial(shared, (reading_weights, attention))


def root_of_width(q: Tensor) -> float:
    return math.sqrt(q.shape[-1])


def small(*rows: Any) -> Tensor:
    """Inputs made for showing: whole numbers mostly, and none of the lesson's own tables."""
    return torch.tensor(rows, dtype=torch.float64)


# mix_rows


@mix_rows.step
def shares(rows: Rows, proportions: Shares | None) -> Shares:
    count = rows.shape[0]
    uniform = torch.full((count,), 1 / count, dtype=rows.dtype)
    return uniform if proportions is None else proportions


@mix_rows.step
def mixed(shares: Shares, rows: Rows) -> Row:
    return shares @ rows


@mix_rows.mistake("shares", "You always take the uniform average; when proportions are given, they decide.")
def always_uniform(rows: Rows) -> Shares:
    return torch.full((rows.shape[0],), 1 / rows.shape[0], dtype=rows.dtype)


@mix_rows.mistake("shares", "Without proportions you add the rows up; the average also divides by their number.")
def sum_for_average(rows: Rows, proportions: Shares | None) -> Shares:
    return torch.ones(rows.shape[0], dtype=rows.dtype) if proportions is None else proportions


@mix_rows.mistake("mixed", "You average over the columns of each row; the rows are what is mixed.")
def columns_mixed(rows: Rows) -> Row:
    return rows.mean(dim=-1)


@mix_rows.mistake("mixed", "The proportions sum to 1 already; dividing by the number of rows again makes it too small.")
def divided_again(shares: Shares, rows: Rows) -> Row:
    return shares @ rows / rows.shape[0]


@mix_rows.mistake("mixed", "The proportions sum to 1 already; dividing by the number of rows again makes it too small.")
def given_ones_divided_again(shares: Shares, rows: Rows, proportions: Shares | None) -> Row:
    return shares @ rows if proportions is None else shares @ rows / rows.shape[0]


@mix_rows.mistake("mixed", "You weigh the rows but do not add them up: one row should come back, not all of them.")
def not_summed(shares: Shares, rows: Rows) -> Row:
    return shares[:, None] * rows


@mix_rows.cases("without proportions every row counts the same", points=2)
def _(rng: Draw) -> Arguments:
    yield rng.normal(4, 3), None
    yield rng.normal(7, 2), None


@mix_rows.cases("given proportions decide how much of each row is taken", points=3)
def _(rng: Draw) -> Arguments:
    yield rng.normal(4, 3), rng.proportions(4)
    yield rng.normal(2, 5), rng.proportions(2)
    yield rng.normal(6, 6), rng.proportions(6)


@mix_rows.small
def _() -> Arguments:
    yield small([1, 2], [3, 6]), None
    yield small([1, 2], [3, 6]), small(0, 1)
    yield small([0, 4, 1], [4, 0, 1]), small(0.25, 0.75)


# project


@project.step
def projected(x: Rows, table: Table) -> Rows:
    return x @ table.mT


@project.mistake("projected", "You multiply by the table as it stands; a projection is X times W transposed.")
def table_not_transposed(x: Rows, table: Table) -> Rows:
    return x @ table


@project.mistake("projected", "You multiply the table by X; the rows of X come first: X times W transposed.")
def table_first(x: Rows, table: Table) -> Rows:
    return table @ x.mT


@project.mistake("projected", "reshape does not swap the axes of the table, it only cuts its numbers up anew.")
def table_reshaped(x: Rows, table: Table) -> Rows:
    return x @ table.reshape(table.shape[-1], table.shape[-2])


@project.mistake("projected", "You multiply element by element; each output is a whole dot product of two rows.")
def elementwise(x: Rows, table: Table) -> Rows:
    return x * table


@project.cases("each row of x meets each row of the table, whatever their number", points=3)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 4), rng.normal(3, 4)
    yield rng.normal(2, 3), rng.normal(6, 3)


@project.cases("a square table that is not symmetric is used the right way round", points=2)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 3), rng.normal(3, 3)
    yield rng.normal(4, 4), rng.normal(4, 4)


@project.small
def _() -> Arguments:
    yield small([1, 2]), small([1, 0], [3, 1])
    yield small([1, 0, 2], [0, 1, 1]), small([1, 2, 3])


# match_scores


@match_scores.step
@attention.step
def raw(q: Queries, k: Keys) -> Scores:
    return q @ k.mT


@match_scores.step
@attention.step
def scores(raw: Scores, q: Queries) -> Scores:
    return raw / root_of_width(q)


@of_scores("raw", "Your scores are K times Q transposed: rows must be the queries and columns the keys.")
def queries_and_keys_swapped(q: Queries, k: Keys) -> Scores:
    return k @ q.mT


@of_scores("raw", "reshape (or view) does not swap the axes of k, it only cuts its numbers up anew.")
def keys_reshaped(q: Queries, k: Keys) -> Scores:
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])


@of_scores(
    "raw", "You multiply q by k as it stands; swap the last two axes of k first, so that each query meets each key."
)
def keys_as_they_stand(q: Queries, k: Keys) -> Scores:
    return q @ k


@of_scores("raw", "You bring q and k to length 1 first: that is the cosine, not the dot product.")
def cosine(q: Queries, k: Keys) -> Scores:
    return torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).mT


@of_scores("raw", "You match features with features; every query must meet every key.")
def features_matched(q: Queries, k: Keys) -> Scores:
    return k.mT @ q


@of_scores("scores", "Your scores are not divided by the square root of the width of a query.")
def unscaled(raw: Scores) -> Scores:
    return raw


@of_scores("scores", "You divide by the width of a query; it is the square root of the width.")
def scaled_by_width(raw: Scores, q: Queries) -> Scores:
    return raw / q.shape[-1]


@of_scores("scores", "You multiply by the square root of the width; the scores are divided by it.")
def scaling_inverted(raw: Scores, q: Queries) -> Scores:
    return raw * root_of_width(q)


@of_scores("scores", "You divide by √2, which fits the worked example only; compute it from q's width.")
def literal_root_2(raw: Scores) -> Scores:
    return raw / math.sqrt(2)


@of_scores("scores", "You scale by the number of keys; what counts is the width of a query.")
def scaled_by_keys(raw: Scores, k: Keys) -> Scores:
    return raw / math.sqrt(k.shape[-2])


@of_scores("scores", "You scale by the number of queries; what counts is the width of a query.")
def scaled_by_queries(raw: Scores, q: Queries) -> Scores:
    return raw / math.sqrt(q.shape[-2])


@attention.mistake("scores", "You scale by the width of v; what counts is the width of a query.")
def scaled_by_value_width(raw: Scores, v: Values) -> Scores:
    return raw / math.sqrt(v.shape[-1])


@attention.mistake("scores", "You scale by the number of axes (len(shape) or dim()); take q.shape[-1], the width.")
def scaled_by_axes(raw: Scores, q: Queries) -> Scores:
    return raw / math.sqrt(q.dim())


@of_scores("scores", "In Python, x / d ** 1/2 divides by d and then by 2; write d ** 0.5 or math.sqrt(d).")
def power_before_half(raw: Scores, q: Queries) -> Scores:
    return raw / q.shape[-1] ** 1 / 2


@of_scores("scores", "In Python, d ** 1/2 is (d ** 1) / 2; write d ** 0.5 or math.sqrt(d).")
def half_of_width(raw: Scores, q: Queries) -> Scores:
    return raw / (q.shape[-1] / 2)


@of_scores("scores", "// rounds every score down to a whole number and stops the gradient; divide with /.")
def floor_division(raw: Scores, q: Queries) -> Scores:
    return torch.floor_divide(raw, root_of_width(q))


def constant_added(constant: float) -> Step:
    def scores(raw: Scores, q: Queries) -> Scores:
        return raw / root_of_width(q) + constant

    return scores


for constant in (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5):
    added = constant_added(constant)
    added.__name__ = f"constant_added_{constant:g}"
    of_scores("scores", "A constant is added to every score. It cancels in the softmax, but the scores are wrong.")(
        added
    )


@match_scores.cases("each score is the dot product of one query with one key, scaled", points=5)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 6), rng.normal(7, 6)
    yield rng.normal(3, 4), rng.normal(2, 4)


@match_scores.cases("the scaling follows the width of the query", points=3)
def _(rng: Draw) -> Arguments:
    yield rng.normal(4, 9), rng.normal(6, 9)
    yield rng.normal(2, 1), rng.normal(5, 1)
    yield rng.normal(6, 3), rng.normal(4, 3)


@match_scores.cases("as many queries as keys, and as many keys as columns, are told apart", points=2)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 5), rng.normal(5, 5)
    yield rng.normal(1, 7), rng.normal(7, 7)


@match_scores.small
def _() -> Arguments:
    yield small([1, 1, 1, 1]), small([1, 0, 0, 0], [1, 1, 1, 1])  # a width whose root is a whole number
    yield small([1], [2]), small([0], [1], [3])
    yield small([2, 0, 0, 0], [0, 0, 0, 1]), small([1, 2, 3, 4], [0, 1, 0, 2], [2, 0, 0, 0])


# reading_weights


@reading_weights.step
@attention.step
def weights(scores: Scores) -> Scores:
    return scores.softmax(dim=-1)


@of_weights("weights", "Your softmax runs down the queries; each query's weights over the keys sum to 1.")
def softmax_over_queries(scores: Scores) -> Scores:
    return scores.softmax(dim=-2)


@of_weights("weights", "Your softmax runs over the whole table at once; each row must sum to 1 by itself.")
def softmax_over_everything(scores: Scores) -> Scores:
    return scores.flatten(-2).softmax(dim=-1).reshape(scores.shape)


@attention.mistake("weights", "Your softmax runs over axis 0, which are the queries or a batch; the keys are dim=-1.")
def softmax_over_axis_0(scores: Scores) -> Scores:
    return scores.softmax(dim=0)


@attention.mistake("weights", "Your softmax runs over axis 1, which is wrong once there is a batch; take dim=-1.")
def softmax_over_axis_1(scores: Scores) -> Scores:
    return scores.softmax(dim=1)


@attention.mistake("weights", "Your softmax has no dim, so torch picks an axis by their number; write dim=-1.")
def softmax_without_axis(scores: Scores) -> Scores:
    return scores.softmax(dim=0 if scores.dim() in (0, 1, 3) else 1)


@of_weights("weights", "Softmax runs twice, which flattens the weights; once is enough.")
def softmax_twice(scores: Scores) -> Scores:
    return scores.softmax(dim=-1).softmax(dim=-1)


@of_weights("weights", "log_softmax gives the logarithms of the weights; the weights need softmax.")
def logarithms(scores: Scores) -> Scores:
    return scores.log_softmax(dim=-1)


@of_weights("weights", "The scores are used as they are; a softmax must turn each row into weights.")
def no_softmax(scores: Scores) -> Scores:
    return scores


@of_weights("weights", "You divide each row by its sum without exponentials; negative scores break that.")
def sum_without_exponentials(scores: Scores) -> Scores:
    return scores / scores.sum(dim=-1, keepdim=True)


@of_weights("weights", "You take exponentials but do not divide by their sum in each row.")
def not_normalised(scores: Scores) -> Scores:
    return scores.exp()


@of_weights("weights", "exp overflows for large scores and gives NaN; subtract each row's largest score first.")
def exponentials_overflow(scores: Scores) -> Scores:
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@of_weights("weights", "You subtract one maximum from the whole table; rows far below it vanish into 0/0.")
def one_maximum_for_all(scores: Scores) -> Scores:
    powers = (scores - scores.max()).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@of_weights("weights", "The row sums lose their axis, so the division meets the wrong one; add keepdim=True.")
def sums_without_axis(scores: Scores) -> Scores:
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1)


@reading_weights.cases("each row of weights is the softmax of that row's scores", points=5)
def _(rng: Draw) -> Arguments:
    yield (rng.normal(5, 7),)
    yield (rng.normal(4, 2, scale=3.0),)
    yield (rng.normal(3, 3),)


@reading_weights.cases("scores in the hundreds give finite weights", points=3, tolerance=1e-3)
def _(rng: Draw) -> Arguments:
    yield (rng.normal(4, 6, scale=300.0, dtype=torch.float32),)
    yield (rng.normal(4, 6) + torch.tensor([[900.0], [-900.0], [0.0], [300.0]]),)


@reading_weights.small
def _() -> Arguments:
    yield (small([2, 0]),)
    yield (small([2, 0], [0, 1]),)
    yield (small([0, 1, 3], [2, 0, 0]),)
    yield (small([1000, 0], [0, 0]),)


# attention


@attention.step
def output(weights: Scores, v: Values) -> Outputs:
    return weights @ v


@attention.mistake(
    "raw",
    "You match features with features; every query must meet every key.",
    output=lambda weights, v: v @ weights,
)
def features_matched_throughout(q: Queries, k: Keys) -> Scores:
    return k.mT @ q


@attention.mistake(
    "raw",
    "It takes single tables only and stops where batch axes stand in front, as .T, .t(), transpose(0, 1), torch.mm or"
    " n, d = q.shape do; k.mT or k.transpose(-2, -1) swaps the last two axes of any number.",
)
def all_axes_turned(q: Queries, k: Keys) -> Scores:
    return q @ k.permute(*reversed(range(k.dim())))


def arguments_in_order(*order: int) -> Step:
    def taken(q: Queries, k: Keys, v: Values) -> tuple[Tensor, ...]:
        given = (q, k, v)
        return tuple(given[place] for place in order)

    return taken


for name, order in {
    "q_v_k": (0, 2, 1),
    "k_v_q": (1, 2, 0),
    "v_k_q": (2, 1, 0),
    "v_q_k": (2, 0, 1),
}.items():
    taken = arguments_in_order(*order)
    taken.__name__ = f"taken_as_{name}"
    attention.mistake("taken", "Your parameters stand in another order; the caller gives q, k, v, in this order.")(
        taken
    )


@attention.mistake("raw", "You match the queries with v; what they are matched with is k.")
def values_for_keys(q: Queries, v: Values) -> Scores:
    return q @ v.mT


@attention.mistake(
    "weights",
    "A step in place (/=, *=, exp_(), out=) overwrites what the gradient needs; write w = w / ... instead of w /= ...",
)
def weights_divided_in_place(scores: Scores) -> Scores:
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
    exponentials /= exponentials.sum(-1, keepdim=True)
    return exponentials


@attention.mistake(
    "raw", "numpy, .data, .detach(), no_grad() or out= cuts what follows from q and k, so no gradient gets there."
)
def queries_and_keys_detached(q: Queries, k: Keys) -> Scores:
    return q.detach() @ k.detach().mT


@attention.mistake("taken", "All is turned into float32 at the start, whatever came in; keep the dtype of the inputs.")
def taken_in_float32(q: Queries, k: Keys, v: Values) -> tuple[Tensor, ...]:
    return q.float(), k.float(), v.float()


@attention.mistake("raw", "You scale q in place, which changes the caller's tensor; write q = q / ... instead.")
def query_scaled_in_place(q: Queries, k: Keys) -> Scores:
    root = root_of_width(q)
    q /= root
    return q @ k.mT * root


@attention.mistake("raw", "transpose_ with the underscore turns the caller's k itself; use transpose without it.")
def key_transposed_in_place(q: Queries, k: Keys) -> Scores:
    k.transpose_(-2, -1)
    return q @ k


@attention.mistake("weights", "You divide by the square root after the softmax; the scores are scaled before it.")
def scaled_after_softmax(raw: Scores, q: Queries) -> Scores:
    return raw.softmax(dim=-1) / root_of_width(q)


@attention.mistake("weights", "The softmax gets the scores before scaling; it should get the scaled ones.")
def softmax_of_unscaled(raw: Scores) -> Scores:
    return raw.softmax(dim=-1)


@attention.mistake("weights", "You hide later positions (a causal mask), which this lesson does not ask for.")
def causal_mask(scores: Scores) -> Scores:
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, float("-inf")).softmax(dim=-1)


@attention.mistake("output", "You multiply v by the scores; it is the weights that mix the rows of v.")
def scores_for_weights(scores: Scores, v: Values) -> Outputs:
    return scores @ v


@attention.mistake("output", "You transpose the weights before they meet v; they already have one row per query.")
def weights_transposed(weights: Scores, v: Values) -> Outputs:
    return weights.mT @ v


@attention.mistake("output", "The output equals weights times k; the values come from v.")
def keys_for_values(weights: Scores, k: Keys) -> Outputs:
    return weights @ k


@attention.mistake("output", "The output is the plain mean of v, the same for every query; the weights must decide.")
def mean_of_values(weights: Scores, v: Values) -> Outputs:
    return v.mean(dim=-2, keepdim=True).expand(*weights.shape[:-1], v.shape[-1])


@attention.mistake("output", "You multiply the weights by v transposed; sum over the keys, which are the rows of v.")
def values_transposed(weights: Scores, v: Values) -> Outputs:
    return weights @ v.mT


@attention.mistake("output", "A second softmax runs over the output; the weighted sum of v is the result already.")
def softmax_of_output(weights: Scores, v: Values) -> Outputs:
    return (weights @ v).softmax(dim=-1)


@attention.mistake("output", "v meets the scores before the softmax; the softmax of the scores comes first, then v.")
def softmax_after_values(scores: Scores, v: Values) -> Outputs:
    return (scores @ v).softmax(dim=-1)


@attention.mistake("output", "The output is turned into float32 whatever came in; keep the dtype of the inputs.")
def output_in_float32(weights: Scores, v: Values) -> Outputs:
    return (weights @ v).float()


@attention.mistake(
    "output", "numpy, .data, .detach(), no_grad() or out= cuts the output from its making, so no gradient flows."
)
def output_detached(weights: Scores, v: Values) -> Outputs:
    return (weights @ v).detach()


@attention.mistake("returned", "All three are there, but in another order: return output, scores, weights.")
def weights_before_scores(output: Outputs, scores: Scores, weights: Scores) -> Any:
    return output, weights, scores


@attention.mistake("returned", "All three are there, but in another order: return output, scores, weights.")
def weights_first(output: Outputs, scores: Scores, weights: Scores) -> Any:
    return weights, scores, output


@attention.mistake("returned", "All three are there, but in another order: return output, scores, weights.")
def scores_first(output: Outputs, scores: Scores, weights: Scores) -> Any:
    return scores, weights, output


@attention.mistake("returned", "Only the output comes back; return output, scores and weights.")
def output_alone(output: Outputs) -> Any:
    return output


@attention.mistake("returned", "Only the output and the weights come back; return output, scores and weights.")
def scores_left_out(output: Outputs, weights: Scores) -> Any:
    return output, weights


@attention.mistake("returned", "The scores that you return are the ones before scaling; return the scaled ones.")
def unscaled_scores_returned(output: Outputs, raw: Scores, weights: Scores) -> Any:
    return output, raw, weights


@attention.mistake("returned", "Nothing comes back: a print shows a value, only return gives it to the caller.")
def nothing_returned() -> Any:
    return None


@attention.mistake("returned", "A dict comes back; return the plain tuple output, scores, weights.")
def dict_returned(output: Outputs, scores: Scores, weights: Scores) -> Any:
    return {"output": output, "scores": scores, "weights": weights}


def _sizes(rng: Draw) -> Arguments:
    """Queries, keys, width and columns of v: first all different, then each pair equal that can hide a slip."""
    for queries, keys, width, columns in ((5, 7, 6, 3), (4, 6, 5, 5), (3, 4, 8, 4), (5, 5, 5, 5)):
        yield rng.normal(queries, width), rng.normal(keys, width), rng.normal(keys, columns)


attention.cases("the scores are the scaled dot products of queries and keys", points=4, only="scores")(_sizes)
attention.cases("each row of weights is the softmax of that row's scores", points=4, only="weights")(_sizes)
attention.cases("each row of the output mixes the rows of v by its weights", points=4, only="output")(_sizes)


@attention.cases("leading batch axes are carried along", points=2)
def _(rng: Draw) -> Arguments:
    yield rng.normal(2, 5, 6), rng.normal(2, 7, 6), rng.normal(2, 7, 3)
    yield rng.normal(3, 3, 4), rng.normal(3, 3, 4), rng.normal(3, 3, 4)
    yield rng.normal(2, 3, 4, 5), rng.normal(2, 3, 6, 5), rng.normal(2, 3, 6, 7)
    yield rng.normal(2, 1, 3, 4, 6), rng.normal(2, 1, 3, 5, 6), rng.normal(2, 1, 3, 5, 2)


@attention.cases("a gradient reaches q, k and v", points=2, gradient=True)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 6), rng.normal(7, 6), rng.normal(7, 3)
    yield rng.normal(3, 4), rng.normal(2, 4), rng.normal(2, 5)


@attention.cases("the dtype of the inputs is kept", points=1, keeps_dtype=True)
def _(rng: Draw) -> Arguments:
    for dtype in (torch.float32, torch.float64):
        yield rng.normal(5, 6, dtype=dtype), rng.normal(7, 6, dtype=dtype), rng.normal(7, 3, dtype=dtype)


@attention.cases("the inputs are left as they were", points=1, unchanged=True)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 6), rng.normal(7, 6), rng.normal(7, 3)
    yield rng.normal(4, 4), rng.normal(4, 4), rng.normal(4, 4)


@attention.cases("scores in the hundreds give finite weights", points=1, tolerance=1e-3)
def _(rng: Draw) -> Arguments:
    small_and_large = torch.tensor([[1e-3], [1.0], [1.0], [1.0]], dtype=torch.float32)
    q = rng.normal(4, 6, scale=20.0, dtype=torch.float32) * small_and_large
    yield q, rng.normal(5, 6, scale=20.0, dtype=torch.float32), rng.normal(5, 3, dtype=torch.float32)


@attention.cases("the same inputs give the same answer each time", points=1, repeat=True)
def _(rng: Draw) -> Arguments:
    yield rng.normal(5, 6), rng.normal(7, 6), rng.normal(7, 3)


@attention.tells_apart
def _(rng: Draw) -> Arguments:
    # as many rows of v as queries: transposed weights, or queries and keys swapped, run here
    yield rng.normal(4, 6), rng.normal(7, 6), rng.normal(4, 3)


@attention.small
def _() -> Arguments:
    yield small([1, 1, 1, 1]), small([1, 1, 0, 0], [0, 0, 0, 0]), small([2, 0], [0, 4])  # scores 1 and 0
    yield small([1], [2]), small([0], [1], [3]), small([4, 0], [0, 2], [1, 1])
    yield (
        small([2, 0, 0, 0], [0, 0, 0, 1]),
        small([1, 2, 3, 4], [0, 1, 0, 2], [2, 0, 0, 1]),
        small([4, 0], [0, 2], [1, 1]),
    )
    yield small([1000], [0]), small([1], [0]), small([2], [4])
    yield small([[1], [2]], [[0], [1]]), small([[1], [0]], [[2], [1]]), small([[4], [0]], [[0], [2]])


# attend_one


@attend_one.step
def one_raw(query: Row, k: Keys) -> Shares:
    return k @ query


@attend_one.step
def one_scores(one_raw: Shares, query: Row) -> Shares:
    return one_raw / root_of_width(query)


@attend_one.step
def one_weights(one_scores: Shares) -> Shares:
    return one_scores.softmax(dim=-1)


@attend_one.step
def one_output(one_weights: Shares, v: Values) -> Row:
    return one_weights @ v


@attend_one.mistake("one_scores", "The scores of the single query are not divided by the square root of its width.")
def one_unscaled(one_raw: Shares) -> Shares:
    return one_raw


@attend_one.mistake("one_scores", "You divide by √2, which fits the worked example only; compute it from the width.")
def one_literal_root_2(one_raw: Shares) -> Shares:
    return one_raw / math.sqrt(2)


@attend_one.mistake("one_scores", "You divide by the width of the query; it is the square root of the width.")
def one_scaled_by_width(one_raw: Shares, query: Row) -> Shares:
    return one_raw / query.shape[-1]


@attend_one.mistake("one_scores", "You scale by the number of keys; what counts is the width of the query.")
def one_scaled_by_keys(one_raw: Shares, k: Keys) -> Shares:
    return one_raw / math.sqrt(k.shape[-2])


@attend_one.mistake("one_weights", "The scores mix the rows of v as they are; a softmax must turn them into weights.")
def one_without_softmax(one_scores: Shares) -> Shares:
    return one_scores


@attend_one.mistake("one_output", "The output is the plain mean of v; the weights of the query must decide.")
def one_mean_of_values(v: Values) -> Row:
    return v.mean(dim=0)


@attend_one.mistake("one_output", "The output equals weights times k; the values come from v.")
def one_keys_for_values(one_weights: Shares, k: Keys) -> Row:
    return one_weights @ k


@attend_one.mistake("returned", "You return a table with one row; a single query gets a plain row of shape [columns].")
def one_row_table(one_output: Row) -> Any:
    return one_output[None]


@attend_one.cases("the output is the row that the matrix version gives for this query", points=5)
def _(rng: Draw) -> Arguments:
    yield rng.normal(6), rng.normal(7, 6), rng.normal(7, 3)
    yield rng.normal(4), rng.normal(4, 4), rng.normal(4, 4)
    yield rng.normal(3), rng.normal(2, 3), rng.normal(2, 5)


@attend_one.small
def _() -> Arguments:
    yield small(1, 1, 1, 1), small([1, 1, 0, 0], [0, 0, 0, 0]), small([2, 0], [0, 4])
    yield small(2), small([0], [1], [1]), small([4, 0], [0, 2], [1, 1])


# --- numbers: functions of the references, so that a wrong one is explained by the same mistakes --------

AVERAGED = torch.tensor([[3.0, 0.0], [0.0, 2.0], [2.0, 6.0]], dtype=torch.float64)
SHARES = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
QUERY = torch.tensor([2.0, 1.0], dtype=torch.float64)
CHANGED_V = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]], dtype=torch.float64)
ZERO_QUERY = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)


def other_sizes(attention: Step) -> Any:
    return attention(torch.zeros(4, 8), torch.zeros(7, 8), torch.zeros(7, 5))


key.numeric(
    average_answer,
    "UNIFORM_AVERAGE",
    points=2,
    says="UNIFORM_AVERAGE holds the average of the three rows",
    answer=lambda mix_rows: mix_rows(AVERAGED),
    slack=8 * FIGURE,
)
key.numeric(
    average_answer,
    "FIXED_MIX",
    points=2,
    says="FIXED_MIX holds the rows mixed in the given proportions",
    answer=lambda mix_rows: mix_rows(AVERAGED, SHARES),
)
key.numeric(
    shapes_answer,
    "SCORES_SHAPE",
    points=2,
    says="SCORES_SHAPE is the shape of the scores",
    answer=lambda attention: list(other_sizes(attention)[1].shape),
)
key.numeric(
    shapes_answer,
    "OUTPUT_SHAPE",
    points=2,
    says="OUTPUT_SHAPE is the shape of the output",
    answer=lambda attention: list(other_sizes(attention)[0].shape),
)
key.numeric(
    shapes_answer,
    "TEN_POSITIONS_WIDTH",
    points=1,
    says="TEN_POSITIONS_WIDTH is the width of one row of the output",
    answer=lambda attention: attention(torch.zeros(10, 2), torch.zeros(10, 2), torch.zeros(10, 2))[0].shape[-1],
)
key.numeric(
    row_answer,
    "ROW_WEIGHTS",
    points=3,
    says="ROW_WEIGHTS holds the proportions of the new query",
    answer=lambda attention: attention(QUERY[None], K, V)[2][0],
    slack=2 * FIGURE,
)
key.numeric(
    row_answer,
    "ROW_OUTPUT",
    points=3,
    says="ROW_OUTPUT holds the output of the new query",
    answer=lambda attention: attention(QUERY[None], K, V)[0][0],
    slack=4 * FIGURE,
)
key.numeric(
    v_row_increase,
    "V_ROW_INCREASE",
    points=4,
    says="V_ROW_INCREASE is the growth of coordinate 0 at position 1",
    answer=lambda attention: attention(Q, K, CHANGED_V)[0][1, 0] - attention(Q, K, V)[0][1, 0],
    slack=2 * FIGURE,
)
key.choice(
    v_row_weights,
    "V_ROW_WEIGHTS",
    points=3,
    says="V_ROW_WEIGHTS says what happens to the weights",
    letters="ABC",
    right="C",
    why={
        "A": "The weights come from Q and K alone.",
        "B": "The weights on position 2 come from q and k of that position; V has no part in them.",
    },
)
key.numeric(
    q0_weights,
    "Q0_WEIGHTS",
    points=4,
    says="Q0_WEIGHTS holds the proportions of the zero query",
    answer=lambda attention: attention(ZERO_QUERY, K, V)[2][0],
)
key.numeric(
    q0_output,
    "Q0_OUTPUT",
    points=4,
    says="Q0_OUTPUT holds the output of the zero query",
    answer=lambda attention: attention(ZERO_QUERY, K, V)[0][0],
    slack=4 * FIGURE,
)


# --- tables of the student's own making ---------------------------------------------------------------


@key.construct(
    one_way,
    "ONE_WAY_WK",
    points=6,
    says="with the key table ONE_WAY_WK, position 0 scores position 1 with 2 and is scored with 0",
    shape=(2, 2),
)
def one_way_trouble(table: Tensor) -> str | None:
    x = torch.eye(2, dtype=torch.float64)
    found = x @ (x @ table.mT).mT
    forth, back = float(found[0, 1]), float(found[1, 0])
    if abs(forth - 2) <= 1e-4 and abs(back) <= 1e-4:
        return None
    if abs(back - 2) <= 1e-4 and abs(forth) <= 1e-4:
        return "With your ONE_WAY_WK it is the other way round: position 1 scores position 0 with 2."
    asked = "2 and 0 are asked for"
    return f"With your ONE_WAY_WK, position 0 scores position 1 with {forth:.4g} and gets {back:.4g} back; {asked}."


@key.construct(
    cancel,
    "CANCEL_V",
    points=5,
    says="CANCEL_V is not all zeros, and with it the output at position 0 is [0, 0]",
    shape=(3, 2),
)
def cancel_trouble(table: Tensor) -> str | None:
    if not table.any():
        return "CANCEL_V is all zeros; the contributions should cancel, not be absent."
    first = (Q @ K.mT / math.sqrt(2)).softmax(dim=-1)[0]
    result = first @ table
    whole = table / table.abs().max()  # sums of enormous numbers would overflow
    # a table built from the displayed weights is off by half a unit of their last decimal, per row
    if bool(((first @ whole).abs() <= 1.5 * FIGURE * whole.abs().sum(dim=0)).all()):
        return None
    return f"With your CANCEL_V, the output at position 0 is [{result[0]:.4f}, {result[1]:.4f}]."


# --- choices ------------------------------------------------------------------------------------------

key.choice(
    gradients,
    "GRADIENTS_REACH",
    points=3,
    says="GRADIENTS_REACH says which tables have a gradient",
    letters="ABCD",
    right="C",
    why={
        "A": "The weights depend on Wq and Wk, and softmax lets gradients through.",
        "B": "The output also depends on Wv, directly.",
        "D": "Softmax is a smooth function; gradients pass through it.",
    },
)
key.choice(
    gradients,
    "OPTIMIZER_STORES",
    points=3,
    says="OPTIMIZER_STORES says what an optimizer keeps and updates",
    letters="ABCD",
    right="B",
    why={
        "A": "The weights A are computed anew in each pass; they are no parameters.",
        "C": "A is computed anew in each pass, and Wq and Wk are trained as well.",
        "D": "Q, K and V are computed anew in each pass from X and the tables.",
    },
)


# --- other right ways to write the functions ----------------------------------------------------------
# `grader verify` holds each to full marks, and measures with them how far right answers lie apart.


def softmax_by_hand(scores: Scores) -> Scores:
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def softmax_through_logarithms(scores: Scores) -> Scores:
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()


@mix_rows.alternative
def rows_added_one_by_one(rows: Rows, proportions: Shares | None = None) -> Row:
    mixed = torch.zeros_like(rows[0])
    for place, row in enumerate(rows):
        mixed = mixed + (row / len(rows) if proportions is None else proportions[place] * row)
    return mixed


@mix_rows.alternative
def mean_or_weighted_sum(rows: Rows, proportions: Shares | None = None) -> Row:
    return rows.mean(dim=0) if proportions is None else (proportions[:, None] * rows).sum(dim=0)


@mix_rows.alternative
def columns_met_by_proportions(rows: Rows, proportions: Shares | None = None) -> Row:
    if proportions is None:
        return rows.sum(dim=0) / rows.shape[0]
    return torch.einsum("rc,r->c", rows, proportions)


@project.alternative
def linear_layer(x: Rows, table: Table) -> Rows:
    return torch.nn.functional.linear(x, table)


@project.alternative
def projected_by_einsum(x: Rows, table: Table) -> Rows:
    projected: Tensor = torch.einsum("pi,oi->po", x, table)
    return projected


@project.alternative
def one_number_at_a_time(x: Rows, table: Table) -> Rows:
    return torch.stack([torch.stack([(row * meets).sum() for meets in table]) for row in x])


@match_scores.alternative
def scores_by_einsum(q: Queries, k: Keys) -> Scores:
    raw: Tensor = torch.einsum("qd,kd->qk", q, k)
    return raw / root_of_width(q)


@match_scores.alternative
def scores_query_by_query(q: Queries, k: Keys) -> Scores:
    return torch.stack([(k * query).sum(dim=-1) / math.sqrt(len(query)) for query in q])


@match_scores.alternative
def fourth_root_on_each_side(q: Queries, k: Keys) -> Scores:
    root = math.sqrt(root_of_width(q))
    return (q / root) @ (k / root).mT


@match_scores.alternative
def scaled_by_float32_root(q: Queries, k: Keys) -> Scores:
    return q @ k.mT / torch.sqrt(torch.tensor(float(q.shape[-1])))


@reading_weights.alternative
def weights_by_hand(scores: Scores) -> Scores:
    return softmax_by_hand(scores)


@reading_weights.alternative
def weights_through_logarithms(scores: Scores) -> Scores:
    return softmax_through_logarithms(scores)


@reading_weights.alternative
def weights_row_by_row(scores: Scores) -> Scores:
    return torch.stack([row.softmax(dim=0) for row in scores])


@attention.alternative
def attention_by_einsum(q: Queries, k: Keys, v: Values) -> Any:
    scores = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    return torch.einsum("...qk,...kc->...qc", weights, v), scores, weights


@attention.alternative
def library_function_for_the_output(q: Queries, k: Keys, v: Values) -> Any:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v), scores, scores.softmax(dim=-1)


@attention.alternative
def query_by_query(q: Queries, k: Keys, v: Values) -> Any:
    scores = torch.stack([(k * query[..., None, :]).sum(dim=-1) for query in q.unbind(-2)], dim=-2)
    scores = scores / math.sqrt(q.shape[-1])
    weights = torch.stack([row.softmax(dim=-1) for row in scores.unbind(-2)], dim=-2)
    rows = [(row[..., None] * v).sum(dim=-2) for row in weights.unbind(-2)]
    return torch.stack(rows, dim=-2), scores, weights


@attention.alternative
def queries_in_two_parts(q: Queries, k: Keys, v: Values) -> Any:
    chunks = [chunk @ k.mT / root_of_width(q) for chunk in q.chunk(2, dim=-2)]
    weights = [chunk.softmax(dim=-1) for chunk in chunks]
    outputs = [chunk @ v for chunk in weights]
    return tuple(torch.cat(parts, dim=-2) for parts in (outputs, chunks, weights))


@attention.alternative
def keys_in_two_parts(q: Queries, k: Keys, v: Values) -> Any:
    """The softmax is put together from parts of each row, as fast libraries do it."""
    scores = torch.cat([q @ chunk.mT / root_of_width(q) for chunk in k.chunk(2, dim=-2)], dim=-1)
    largest = scores.amax(dim=-1, keepdim=True)
    total, output = torch.zeros_like(largest), torch.zeros_like(q[..., :1] * v[..., :1, :])
    for some, rows in zip(scores.chunk(2, dim=-1), v.chunk(2, dim=-2), strict=True):
        powers = (some - largest).exp()
        total, output = total + powers.sum(dim=-1, keepdim=True), output + powers @ rows
    return output / total, scores, (scores - largest).exp() / total


@attention.alternative
def fourth_root_of_the_width_on_each_side(q: Queries, k: Keys, v: Values) -> Any:
    root = math.sqrt(root_of_width(q))
    scores = (q / root) @ (k / root).mT
    weights = scores.softmax(dim=-1)
    return weights @ v, scores, weights


@attention.alternative
def softmax_with_the_largest_score_taken_off(q: Queries, k: Keys, v: Values) -> Any:
    scores = (q @ k.mT) * (1 / root_of_width(q))
    weights = softmax_by_hand(scores)
    return weights @ v, scores, weights


@attention.alternative
def softmax_from_logarithms(q: Queries, k: Keys, v: Values) -> Any:
    scores = (q / root_of_width(q)) @ k.mT
    weights = softmax_through_logarithms(scores)
    return weights @ v, scores, weights


@attention.alternative
def root_of_width_in_float32(q: Queries, k: Keys, v: Values) -> Any:
    scores = q @ k.mT / torch.sqrt(torch.tensor(float(q.shape[-1])))
    weights = scores.softmax(dim=-1)
    return weights @ v, scores, weights


@attend_one.alternative
def row_of_the_whole(query: Row, k: Keys, v: Values) -> Row:
    output, _, _ = attention.reference()(query[None], k, v)
    return torch.as_tensor(output[0])


@attend_one.alternative
def one_by_einsum(query: Row, k: Keys, v: Values) -> Row:
    weights = (torch.einsum("d,kd->k", query, k) / query.shape[-1] ** 0.5).softmax(dim=0)
    return torch.einsum("k,kc->c", weights, v)


@attend_one.alternative
def one_by_hand(query: Row, k: Keys, v: Values) -> Row:
    weights = softmax_by_hand((k * query).sum(dim=-1) / root_of_width(query))
    return (weights[:, None] * v).sum(dim=0)
