"""What clusterers have in common that give each row its distances from means."""

from __future__ import annotations

from typing import Any

from learnt.data.table import Array, Table
from learnt.engine.training import prepare
from learnt.learner.base import Clusterer
from learnt.learner.output import FrameOutput
from learnt.learner.partitions.scores import SumScore, sum_of_part


class DistancesFromMeans(Clusterer, FrameOutput, abstract=True):
    """Members write `_distances`, rows × clusters."""

    def _distances(self, table: Table) -> Array:
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        """Distances to the centres, rows × clusters."""
        still = self._still()
        return still._framed(still._over(X, still._distances), X)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the distances of the fitted rows to the centres."""
        return self.fit(X, y, sample_weight).transform(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the inertia of `X`: the larger the better, as everywhere."""
        inertia = 0.0
        for batch in prepare(X, None, sample_weight, None, type(self).__name__).batches():
            squares = self._distances(self._matched(batch.table)).min(axis=1) ** 2
            inertia += float(squares.sum() if batch.weights is None else squares @ batch.weights)
        return -inertia

    def _part_of_score(self, X: Any, y: Any, weights: Any) -> SumScore:
        return sum_of_part(self, X, y, weights)
