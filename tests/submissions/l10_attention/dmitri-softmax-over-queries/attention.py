# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Lesson 10 · Attention
#
# How does a model that predicts the next character read the text that came before? In this
# notebook you build the answer yourself: a function of a few lines, called attention.
#
# You need only a little PyTorch: tables of numbers (tensors), `a @ b` for multiplying tables, and
# `a.T` for turning rows into columns. Everything else is explained when it is needed.

# %% [markdown]
# ## How this notebook works
#
# Text and questions alternate. Under every question there are two cells.
#
# - **Your cell.** In a function, replace the `raise NotImplementedError` line by your code.
#   Elsewhere, replace `None` by your answer.
# - **The check cell.** Run it as often as you like: it tells you at once what is right, what is not
#   yet, and what to do next. A wrong result stands beside the expected one, where it can be drawn.
#   What a function prints is not shown there: to print, call it in a cell of your own. For numbers
#   and letters only the form is checked, which is called *answered*. The row of boxes is all
#   questions of the lesson, so you see how far you are. Leave this cell as it is. (If you work in the
#   script `attention.py`, `pytest` runs the same checks; the README says how.)
#
# Some cells say *predict, then run*. Write what you expect in place of `None`, as numbers or in words
# (in quotation marks), and run the cell: then it shows what comes out. A wrong guess there costs
# nothing: the text above it is then worth a second reading.
#
# You may add cells wherever you like. Please do not copy, delete or rename the cells of the
# questions. Positions, rows and columns are counted from 0, as Python does.
#
# The checks you see here use small examples. Your work is graded with other numbers and other
# sizes, so write each function for any number of rows and columns. Results have the type of the
# inputs, their `dtype`: float64 in, float64 out. Plain PyTorch does this by itself.
#
# Numbers are asked to 4 decimals. You may also give more decimals, or let Python calculate:
# `5 / 7` is a fine answer where 0.7143 is meant.
#
# Begin by running the next cell.

# %%
import math

import torch
from grader.notebook import check, reveal, show_walkthrough, show_weights

# %% [markdown]
# ## Why attention
#
# Here are two sentences, each missing its next character.
#
# | text so far | in English | next character |
# |---|---|---|
# | 早上，小丁喜欢 | In the morning, Xiao Ding likes … | 红 (red) |
# | 早上，小周喜欢 | In the morning, Xiao Zhou likes … | 黄 (yellow) |
#
# Think of a model that predicts the next character from the *last* position alone. Both texts end
# in 欢. The model gets the same input twice, so it must give the same prediction twice: at best a
# mixture of 红 and 黄.
#
# The name is in the text, but no computation carries it to the last position.
#
# ```text
# position   character
#    0          早
#    1          上
#    2          ，
#    3          小
#    4          丁    ───┐   the name stands here
#    5          喜       │   (this path is missing)
#    6          欢    ◄──┘   the prediction is made here
# ```
#
# Attention adds that path. Each position looks at the other positions, decides how much to read
# from each of them, and collects what it reads.

# %% [markdown]
# ## Two steps before attention
#
# The simplest way to read several positions is to **average** them. Every position has a row of
# numbers, and with n positions each row counts for one n-th of the result.
#
# *Predict, then run.* There are four rows, so each of them counts for a quarter. Which two numbers
# come out?

# %%
my_guess = None  # two numbers, such as [0.1, 0.2]

four_rows = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0], [2.0, 0.0]])
average = 0.25 * four_rows[0] + 0.25 * four_rows[1] + 0.25 * four_rows[2] + 0.25 * four_rows[3]

reveal(my_guess, average)


# %% [markdown]
# An average treats the name and the comma alike. The next step is to choose **proportions**:
# numbers that add up to 1 and say how much of each row goes into the mixture.
#
# With the proportions [0.5, 0.25, 0.25] and the rows [1, 0], [0, 2], [1, 2]:
#
# ```text
#   0.5  · [1, 0]   =   [0.5 , 0  ]
#   0.25 · [0, 2]   =   [0   , 0.5]
#   0.25 · [1, 2]   =   [0.25, 0.5]
#                       ───────────  add
#                       [0.75, 1  ]
# ```
#
# This is better, and still not enough. The same proportions would be used for every text and at
# every position, wherever the name happens to stand. Attention will *calculate* the proportions
# from the text itself. The mixing stays what you see here, so let us write it first.

