"""The public checks of lesson 10. Run them as often as you like:

    pytest                    checks every question
    pytest -k match_scores    checks one question

`student` is your work: `student.attention` is the function that you wrote, `student.Q0_WEIGHTS` your answer.
A check of a function uses the examples of the text and some other shapes. A check of an answer looks at its
form only; whether the answer is right, grading will say.
"""

import math

import pytest
import torch

from grader.public import (
    Picture,
    Question,
    called,
    expect,
    expect_choice,
    expect_dtype,
    expect_figures,
    expect_gradient,
    expect_numbers,
    expect_shape,
    expect_table,
    expect_weights,
    expect_whole_numbers,
    parts,
)

# What you write for each question, and what `grader hint` asks you about it.
QUESTIONS = {
    "mix_rows": Question(
        points=5,
        names=("mix_rows",),
        hint="Take two rows and the proportions 0.5 and 0.5: what do you calculate by hand? And without proportions?",
    ),
    "average_answer": Question(
        points=4,
        names=("UNIFORM_AVERAGE", "FIXED_MIX"),
        title="Two mixtures",
        hint="Does your mix_rows() give the figures of the text? What does it give for these rows?",
    ),
    "project": Question(
        points=5,
        names=("project",),
        hint="Follow one number that comes out: which row of x and which row of the table is it made of?",
    ),
    "match_scores": Question(
        points=10,
        names=("match_scores",),
        hint="Which two rows does a single score come from? What would happen to it if both rows were twice as wide?",
    ),
    "reading_weights": Question(
        points=8,
        names=("reading_weights",),
        hint="Which axis of the scores holds the keys, and over which axis does one query share out what it reads?",
    ),
    "attention": Question(
        points=20,
        names=("attention",),
        hint="Which of your functions does each step already, and what does the next step need from it?",
    ),
    "attend_one": Question(
        points=5,
        names=("attend_one",),
        hint="How many axes has a single query, how many does attention() expect, and how many should come back?",
    ),
    "shapes_answer": Question(
        points=5,
        names=("SCORES_SHAPE", "OUTPUT_SHAPE", "TEN_POSITIONS_WIDTH"),
        title="Shapes",
        hint="Write the shapes of Q, K and V below their names in both formulas: what shape has each product?",
    ),
    "row_answer": Question(
        points=6,
        names=("ROW_WEIGHTS", "ROW_OUTPUT"),
        title="A row of your own",
        hint="Do your functions give the figures of the worked example? And what for the new query?",
    ),
    "v_row_increase": Question(
        points=4,
        names=("V_ROW_INCREASE",),
        title="A row of V changes: the output",
        hint="Calculate the output before and after the change: which terms of the sum for that one number differ?",
    ),
    "v_row_weights": Question(
        points=3,
        names=("V_ROW_WEIGHTS",),
        title="A row of V changes: the weights",
        hint="Try it: what does your attention() return third, before the change and after it?",
    ),
    "q0_weights": Question(
        points=4,
        names=("Q0_WEIGHTS",),
        title="A query of zeros: the weights",
        hint="Which score does a query of zeros have with each key, and which key does it like best?",
    ),
    "q0_output": Question(
        points=4,
        names=("Q0_OUTPUT",),
        title="A query of zeros: the output",
        hint="With the weights of the question before in hand, which single step is left?",
    ),
    "one_way": Question(
        points=6,
        names=("ONE_WAY_WK",),
        title="A key table of your own",
        hint="Write out both scores with letters for the four numbers of the table: which letters are in each?",
    ),
    "cancel": Question(
        points=5,
        names=("CANCEL_V",),
        title="Values of your own",
        hint="How much of each row of V arrives at position 0, and when do two parts of a sum take each other away?",
    ),
    "gradients": Question(
        points=6,
        names=("GRADIENTS_REACH", "OPTIMIZER_STORES"),
        title="What is trained",
        hint="Which tables change the output when one of their numbers moves? Which are there before any text?",
    ),
}

# The figures of the worked example, rounded to 4 decimals. Of the scores, the text shows the first row.
SCORES = [[0.7071, 0.0, 0.7071], [0.0, 0.7071, 0.7071], [0.7071, 0.7071, 1.4142]]
WEIGHTS = [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]
OUTPUT = [[0.8022, 1.1978], [0.5989, 1.6044], [0.7517, 1.5035]]


