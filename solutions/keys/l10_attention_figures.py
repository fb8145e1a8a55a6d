"""Print every figure of lesson 10 from the reference, and check each against the lesson's text.

Run it with `make figures`. PRIVATE, as the answer key is: several figures answer questions.
Exits with 1 if a figure does not come out as the lesson prints it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from grader.key import load_key

Figures = Sequence[float] | Sequence[Sequence[float]] | float
key = load_key(Path(__file__).parent, "l10_attention")
mix_rows, project, match_scores, reading_weights, attention, attend_one = (
    question.reference() for question in key.code_questions.values()
)


@dataclass(frozen=True)
class Figure:
    """One figure: what it is, what the lesson prints, what the reference gives."""

    section: str
    what: str
    printed: Figures
    found: Tensor

    @property
    def agrees(self) -> bool:
        """Equal as displayed: to half a unit of the fourth decimal."""
        printed = table(self.printed)
        same_shape = printed.shape == self.found.shape
        return same_shape and bool(((printed - self.found).abs() <= 0.5e-4 + 1e-9).all())


def table(numbers: Figures) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


X = table([[1, 0], [0, 1], [1, 1]])
WV = table([[1, 0], [0, 2]])
EYE = torch.eye(2, dtype=torch.float64)


def figures() -> Iterator[Figure]:
    yield from before_attention()
    yield from worked_example()
    yield from one_way()
    yield from interventions()
    yield from exercises()


def before_attention() -> Iterator[Figure]:
    section = "Two steps before attention"
    rows = table([[1, 0], [0, 2], [1, 2]])
    yield Figure(section, "uniform average of the rows", [2 / 3, 4 / 3], mix_rows(rows))
    shares = table([0.5, 0.25, 0.25])
    yield Figure(section, "in the proportions [0.5, 0.25, 0.25]", [0.75, 1], mix_rows(rows, shares))


def worked_example() -> Iterator[Figure]:
    section = "The worked example"
    q, k, v = project(X, EYE), project(X, EYE), project(X, WV)
    output, scores, weights = attention(q, k, v)
    powers = scores[0].exp()
    yield Figure(section, "V = X Wvᵀ", [[1, 0], [0, 2], [1, 2]], v)
    yield Figure(section, "q₀ against the keys", [1, 0, 1], q[0] @ k.mT)
    yield Figure(section, "√2", 1.4142, table(math.sqrt(q.shape[-1])))
    yield Figure(section, "divided by √2", [0.7071, 0, 0.7071], match_scores(q, k)[0])
    yield Figure(section, "exponentials", [2.0281, 1, 2.0281], powers)
    yield Figure(section, "their sum", 5.0562, powers.sum())
    yield Figure(section, "a₀", [0.4011, 0.1978, 0.4011], reading_weights(scores)[0])
    a = [[0.4011, 0.1978, 0.4011], [0.1978, 0.4011, 0.4011], [0.2483, 0.2483, 0.5035]]
    yield Figure(section, "A", a, weights)
    yield Figure(section, "sum of each row of A", [1, 1, 1], weights.sum(dim=-1))
    yield Figure(section, "sum of all nine entries", 3, weights.sum())
    yield Figure(section, "output", [[0.8022, 1.1978], [0.5989, 1.6044], [0.7517, 1.5035]], output)
    yield Figure(section, "position 0 reads position 2", 0.4011, weights[0, 2])
    one = attention(table([[1, 2]]), k, v)[1]
    yield Figure(section, "shape of the scores of one query row [1, 2]", [1, 3], table(list(one.shape)))
    yield Figure(section, "shape of the scores of three rows", [3, 3], table(list(scores.shape)))
    yield Figure(section, "row 0 of the output, on its own", [0.8022, 1.1978], attend_one(q[0], k, v))


def one_way() -> Iterator[Figure]:
    section = "Matching one way"
    yield Figure(section, "shared projection: Q Kᵀ", [[1, 0], [0, 1]], EYE @ project(EYE, EYE).mT)
    keys = project(EYE, table([[0, 2], [0, 0]]))
    yield Figure(section, "K for the key table [[0, 2], [0, 0]]", [[0, 0], [2, 0]], keys)
    yield Figure(section, "its Q Kᵀ", [[0, 2], [0, 0]], EYE @ keys.mT)


def interventions() -> Iterator[Figure]:
    section = "Interventions"
    v, changed = project(X, WV), table([[1, 0], [0, 2], [3, 2]])
    before, after = attention(X, X, v), attention(X, X, changed)
    growth = after[0] - before[0]
    yield Figure(section, "V's third row [1, 2] → [3, 2]: change of the weights", [[0] * 3] * 3, after[2] - before[2])
    yield Figure(section, "growth of coordinate 0, by position", [0.8022, 0.8022, 1.0070], growth[:, 0])
    yield Figure(section, "growth of coordinate 1", [0, 0, 0], growth[:, 1])
    moved = X + table([[1, 0], [0, 0], [0, 0]])
    changes = [not torch.equal(moved, X), not torch.equal(project(moved, WV), v)]
    changes.append(not torch.equal(attention(moved, moved, v)[2], before[2]))
    yield Figure(section, "another X changes Q and K, V, and the weights (1: yes)", [1, 1, 1], table(changes))
    silent = table([[1, 0], [0, 0], [1, 2]])
    yield Figure(section, "what a zero row of V contributes to position 0", [0, 0], before[2][0, 1] * silent[1])
    opposite = table([[1, 0], [0, 0], [-1, 0]])
    yield Figure(section, "opposite rows cancel at position 0", [0, 0], attention(X, X, opposite)[0][0])
    tables = [EYE.clone().requires_grad_(), EYE.clone().requires_grad_(), WV.clone().requires_grad_()]
    attention(*(project(X, one) for one in tables))[0].square().sum().backward()
    reached = table([one.grad is not None and bool(one.grad.any()) for one in tables])
    yield Figure(section, "a gradient reaches Wq, Wk and Wv (1: yes)", [1, 1, 1], reached)


def exercises() -> Iterator[Figure]:
    section = "The lesson's own exercises"
    v, changed = project(X, WV), table([[1, 0], [0, 2], [3, 2]])
    grows = attention(X, X, changed)[0][1, 0] - attention(X, X, v)[0][1, 0]
    yield Figure(section, "1. growth of coordinate 0 at position 1", 0.8022, grows)
    output, _, weights = attention(table([[0, 0], [0, 1], [1, 1]]), X, v)
    yield Figure(section, "2. q₀ = [0, 0]: proportions", [1 / 3, 1 / 3, 1 / 3], weights[0])
    yield Figure(section, "2. q₀ = [0, 0]: output", [2 / 3, 4 / 3], output[0])


def shown(numbers: Tensor) -> str:
    """Numbers as the lesson prints them: at most 4 decimals, none that say nothing."""
    if numbers.ndim:
        return f"[{', '.join(shown(inner) for inner in numbers)}]"
    text = f"{float(numbers) + 0.0:.4f}"
    return text.rstrip("0").rstrip(".") if text.endswith("00") else text


def main() -> int:
    section, wrong = "", 0
    for figure in figures():
        if figure.section != section:
            section = figure.section
            print(f"\n{section}")
        wrong += not figure.agrees
        mark = "✓" if figure.agrees else f"✗ the lesson prints {figure.printed}"
        print(f"  {figure.what}: {shown(figure.found)}  {mark}")
    print(f"\n{'Every figure agrees with the lesson.' if not wrong else f'{wrong} figures do not agree.'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