# %% [markdown]
# ### Question 1 · mix_rows() — 5 points
#
# Write `mix_rows(rows, proportions=None)`.
#
# - `rows` has shape [n, c]: n rows of c numbers.
# - `proportions` has shape [n] and adds up to 1. If it is `None`, every row counts the same.
# - Return the mixture, a tensor of shape [c].
#
# A small example: the rows [2, 0] and [4, 8] give [3, 4] without proportions, and [3.5, 6] with
# [0.25, 0.75].

# %%
def mix_rows(rows: torch.Tensor, proportions: torch.Tensor | None = None) -> torch.Tensor:
    """Mix rows in the given proportions; without proportions, take their average.

    rows: [n, c]
    proportions: [n], or None for the uniform average
    returns: [c]
    """
    if proportions is None:
        proportions = torch.ones(rows.shape[0], dtype=rows.dtype) / rows.shape[0]
    return torch.matmul(proportions, rows)

# %%
check("mix_rows")

# %% [markdown]
# ### Question 2 · two mixtures — 4 points
#
# Now with other rows: [3, 0], [0, 2] and [2, 6]. Paper, a calculator or Python will all do.
#
# - `UNIFORM_AVERAGE`: the average of the three rows. Two numbers, to 4 decimals (2 points).
# - `FIXED_MIX`: their mixture in the proportions [0.2, 0.3, 0.5]. Two numbers, to 4 decimals (2
#   points).
#
# Write two numbers as a list, such as `[0.75, 1]`.

# %%
UNIFORM_AVERAGE = [1.6667, 2.6667]  # a list of two numbers, 4 decimals
FIXED_MIX = [1.6, 3.6]  # a list of two numbers, 4 decimals

# %%
check("average_answer")

# %% [markdown]
# ## Three views of every position: query, key, value
#
# To calculate proportions, each position takes part in three roles.
#
# - As a reader it asks a question: its **query**. *What am I looking for?*
# - As a place to be read it shows a label: its **key**. *What do I have to offer?*
# - When it is read it hands something over: its **value**. *What do I pass on?*
#
# Each role is a row of numbers, and each is calculated from the same input row x by its own table
# of weights. Such a calculation is called a **projection**. If X holds one input row per position,
# then
#
# ```text
# Q = X Wqᵀ        K = X Wkᵀ        V = X Wvᵀ
# ```
#
# The tables Wq, Wk and Wv are trained parameters. Q, K and V are intermediate results: they are
# calculated anew in every pass.
#
# Why the small ᵀ? In PyTorch a weight table has the shape [out, in]: **one row for each number
# that comes out**. A number that comes out is the dot product of the input row with a row of the
# table: multiply the numbers pairwise, then add.
#
# *Predict, then run.* The input row has two numbers, the table has three rows. How many numbers
# come out, and which?

# %%
my_guess = None  # as many numbers as you expect, such as [5, 6]

input_row = torch.tensor([1.0, 2.0])
small_table = torch.tensor([[0.0, 1.0], [1.0, 1.0], [3.0, 0.0]])
came_out = [(input_row * table_row).sum().item() for table_row in small_table]

reveal(my_guess, came_out)


# %% [markdown]
# ### Question 3 · project() — 5 points
#
# Write `project(x, table)`, which does this for all positions at once.
#
# - `x` has shape [n, in], `table` has shape [out, in].
# - Return X Wᵀ, a tensor of shape [n, out].
#
# For the input row and the table above, `project` returns a table with the single row [2, 3, 3].