def worked():
    """Q, K and V of the worked example, made anew for each check."""
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return x, x.clone(), torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])


def table(*shape):
    """A table of this shape, with a different number in every place."""
    return torch.arange(1.0, 1 + math.prod(shape)).sin().reshape(shape)


# What check() draws in the notebook: a call with numbers of the text, made with your function, beside what it gives.
PICTURES = {
    "mix_rows": Picture(
        call="mix_rows([[1, 0], [0, 2], [1, 2]], [0.5, 0.25, 0.25])",
        make=lambda student: student.mix_rows(worked()[2], torch.tensor([0.5, 0.25, 0.25])),
        figures=[0.75, 1.0],
    ),
    "project": Picture(
        call="project([[1, 2]], [[0, 1], [1, 1], [3, 0]])",
        make=lambda student: student.project(
            torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 1.0], [1.0, 1.0], [3.0, 0.0]])
        ),
        figures=[[2.0, 3.0, 3.0]],
    ),
    "match_scores": Picture(
        call="match_scores(Q, K)",
        make=lambda student: student.match_scores(*worked()[:2]),
        figures=SCORES,
    ),
    "reading_weights": Picture(
        call="reading_weights(scores of the worked example)",
        make=lambda student: student.reading_weights(torch.tensor(SCORES)),
        figures=WEIGHTS,
        weights="result",
    ),
    "attention": Picture(
        call="attention(Q, K, V)",
        make=lambda student: student.attention(*worked()),
        figures={"scores": SCORES, "weights": WEIGHTS, "output": OUTPUT},
        returns="output scores weights",
        weights="weights",
    ),
    "attend_one": Picture(
        call="attend_one(Q[0], K, V)",
        make=lambda student: student.attend_one(worked()[0][0], *worked()[1:]),
        figures=OUTPUT[0],
    ),
}


@pytest.mark.question("mix_rows")
def test_mix_rows_takes_the_average_without_proportions(student):
    """without proportions, every row counts the same"""
    rows = torch.tensor([[2.0, 0.0], [4.0, 8.0]])
    expect(student.mix_rows(rows), [3.0, 4.0], "mix_rows([[2, 0], [4, 8]])")


@pytest.mark.question("mix_rows")
def test_mix_rows_uses_the_proportions(student):
    """each row counts with its own proportion"""
    expect_figures(student, PICTURES["mix_rows"])


@pytest.mark.question("mix_rows")
@pytest.mark.parametrize("n, c", [(4, 3), (2, 5)])
def test_mix_rows_gives_one_number_for_each_column(student, n, c):
    """any number of rows gives one number for each column"""
    rows, proportions = table(n, c), torch.full([n], 1 / n)
    expect_shape(student.mix_rows(rows), [c], called("mix_rows", rows=rows))
    call = called("mix_rows", rows=rows, proportions=proportions)
    expect_shape(student.mix_rows(rows, proportions), [c], call)


@pytest.mark.question("project")
def test_project_uses_one_row_of_the_table_for_each_number(student):
    """each number that comes out is x times one row of the table"""
    expect_figures(student, PICTURES["project"])


@pytest.mark.question("project")
@pytest.mark.parametrize("n, d_in, d_out", [(4, 2, 3), (2, 3, 5)])
def test_project_gives_one_row_for_each_position(student, n, d_in, d_out):
    """any number of positions gives one row for each, as wide as the table is high"""
    x, weights = table(n, d_in), table(d_out, d_in)
    call = called("project", x=x, table=weights)
    expect_shape(student.project(x, weights), [n, d_out], call, "positions, rows of table")


@pytest.mark.question("match_scores")
def test_match_scores_divides_by_the_root_of_the_width(student):
    """dot products are divided by √d, here √4"""
    q, k = torch.tensor([[1.0, 0.0, 2.0, 0.0]]), torch.tensor([[2.0, 5.0, 1.0, 0.0], [0.0, 0.0, 3.0, 1.0]])
    call = "match_scores([[1, 0, 2, 0]], [[2, 5, 1, 0], [0, 0, 3, 1]])"
    expect(student.match_scores(q, k), [[2.0, 3.0]], call)


