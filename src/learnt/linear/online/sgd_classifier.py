"""Classes by gradient steps, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Explanation
from learnt.linear.online.rows import OnlineRows
from learnt.linear.online.sgd import StochasticGradient
from learnt.linear.score_classifier import ScoreClassifier, steepness
from learnt.losses import MARGIN


class SGDClassifier(StochasticGradient, ScoreClassifier):
    """Find weights by small steps against the gradient of the loss, one row at a time; one unit per class.

        minimise  mean_i L(y_i (b + w·z_i)) + α ((1 − ρ)/2 |w|² + ρ |w|₁),   z the standardised row

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 0.0, 1.0, 0.0]}
    >>> SGDClassifier().fit(table, ["low", "low", "high", "high"]).predict(table).tolist()
    ['low', 'low', 'high', 'high']

    Numbers are centred and divided by their spread (`standardize`), so that units do not matter and one length of
    steps suits all; coefficients are given in the units of the table. With the logistic loss, scores of two classes
    are log-odds; otherwise how steeply scores become probabilities is fitted afterwards (`steepness_`).

    {settings}

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_iter_` passes and `t_` steps; `converged_`; `trace_`,
    the loss pass by pass; `steepness_`.

    Reference: L. Bottou, Large-Scale Machine Learning with Stochastic Gradient Descent, COMPSTAT 2010.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    fit_cost = 8.0
    simplicity = 15.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (1e-5, 1e-4, 1e-3, 1e-2), "loss": ("logistic", "hinge")}

    @property
    def _score_words(self) -> str:  # type: ignore[override]
        return "log-odds" if self._gives_log_odds() else "score"

    def _gives_log_odds(self) -> bool:
        return bool(self.loss == "logistic")

    def _n_units(self) -> int:
        k = len(self.classes_)
        return k if k > 2 else k - 1

    def _truth(self, y: Array) -> tuple[Array | None, Array | None]:
        if len(self.classes_) == 2:  # one unit, which scores the second class
            y = (y != 1).astype(np.int32)
        return None, np.ascontiguousarray(y, np.int32)

    def _validation_loss(self, scores: Array, y: Array, w: Array) -> float:
        codes = self._truth(y)[1]
        assert codes is not None
        margins = np.where(codes[:, None] == np.arange(scores.shape[1]), scores, -scores)
        return float(np.average(MARGIN[self.loss](margins).mean(axis=1), weights=w))

    def _finish(self, rows: OnlineRows, y: Array, w: Array | None) -> None:
        weights = self._state.weights()
        coef, intercept = self._scaling.in_units(*weights)
        if len(self.classes_) == 1:
            coef, intercept = np.zeros((1, self._design.n_columns)), np.zeros(1)
        self._keep_coefficients(self._design, coef, intercept, self._mean)
        self.steepness_ = 1.0
        if len(self.classes_) > 1 and not self._gives_log_odds():
            self.steepness_ = steepness(rows.scores(*weights), y, w, len(self.classes_))

    def _explain_row(self, row: Table) -> Explanation:
        told = super()._explain_row(row)
        return replace(told, kind="log-odds") if self._gives_log_odds() else told