# %%
def project(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Project every row of x with one weight table.

    x: [n, in]
    table: [out, in], one row for each number that comes out
    returns: [n, out]
    """
    return torch.matmul(x, table.transpose(0, 1))

# %%
check("project")

# %% [markdown]
# ## The tables of the worked example
#
# From here on, one small example goes with us: three positions, two numbers each. Wq and Wk are
# the table that changes nothing, so Q and K equal X. Wv doubles the second number.
#
# Please leave the names `X`, `Wq`, `Wk`, `Wv`, `Q`, `K` and `V` as they are, for later cells use
# them. If you want to change a table, change a copy: `V_changed = V.clone()`.
#
# Once your `project` works, add a cell and compare `project(X, Wv)` with V.

# %%
X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

Wq = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
Wk = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
Wv = torch.tensor([[1.0, 0.0], [0.0, 2.0]])

Q = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
K = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
V = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])

# %% [markdown]
# Here is the whole way from the input to the output. The next sections walk it from left to right.
#
# ```text
# X ──Wq──► Q ──┐
#               ├──► scores ─────► weights ──┐
# X ──Wk──► K ──┘    Q Kᵀ / √d     softmax   ├──► output
#                                            │    weights · V
# X ──Wv──► V ───────────────────────────────┘
# ```
#
# The queries and keys decide how to choose. The values decide what is passed on.

# %% [markdown]
# ## Scores: how well does a query match a key?
#
# A query and a key are compared by their dot product. It is large when both have large numbers in
# the same places.
#
# *Predict, then run.* How well does the query of position 0 match the keys of positions 0, 1 and
# 2?

# %%
my_guess = None  # three numbers

matches = [(Q[0] * key).sum().item() for key in K]

reveal(my_guess, matches)

# %% [markdown]
# Doing this for every query gives a table with **one row for each query and one column for each
# key**. The row is the position that reads, the column is the position that is read. The number of
# queries and the number of keys need not be equal.
#
# All these dot products together are one multiplication of tables: Q Kᵀ.

# %% [markdown]
# ## Scaling: why the scores are divided by √d
#
# Let d be the width of a query, that is, how many numbers it has. A dot product adds d terms. With
# more terms the sums spread further: if the numbers in the query and the key have a typical size
# of 1 and mixed signs, the dot products have a typical size of √d.
#
# *Predict, then run.* From line to line d grows. What happens to the middle column, and what to
# the last one?

# %%
my_guess = None  # in words, such as "the middle one ..., the last one ..."

lines = []
generator = torch.Generator().manual_seed(10)
for d in (4, 64, 256):
    queries = torch.randn(500, d, generator=generator)
    keys = torch.randn(500, d, generator=generator)
    dots = (queries * keys).sum(dim=1)
    scaled = dots / math.sqrt(d)
    lines.append(f"d = {d:3}   typical dot product {dots.std():6.2f}   divided by √d {scaled.std():5.2f}")

reveal(my_guess, *lines)

# %% [markdown]
# Why does the spread matter? The next step, softmax, turns differences between scores into
# proportions. When the differences are large, one position gets nearly everything and the others
# nearly nothing. *Predict, then run:* the second line has the same scores as the first, times ten.

# %%
my_guess = None  # in words: what becomes of the largest share?

reveal(
    my_guess,
    torch.softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0),
    torch.softmax(torch.tensor([10.0, 20.0, 30.0]), dim=0),
)


# %% [markdown]
# A model whose choices are that sharp from the beginning hardly notices when a score moves a
# little, and so it hardly learns. Dividing by √d keeps the scores at a sensible size, however wide
# the queries are:
#
# ```text
# scores = Q Kᵀ / √d
# ```
#
# In the worked example d is 2. For position 0 the dot products [1, 0, 1] are divided by √2 ≈
# 1.4142 and become [0.7071, 0, 0.7071].

# %% [markdown]
# ### Question 4 · match_scores() — 10 points
#
# Write `match_scores(q, k)`, the table of scaled scores.
#
# - `q` has shape [queries, d], `k` has shape [keys, d].
# - Return Q Kᵀ / √d, a tensor of shape [queries, keys] and of the inputs' type.
#
# A small example with d = 4: the query [1, 0, 2, 0] has the dot products 4 and 6 with the keys
# [2, 5, 1, 0] and [0, 0, 3, 1], so its scores are [2, 3].
#
# `math.sqrt` takes the square root of an ordinary number, and `q.shape` tells the size of every
# axis of `q`.

# %%
def match_scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Score every query against every key: dot products divided by √d.

    q: [queries, d]
    k: [keys, d]
    returns: [queries, keys]
    """
    return torch.matmul(q, k.transpose(0, 1)) / math.sqrt(q.shape[1])

# %%
check("match_scores")

# %% [markdown]
# ## Softmax over the keys: from scores to proportions
#
# Scores can be negative, and their sum can be anything. Proportions are positive, and together
# they make 1. **Softmax** turns the first into the second in two steps: take the exponential of
# every score, then divide by the sum of the exponentials.
#
# For position 0 of the worked example:
#
# ```text
# scores         [0.7071, 0     , 0.7071]
# exponentials   [2.0281, 1     , 2.0281]     sum 5.0562
# proportions    [0.4011, 0.1978, 0.4011]     sum 1
# ```
#
# The largest score gets the largest share, and every position gets some.
#
# We call these proportions **weights**, and their table A. In a table of scores softmax works on
# one row at a time, because each query shares out its own attention among the keys. So each *row*
# of A adds up to 1. The nine weights of a table with three rows, taken together, do not.
#
# PyTorch has `torch.softmax(scores, dim=...)`. The number `dim` names an axis, and along that axis
# the results add up to 1. If you are not sure which axis you need, try each on a small table and
# add up its rows.
#
# *Predict, then run.* You could also write softmax yourself with `torch.exp`. What does it do to a
# score in the hundreds?

# %%
my_guess = None  # in words: what is the exponential of 500?

reveal(my_guess, torch.exp(torch.tensor([5.0, 50.0, 500.0])))


# %% [markdown]
# The last number is too large for the computer, and infinity divided by infinity is not a number
# (`nan`).
#
# There is a way out. Adding the same number to all scores of a row, or subtracting it from all of
# them, leaves the proportions as they are. So one may first subtract the largest score of the row:
# then the largest exponential is exp(0) = 1, and nothing can overflow. `torch.softmax` does this
# for you.

# %% [markdown]
# ### Question 5 · reading_weights() — 8 points
#
# Write `reading_weights(scores)`, the softmax over the keys.
#
# - `scores` has shape [queries, keys].
# - Return the weights, a tensor of the same shape. Each row adds up to 1.
# - Scores in the hundreds must give proper proportions too.
#
# A small example: the scores [0, 1.0986] give [0.25, 0.75], and so do the scores [500, 501.0986].

# %%
def reading_weights(scores: torch.Tensor) -> torch.Tensor:
    """Turn each row of scores into proportions over the keys.

    scores: [queries, keys]
    returns: [queries, keys], each row adds up to 1
    """
    return torch.softmax(scores, 0)

# %%
check("reading_weights")

# %% [markdown]
# ## The weighted sum
#
# The last step you know already: mix the rows of V, in the proportions that softmax has
# calculated.
#
# For position 0 of the worked example, with the weights [0.4011, 0.1978, 0.4011]:
#
# ```text
# coordinate 0    0.4011 · 1  +  0.1978 · 0  +  0.4011 · 1   =   0.8022
# coordinate 1    0.4011 · 0  +  0.1978 · 2  +  0.4011 · 2   ≈   1.1978
# ```
#
# With all rows of weights at once this is one more multiplication of tables: output = A V.
#
# The displayed figures are rounded. If you calculate with them by hand, your last digit may differ
# a little, and that never costs you anything.
#
# *Predict, then run.* We keep these weights and mix another table, in which row 0 has become
# [0, 0]. Which coordinate of the mixture changes, and by how much?

# %%
my_guess = None  # in words: "coordinate ..., by ..."

weights_of_position_0 = torch.tensor([0.4011, 0.1978, 0.4011])
V_without_row_0 = V.clone()
V_without_row_0[0] = 0.0

reveal(my_guess, weights_of_position_0 @ V, weights_of_position_0 @ V_without_row_0)


# %% [markdown]
# A row of zeros adds nothing to the mixture, however large its weight. Keep this in mind when you
# look at a picture of weights: it shows how much is *read*, not yet what this does to the result.

# %% [markdown]
# ## attention()
#
# Now everything is in place:
#
# 1. scores = Q Kᵀ / √d
# 2. weights = softmax of the scores, over the keys
# 3. output = weights · V
#
# Models work on many texts at a time. Then q, k and v have further axes in front, called **batch
# axes**: a q of shape [8, 3, 2] holds 8 texts with 3 queries of 2 numbers each. Two habits make
# your lines work with any number of such axes.
#
# - `@` always multiplies the last two axes, and does so for each text by itself. To swap the last
#   two axes, write `k.mT`. (`k.T` is meant for a table with exactly two axes.)
# - Count axes from the end: `-1` is the last axis, `-2` the one before.

# %% [markdown]
# ### Question 6 · attention() — 20 points
#
# Write `attention(q, k, v)`.
#
# - `q` has shape [..., queries, d], `k` has shape [..., keys, d], `v` has shape [..., keys, c].
#   The dots stand for any number of batch axes, also none.
# - Return three tensors in this order: `output` [..., queries, c], `scores` [..., queries, keys],
#   `weights` [..., queries, keys]. The scores are the scaled ones.
# - Results have the type of the inputs: float64 in, float64 out.
# - Leave q, k and v as they were: `q = q / 2` makes a new tensor, `q /= 2` changes the caller's.
# - A gradient must be able to flow through, so stay with PyTorch throughout: no NumPy, no
#   `.detach()`, no `.item()`.
#
# You may call your own functions from above, or write the three lines again.
#
# Here is a case that you can verify in your head: with a single key, every query reads that
# position alone, so each row of the output is the one row of v.

# %%
def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Let every query read the values, in proportions it calculates from the keys.

    q: [..., queries, d]
    k: [..., keys, d]
    v: [..., keys, c]
    returns: output [..., queries, c], scores [..., queries, keys], weights [..., queries, keys]
    """
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, 0)
    output = torch.matmul(weights, v)
    return output, scores, weights

# %%
check("attention")

# %% [markdown]
# Back to the sentence of the beginning: 早上，小丁喜欢, seven characters, and the name stands at
# position 4. Suppose training has given the name the key [2, 0] and every other character the key
# [0, 1]. The last position asks with the query [2, 0], which means: where is the name? All others
# ask with [0, 1].
#
# The next cell draws the weights as a coloured table, calculated by *your* function: a row for each
# position that reads, a column for each position that is read, and the stronger the colour, the more
# is read. As long as `attention` is not written, the cell says so. Before you run it: what will the
# last row look like? And what will the name read?

# %%
keys = torch.tensor([[0.0, 1.0]] * 4 + [[2.0, 0.0]] + [[0.0, 1.0]] * 2)
queries = torch.tensor([[0.0, 1.0]] * 6 + [[2.0, 0.0]])
values = torch.ones(7, 1)  # what is passed on does not matter for the weights

show_weights(attention, queries, keys, values)


# %% [markdown]
# ## One query alone
#
# A model that is writing needs only the newest position: one query, against the keys and values of
# all positions.
#
# A row of the output depends on its own query, and on no other query. So calculating a row alone
# gives exactly the row that the whole table would have given. In the worked example, one query as
# a table of shape [1, 2] has scores of shape [1, 3] against the three keys, and three queries have
# scores of shape [3, 3].

# %% [markdown]
# ### Question 7 · attend_one() — 5 points
#
# Write `attend_one(query, k, v)`.
#
# - `query` has shape [d], a single row without a table around it; `k` has shape [n, d], `v` has
#   shape [n, c].
# - Return the output for this query, a tensor of shape [c].
#
# `query[None, :]` makes a table of one row out of a row, and `table[0]` takes the first row out of
# a table. There are other ways, too.
#
# When it works, add a cell and compare `attend_one(Q[0], K, V)` with the first row of
# `attention(Q, K, V)[0]`.

# %%
def attend_one(query: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Attention for one query alone.

    query: [d]
    k: [n, d]
    v: [n, c]
    returns: [c], the row that attention() gives for this query
    """
    scores = torch.matmul(k, query) / math.sqrt(query.shape[0])
    weights = torch.softmax(scores, 0)
    return torch.matmul(weights, v)

# %%
check("attend_one")

# %% [markdown]
# ## Shapes
#
# Many mistakes with attention show in the shapes before they show in the numbers. One rule helps
# with nearly all of them: in a multiplication of tables the inner sizes must agree, and they
# disappear.
#
# ```text
# [a, b] @ [b, c]  →  [a, c]
# ```
#
# *Predict, then run.* Let `tall` have the shape [6, 3] and `wide` the shape [3, 9]. What are the
# shapes of `tall @ wide`, of `wide.T` and of `wide.T @ tall.T`?

# %%
my_guess = None  # three shapes, such as [(1, 2), (3, 4), (5, 6)]

tall = torch.ones(6, 3)
wide = torch.ones(3, 9)

reveal(my_guess, [tuple((tall @ wide).shape), tuple(wide.T.shape), tuple((wide.T @ tall.T).shape)])

# %% [markdown]
# ### Question 8 · shapes — 5 points
#
# Q has shape [4, 8], K has shape [7, 8] and V has shape [7, 5].
#
# - `SCORES_SHAPE`: the shape of the scores (2 points).
# - `OUTPUT_SHAPE`: the shape of the output (2 points).
# - `TEN_POSITIONS_WIDTH`: now think of the worked example, but with ten positions instead of
#   three. X then has ten rows of two numbers, while Wq, Wk and Wv stay as they are. How many
#   numbers are there in *one row* of the output? (1 point)
#
# Write a shape as a pair of whole numbers, such as `(6, 9)`.

# %%
SCORES_SHAPE = (4, 7)  # a pair of whole numbers
OUTPUT_SHAPE = (4, 5)  # a pair of whole numbers
TEN_POSITIONS_WIDTH = 2  # one whole number

# %%
check("shapes_answer")

# %% [markdown]
# ## The worked example, complete
#
# With the tables Q, K and V from above, all three positions come to:
#
# ```text
# weights A                       output
# [0.4011, 0.1978, 0.4011]        [0.8022, 1.1978]
# [0.1978, 0.4011, 0.4011]        [0.5989, 1.6044]
# [0.2483, 0.2483, 0.5035]        [0.7517, 1.5035]
# ```
#
# Take a moment to read the rows of A. Position 0 reads itself and position 2 equally, for their
# keys match its query equally well. Position 2 reads itself most.
#
# One thing may have caught your eye: position 0 also reads position 2, which comes *after* it. In
# training, that later position may hold the very character that is to be predicted. Lesson 11
# closes this gap with a mask; in this lesson every position may read every position.
#
# Watch every one of these numbers being made: the next cell plays the example step by step, and you
# may change its numbers. (The same page is [walkthrough.html](walkthrough.html) beside this file, to
# be opened in any browser; in JupyterLab, press *Trust HTML* above it.)

# %%
show_walkthrough()

# %% [markdown]
# ### Question 9 · a row of your own — 6 points
#
# A new query, [2, 1], meets the K and V of the worked example. As the other query rows do not
# matter, it is calculated alone.
#
# - `ROW_WEIGHTS`: its weights on positions 0, 1 and 2. Three numbers, to 4 decimals (3 points).
# - `ROW_OUTPUT`: its output. Two numbers, to 4 decimals (3 points).
#
# By hand with a calculator, in Python, or with your functions: all ways count the same.

# %%
# weights by hand: exp(2/1.4142), exp(1/1.4142), exp(3/1.4142), divided by their sum
ROW_WEIGHTS = [4.1132 / 14.4834, 2.0281 / 14.4834, 8.3421 / 14.4834]
ROW_OUTPUT = attend_one(torch.tensor([2.0, 1.0]), K, V)

# %%
check("row_answer")

# %% [markdown]
# ## Interventions: change one thing, see what moves
#
# A good way to understand a calculation is to change one thing on purpose, hold the rest, and ask
# what moves. Look at the diagram of the whole way once more: a change can only travel along the
# arrows.
#
# Changing the input X is a large intervention. X feeds all three projections, so Q, K and V
# usually all change.
#
# The next questions make smaller ones. They change a single row of V or of Q and hold everything
# else by hand. Predict first; then calculate.

# %% [markdown]
# ### Question 10 · a row of V changes: the output — 4 points
#
# Q and K stay as they are. The third row of V changes from [1, 2] to [3, 2].
#
# - `V_ROW_INCREASE`: by how much does coordinate 0 of the output at position 1 grow? One number,
#   to 4 decimals.
#
# Position 1 is the second row of the output, and coordinate 0 is its first number.

# %%
V_new = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]])
V_ROW_INCREASE = float(attention(Q, K, V_new)[0][1][0] - attention(Q, K, V)[0][1][0])

