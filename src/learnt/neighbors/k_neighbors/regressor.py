"""Regression by the nearest rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import SavedModelError
from learnt.learner.base import Regressor
from learnt.learner.fields import setting
from learnt.neighbors.k_neighbors.learner import KNeighbors
from learnt.neighbors.search import Near


class KNeighborsRegressor(KNeighbors, Regressor):
    """Predict the mean target of the fitted rows that are most alike.

        ŷ(x) = Σ_{i near x} w_i y_i / Σ_{i near x} w_i

    >>> flats = {"area": [40, 60, 80, 100], "town": ["Bern", "Bern", "Thun", "Thun"]}
    >>> model = KNeighborsRegressor(n_neighbors=2).fit(flats, [900, 1100, 1000, 1300])
    >>> model.predict({"area": [55], "town": ["Bern"]})
    array([1000.])

    With `n_neighbors="all"` and `weights="distance2"` it is Shepard's interpolation. A row of weight 2 stands there
    twice and is two neighbours.

    {settings}

    Attributes: `n_neighbors_`, how many are asked; `loo_errors_`, the mean squared error for 1, 2, … neighbours if that
    was chosen by leaving out; `feature_weights_`; `feature_loss_`, the same error before and after columns were
    weighted; `index_`, with its `kind`, and `why` it was chosen.

    Reference: D. Shepard, A two-dimensional interpolation function for irregularly-spaced data, 1968.
    """

    squares_target = False

    nominal: Any = setting(
        None,
        'labels are 0 or 1 apart, or, by "value_difference", by how much their mean targets differ',
        default="match",
    )

    def _predict(self, table: Table) -> Array:
        return self._answers(table)

    def _answer(self, near: Near) -> Array:
        # Shares of the weight first: the largest targets then add up to no more than themselves.
        votes = self._weights_of(near) * self._target[near.rows]
        mean: Array = np.cumsum(votes, axis=1)[:, -1]
        return mean

    def _losses(self, near: Near, rows: Array) -> Array:
        squared: Array = (self._answer(near) - self._target[rows]) ** 2
        return squared

    def _running_losses(self, weights: Array, neighbors: Array, rows: Array) -> Array:
        # Relative to the row's own target: large ones that differ little keep their digits.
        away = self._target[neighbors] - self._target[rows][:, None]
        squared: Array = (np.cumsum(weights * away, axis=1) / np.cumsum(weights, axis=1)) ** 2
        return squared

    def _alike(self, target: Array) -> Array:
        """Targets that differ by less than those of half of the pairs."""
        away = np.abs(target[:, None] - target[None, :])
        alike: Array = away <= np.median(away)
        return alike

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._target.dtype != np.float64 or not np.isfinite(self._target).all():
            raise SavedModelError("The targets of the rows kept are not finite numbers.")
