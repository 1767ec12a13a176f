"""The perceptron seen from its rows: how often each was a mistake says everything."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array
from learnt.linear.online_rows import OnlineRows
from learnt.linear.perceptron import PerceptronLearner
from learnt.parameters import Domain, Flag, Seed, Whole


class DualPerceptron(PerceptronLearner):
    """Count the mistakes made at each row; the weights are the sum of the rows, by these counts.

        wrong if y_i Σ_j α_j y_j (1 + x_j·x_i) ≤ 0;   then   α_i ← α_i + 1;      w = Σ α_i y_i x_i,  b = Σ α_i y_i

    >>> table = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}
    >>> model = DualPerceptron().fit(table, [-1, -1, -1, 1])
    >>> model.alpha_.tolist(), model.n_mistakes_
    ([2.0, 5.0, 4.0, 7.0], 18)

    It is the same learner as `Perceptron`: the same mistakes, weights and answers. The sum over j is never made, since
    w is at hand, so that no table of all products of rows is needed. `KernelPerceptron` needs one.

    A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `fit_intercept` | True | whether b is learnt; False fixes it at 0 | |
    | `max_epochs` | 50 | passes over the rows at most | ≥ 1 |
    | `shuffle` | False | whether each pass draws an order of the rows | |
    | `random_state` | 0 | seed of that | |

    Attributes: `alpha_`, one count per row (one row of them per class, if there are more than two); all those of
    `Perceptron`.

    Reference: M. Aizerman, E. Braverman, L. Rozonoer, Theoretical foundations of the potential function method, 1964.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    fit_cost = 6.0
    simplicity = 14.0
    domains: ClassVar[dict[str, Domain]] = {
        "fit_intercept": Flag(),
        "max_epochs": Whole(1),
        "shuffle": Flag(),
        "random_state": Seed(),
    }

    alpha_: Array

    def __init__(
        self, *, fit_intercept: bool = True, max_epochs: int = 50, shuffle: bool = False, random_state: Any = 0
    ):
        self.fit_intercept = fit_intercept
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state

    def _memory(self, rows: OnlineRows, units: int) -> tuple[Any, Array, Array | None]:
        return None, np.zeros(max(units, 1)), np.zeros((max(units, 1), rows.n_rows))

    def _use_memory(self, coef: Array, intercept: Array, late: Any, time: Array, counts: Array | None) -> None:
        assert counts is not None
        self.alpha_ = counts[0] if len(counts) == 1 else counts