# %%
check("v_row_increase")

# %% [markdown]
# ### Question 11 · a row of V changes: the weights — 3 points
#
# The same change again: Q and K stay, the third row of V becomes [3, 2]. What happens to the
# weights?
#
# - `"A"`: every weight changes.
# - `"B"`: only the weights on position 2 change.
# - `"C"`: no weight changes.
#
# `V_ROW_WEIGHTS`: one of these letters, in quotation marks.

# %%
V_ROW_WEIGHTS = "C"  # "A", "B" or "C"

# %%
check("v_row_weights")

# %% [markdown]
# ### Question 12 · a query of zeros: the weights — 4 points
#
# Back to the worked example, with its own V. Now the query of position 0 becomes [0, 0]; K, V and
# the other queries stay.
#
# - `Q0_WEIGHTS`: the weights of position 0, the first row of A. Three numbers, to 4 decimals.
#
# Which dot products does such a query have with the keys? And what does softmax make of them?

# %%
Q0_WEIGHTS = [0.3333, 0.3333, 0.3333]  # a list of three numbers, 4 decimals

# %%
check("q0_weights")

# %% [markdown]
# ### Question 13 · a query of zeros: the output — 4 points
#
# The same change: the query of position 0 is [0, 0].
#
# - `Q0_OUTPUT`: the output at position 0. Two numbers, to 4 decimals.
#
# When you have it, compare it with the first section of this lesson: you have met such a mixture
# before.

