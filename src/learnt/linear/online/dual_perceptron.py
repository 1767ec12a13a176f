"""The perceptron seen from its rows: how often each was a mistake says everything."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.learner.fields import attribute, setting
from learnt.linear.online.perceptron_learner import PerceptronLearner


class DualPerceptron(PerceptronLearner):
    """Count the mistakes made at each row; the weights are the sum of the rows, by these counts.

        wrong if y_i Σ_j α_j y_j (1 + z_j·z_i) ≤ 0;   then   α_i ← α_i + 1;      w = Σ α_i y_i z_i,  b = Σ α_i y_i

    >>> table = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}
    >>> model = DualPerceptron().fit(table, [-1, -1, -1, 1])
    >>> model.alpha_.tolist(), model.n_mistakes_
    ([2.0, 5.0, 4.0, 7.0], 18)

    It is the same learner as `Perceptron`: the same mistakes, weights and answers. The sum over j is never made, since
    w is at hand, so that no table of all products of rows is needed. `KernelPerceptron` needs one.

    A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    {settings}

    Attributes: `alpha_`, the α of each row by which it predicts, a count or the mean of one (one row of them per class,
    if there are more than two); all those of `Perceptron`.

    Reference: M. Aizerman, E. Braverman, L. Rozonoer, Theoretical foundations of the potential function method, 1964.
    """

    fit_cost = 6.0
    simplicity = 14.0

    variant: Any = setting(
        PerceptronLearner.domains["variant"],
        'predict with "plain": the last counts; "averaged": their mean over all rows shown; "auto": the '
        'last counts if they separate a class from the others, else the mean; "voted": let all of them '
        "vote",
        default="auto",
    )
    fit_intercept: bool = setting(
        PerceptronLearner.domains["fit_intercept"], "whether b is learnt; False fixes it at 0", default=True
    )
    max_iter: int = setting(PerceptronLearner.domains["max_iter"], "passes over the rows at most", default=50)
    standardize: bool = setting(
        PerceptronLearner.domains["standardize"], "centre and scale numbers inside, as `Perceptron` does", default=True
    )
    shuffle: bool = setting(
        PerceptronLearner.domains["shuffle"], "whether each pass draws an order of the rows", default=False
    )
    random_state: Any = setting(PerceptronLearner.domains["random_state"], "seed of that", default=0)

    alpha_: Array = attribute()

    def _counts(self, units: int, n_rows: int) -> tuple[Array, Array]:
        return np.zeros((units, n_rows)), np.zeros((units, n_rows))

    def _keep_counts(self, counts: tuple[Array, Array] | None, shown: Array, averaged: Array) -> None:
        assert counts is not None
        made, late = counts
        some = np.flatnonzero(averaged)
        made[some] -= late[some] / shown[some, None]
        self.alpha_ = made[0] if len(made) == 1 else made