@pytest.mark.question("match_scores")
def test_match_scores_agrees_with_the_worked_example(student):
    """the scores of the worked example are those of the text"""
    expect_figures(student, PICTURES["match_scores"])


@pytest.mark.question("match_scores")
def test_match_scores_has_a_row_for_each_query(student):
    """each query has a row, and each key a column"""
    q, k = table(5, 6), table(7, 6)
    expect_shape(student.match_scores(q, k), [5, 7], called("match_scores", q=q, k=k), "queries, keys")


@pytest.mark.question("reading_weights")
def test_reading_weights_agrees_with_the_worked_example(student):
    """the weights of the worked example are those of the text"""
    expect_figures(student, PICTURES["reading_weights"])


@pytest.mark.question("reading_weights")
def test_reading_weights_sums_to_1_along_each_row(student):
    """each row of weights sums to 1"""
    scores = table(2, 5)
    call = called("reading_weights", scores=scores)
    weights = student.reading_weights(scores)
    expect_shape(weights, [2, 5], call, "queries, keys")
    expect(weights.sum(dim=-1), [1.0, 1.0], f"{call}.sum(dim=-1)")


@pytest.mark.question("reading_weights")
def test_reading_weights_is_stable(student):
    """scores in the hundreds give proper weights"""
    scores = torch.tensor([[500.0, 501.0986]])
    expect(student.reading_weights(scores), [[0.25, 0.75]], "reading_weights([[500, 501.0986]])")


@pytest.mark.question("attention")
def test_attention_returns_output_scores_weights(student):
    """the output comes first, then the scores, then the weights"""
    q, k, v = table(5, 6), table(7, 6), table(7, 3)
    call = called("attention", q=q, k=k, v=v)
    returned = student.attention(q, k, v)
    axes = {"output": "queries, columns of v", "scores": "queries, keys", "weights": "queries, keys"}
    expect_shape(returned, {"output": [5, 3], "scores": [5, 7], "weights": [5, 7]}, call, axes)
    sums = parts(returned, "output scores weights", call)[2].sum(dim=-1).tolist()
    right = pytest.approx([1] * 5, abs=1e-4)
    assert sums == right, f"{call}: the rows of weights, which come third, do not sum to 1."


@pytest.mark.question("attention")
def test_attention_agrees_with_the_worked_example(student):
    """the worked example gives the figures of the text"""
    expect_figures(student, PICTURES["attention"])


@pytest.mark.question("attention")
def test_attention_reads_a_single_key_alone(student):
    """with a single key, each row of the output is the row of v"""
    v = torch.tensor([[4.0, 5.0, 6.0]])
    q, k = table(2, 3), table(1, 3)
    call = called("attention", q=q, k=k, v=v)
    output, _, _ = parts(student.attention(q, k, v), "output scores weights", call)
    expect((output,), {"output": [[4.0, 5.0, 6.0], [4.0, 5.0, 6.0]]}, call)


@pytest.mark.question("attention")
def test_attention_leaves_its_inputs_alone(student):
    """q, k and v are the same afterwards"""
    given = worked()
    student.attention(*given)
    for name, before, after in zip("qkv", worked(), given):
        assert torch.equal(before, after), f"attention(Q, K, V) changes {name}; work on a new tensor instead."


@pytest.mark.question("attention")
@pytest.mark.parametrize("batch", [(2,), (2, 3)])
def test_attention_takes_batch_axes(student, batch):
    """each text of a batch gives what it gives alone"""
    q, k, v = table(*batch, 4, 6), table(*batch, 5, 6), table(*batch, 5, 3)
    names, call = "output scores weights", called("attention", q=q, k=k, v=v)
    last = tuple(size - 1 for size in batch)
    whole = parts(student.attention(q, k, v), names, call)
    alone = parts(student.attention(q[last], k[last], v[last]), names, call)
    expect_shape(whole, {name: [*batch, *part.shape] for name, part in zip(names.split(), alone)}, call)
    expect([part[last] for part in whole], dict(zip(names.split(), alone)), f"the last text of {call}")