# %%
Q0_OUTPUT = [0.6667, 1.3333]  # a list of two numbers, 4 decimals

# %%
check("q0_output")

# %% [markdown]
# ## One-way matching: why queries and keys have separate tables
#
# In our sentence, 欢 should look for the name. The name need not look for 欢. Matching should be
# able to go one way.
#
# Suppose queries and keys came from *one shared* table. Then K = Q, and the score of position i
# for position j is the same dot product as that of j for i. With X = [[1, 0], [0, 1]] and a shared
# table that changes nothing, the scores before scaling are
#
# ```text
# [1, 0]
# [0, 1]
# ```
#
# Each position finds itself, and neither finds the other.
#
# *Predict, then run.* Here is another shared table of queries and keys. Without calculating: what
# do you know about the two entries off the diagonal?

# %%
my_guess = None  # in words: "they are ..."

shared = torch.tensor([[1.0, 3.0], [2.0, -1.0]])

reveal(my_guess, shared @ shared.T)

# %% [markdown]
# ### Question 14 · a key table of your own — 6 points
#
# Let X = [[1, 0], [0, 1]], and let Wq change nothing, so Q = X. The keys get a table of their own:
# `K = X @ ONE_WAY_WK.T`. In this question the scores are *not* divided by √d: they are simply
# `Q @ K.T`.
#
# `ONE_WAY_WK`: a table of two rows with two numbers each, such that
#
# - position 0 scores position 1 with 2 (row 0, column 1 of the scores),
# - position 1 scores position 0 with 0 (row 1, column 0 of the scores).
#
# The two scores on the diagonal may be anything. Every table that does this is right. Write it as
# a list of two lists or as a tensor.

