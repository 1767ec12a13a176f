"""Classification by the nearest rows."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import SavedModelError
from learnt.learner.base import Classifier
from learnt.neighbors.k_neighbors.learner import KNeighbors
from learnt.neighbors.search import Near


class KNeighborsClassifier(KNeighbors, Classifier):
    """Ask the fitted rows that are most alike: each gives a vote to its class.

        p(c | x) = Σ_{i near x} w_i [y_i = c] / Σ_{i near x} w_i

    >>> people = {"height": [1.5, 1.6, 1.8, 1.9], "sport": ["chess", "chess", "polo", "chess"]}
    >>> model = KNeighborsClassifier(n_neighbors=1).fit(people, ["short", "short", "tall", "tall"])
    >>> model.predict({"height": [1.85], "sport": ["chess"]})
    array(['tall'], dtype='<U5')

    Of equally voted classes the first in `classes_` is predicted. A row of weight 2 stands there twice and is two
    neighbours.

    {settings}

    Attributes: `n_neighbors_`, how many are asked; `loo_errors_`, the share of wrong answers for 1, 2, … neighbours if
    that was chosen by leaving out; `feature_weights_`; `feature_loss_`, the same share before and after columns were
    weighted; `index_`, with its `kind`, and `why` it was chosen.

    Reference: T. Cover and P. Hart, Nearest neighbor pattern classification, 1967.
    """

    abilities = KNeighbors.abilities | {"probabilities"}

    def _probabilities(self, table: Table) -> Array:
        return self._answers(table)

    def _answer(self, near: Near) -> Array:
        weights, m, k = self._weights_of(near), len(near.rows), len(self.classes_)
        places = self._target[near.rows] + np.arange(0, m * k, k)[:, None]
        votes = np.bincount(places.ravel(), weights=weights.ravel(), minlength=m * k).reshape(m, k)
        return votes if k > 1 else np.ones((m, 1))

    def _losses(self, near: Near, rows: Array) -> Array:
        wrong: Array = self._answer(near).argmax(axis=1) != self._target[rows]
        return wrong.astype(np.float64)

    def _running_losses(self, weights: Array, neighbors: Array, rows: Array) -> Array:
        votes, own = np.zeros((len(rows), len(self.classes_))), np.arange(len(rows))
        wrong = np.empty(weights.shape)
        for k in range(weights.shape[1]):
            votes[own, self._target[neighbors[:, k]]] += weights[:, k]
            wrong[:, k] = votes.argmax(axis=1) != self._target[rows]
        return wrong

    def _alike(self, target: Array) -> Array:
        same: Array = target[:, None] == target[None, :]
        return same

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        y = self._target
        if y.dtype != np.int32 or y.min() < 0 or y.max() >= len(self.classes_):
            raise SavedModelError("The classes of the rows kept are not those of the model.")