@pytest.mark.question("attention")
def test_attention_lets_gradients_through(student):
    """a gradient reaches q, k and v"""
    q, k, v = (given.requires_grad_() for given in worked())
    output, _, _ = parts(student.attention(q, k, v), "output scores weights", "attention(Q, K, V)")
    expect_gradient(output, "attention(Q, K, V)", q=q, k=k, v=v)


@pytest.mark.question("attend_one")
def test_attend_one_agrees_with_the_worked_example(student):
    """one query gives its row of the whole output"""
    for row in range(3):
        q, k, v = worked()
        expect(student.attend_one(q[row], k, v), OUTPUT[row], f"attend_one(Q[{row}], K, V)")


@pytest.mark.question("attend_one")
def test_attend_one_gives_one_number_for_each_column_of_v(student):
    """a query without a table around it gives a row without a table around it"""
    query, k, v = table(6), table(7, 6), table(7, 3)
    call = called("attend_one", query=query, k=k, v=v)
    expect_shape(student.attend_one(query, k, v), [3], call, "columns of v")


def inputs(question, returns="", **shapes):
    """One case of the next check: the function of this name, the shapes of what it is given, and what it returns."""
    case = f"{question}-{'-'.join(shapes)}"
    return pytest.param(question, returns, shapes, id=case, marks=pytest.mark.question(question))


@pytest.mark.parametrize(
    "name, returns, shapes",
    [
        inputs("mix_rows", rows=(4, 3)),
        inputs("mix_rows", rows=(4, 3), proportions=(4,)),
        inputs("project", x=(4, 2), table=(3, 2)),
        inputs("match_scores", q=(5, 6), k=(7, 6)),
        inputs("reading_weights", scores=(2, 5)),
        inputs("attention", "output scores weights", q=(5, 6), k=(7, 6), v=(7, 3)),
        inputs("attend_one", query=(6,), k=(7, 6), v=(7, 3)),
    ],
)
def test_results_have_the_type_of_the_inputs(student, name, returns, shapes):
    """float64 in gives float64 out"""
    given = {axis: table(*shape).double() for axis, shape in shapes.items()}
    expect_dtype(getattr(student, name)(*given.values()), torch.float64, called(name, **given), returns)


def answer(question, name, expect_form, *form):
    """One case of the next check: which question asks for the name, and what form the answer has."""
    mark = pytest.mark.question(question)
    return pytest.param(name, expect_form, form, id=f"{question}-{name}", marks=mark)


@pytest.mark.parametrize(
    "name, expect_form, form",
    [
        answer("average_answer", "UNIFORM_AVERAGE", expect_numbers, 2),
        answer("average_answer", "FIXED_MIX", expect_numbers, 2),
        answer("shapes_answer", "SCORES_SHAPE", expect_whole_numbers, 2),
        answer("shapes_answer", "OUTPUT_SHAPE", expect_whole_numbers, 2),
        answer("shapes_answer", "TEN_POSITIONS_WIDTH", expect_whole_numbers, 1),
        answer("row_answer", "ROW_WEIGHTS", expect_weights, 3),
        answer("row_answer", "ROW_OUTPUT", expect_numbers, 2),
        answer("v_row_increase", "V_ROW_INCREASE", expect_numbers, 1),
        answer("v_row_weights", "V_ROW_WEIGHTS", expect_choice, "ABC"),
        answer("q0_weights", "Q0_WEIGHTS", expect_weights, 3),
        answer("q0_output", "Q0_OUTPUT", expect_numbers, 2),
        answer("one_way", "ONE_WAY_WK", expect_table, 2, 2),
        answer("cancel", "CANCEL_V", expect_table, 3, 2),
        answer("gradients", "GRADIENTS_REACH", expect_choice, "ABCD"),
        answer("gradients", "OPTIMIZER_STORES", expect_choice, "ABCD"),
    ],
)
def test_answer_has_the_form_asked_for(student, name, expect_form, form):
    """the answer has the form that the question asks for"""
    expect_form(getattr(student, name), name, *form)


@pytest.mark.question("cancel")
def test_cancel_is_not_all_zeros(student):
    """at least one number of the table is not 0"""
    assert any(expect_table(student.CANCEL_V, "CANCEL_V", 3, 2)), "CANCEL_V holds only zeros."