# %%
ONE_WAY_WK = [[0.0, 2.0], [0.0, 0.0]]  # two rows of two numbers

# %%
check("one_way")

# %% [markdown]
# ## Cancellation: much is read, nothing arrives
#
# Weights are never negative, but values may be. Then what one position contributes can take away
# what another has contributed.
#
# *Predict, then run.* Both positions are read here, one with three quarters of all attention. What
# is the mixture?

# %%
my_guess = None  # two numbers

two_weights = torch.tensor([0.75, 0.25])
two_values = torch.tensor([[1.0, -2.0], [-3.0, 6.0]])

reveal(my_guess, two_weights @ two_values)

# %% [markdown]
# ### Question 15 · values of your own — 5 points
#
# Keep the weights of the worked example. At position 0 they are [0.4011, 0.1978, 0.4011] in
# display; without rounding, too, the first and the last of them are equal.
#
# `CANCEL_V`: a table of three rows with two numbers each, which used as V makes the output at
# position 0 [0, 0]. At least one of its numbers is not 0.
#
# Every table that does this is right. Write it as a list of three lists or as a tensor.

# %%
CANCEL_V = [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]  # three rows of two numbers

# %%
check("cancel")

# %% [markdown]
# ## Gradients: how attention is trained
#
# Training repeats three steps. The model calculates a loss; `loss.backward()` finds out how the
# loss would change if each parameter moved a little, and stores this in the parameter's `.grad`,
# its **gradient**; an **optimizer** moves the parameters.
#
# A **parameter** is a table that the model keeps from one pass to the next. An optimizer is handed
# the parameters once, at the beginning: `torch.optim.SGD([w], lr=0.1)` will move `w`. What is
# calculated anew in every pass is an intermediate result.
#
# *Predict, then run.* The loss here is (2w − 1)², and w is 3. If w grows a little, does the loss
# grow or shrink?

# %%
my_guess = None  # "grows" or "shrinks"

w = torch.tensor(3.0, requires_grad=True)
loss = (2 * w - 1) ** 2
loss.backward()

reveal(my_guess, f"w.grad = {w.grad.item()}: above 0, the loss grows with w; below 0, it shrinks")

# %% [markdown]
# To compute a gradient, PyTorch follows the calculation backwards from the loss. It gets through
# sums, products, divisions and exponentials. It does not get past `.detach()` or a detour through
# NumPy, and a hard choice such as "take only the largest" has no slope to follow.
#
# You can try the next question instead of guessing it. Make three small tables under names of your
# own, each with `torch.randn(2, 2, requires_grad=True)`, project X with them, call your
# `attention`, take one number of the output as the loss, call `backward()` on it, and look at the
# three `.grad`.

# %%
# This cell is for your experiment. It is not graded.

# %% [markdown]
# ### Question 16 · what is trained — 6 points
#
# Suppose Q, K and V are projected from X with Wq, Wk and Wv, all three with `requires_grad=True`;
# the loss is calculated from the output of attention, and `loss.backward()` has run.
#
# `GRADIENTS_REACH`: which of the tables have a gradient now? (3 points)
#
# - `"A"`: only Wv
# - `"B"`: only Wq and Wk
# - `"C"`: Wq, Wk and Wv
# - `"D"`: none of them, as softmax stops the gradient
#
# `OPTIMIZER_STORES`: which of these does an optimizer store and update? (3 points)
#
# - `"A"`: the weights A
# - `"B"`: Wq, Wk and Wv
# - `"C"`: A and Wv
# - `"D"`: Q, K and V
#
# Each answer is one letter in quotation marks.

# %%
GRADIENTS_REACH = "D"  # "A", "B", "C" or "D"
OPTIMIZER_STORES = "B"  # "A", "B", "C" or "D"

# %%
check("gradients")

# %% [markdown]
# ## What you have built
#
# Each position asks (query), is found (key) and passes something on (value). Scores say how well
# question and label match, softmax turns them into proportions, and the proportions mix the
# values. This is the path from the name to the last position that was missing at the beginning.
#
# Before you hand in: restart the kernel and run all cells from top to bottom. The last cell shows
# every question at once. Then save.

# %%
check()
