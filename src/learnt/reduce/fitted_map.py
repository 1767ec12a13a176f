"""A map of rows: their places, and where new rows belong on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.distance.gapped_rows import distances_with_gaps
from learnt.distance.metric import Metric
from learnt.distance.precomputed import check_distances, condense, distances_of
from learnt.engine.sizes import LARGEST
from learnt.errors import InputError, SavedModelError
from learnt.neighbors import KeptRows
from learnt.reduce.classical_scaling import ClassicalScaling
from learnt.reduce.monotone import Curve
from learnt.reduce.smacof import place_rows
from learnt.storable import storable

#: Rows whose pairs show how well distances are met: 2,016 of them.
_SHOWN = 64

#: Distances looked at at a time.
_CELLS = 1 << 22


@storable
@dataclass(frozen=True)
class FittedMap:
    """Places of rows, in units in which the largest dissimilarity, `scale`, is 1.

    New rows are measured from the fitted `rows` by `metric`; without these they come as distances from all rows of the
    fit, of which `columns` weighed anything. `classical` places them by Gower's formula; `curve` says what a
    dissimilarity is to be on the map, if only the order counts.
    """

    rows: KeptRows | None
    metric: Metric | None
    columns: Array
    weights: Array
    places: Array
    scale: float
    classical: ClassicalScaling | None
    curve: Curve | None

    def aim(self, d: Array) -> Array:
        """What distances on the map are to be, for dissimilarities in units of the largest."""
        return d.copy() if self.curve is None else self.curve.of(d)

    def stress(self, d: Array) -> float:
        """Kruskal's √(Σ w (δ − d)² / Σ w d²), from the dissimilarities of all pairs."""
        from scipy.spatial.distance import cdist

        missed = spread = 0.0
        step = max(1, _CELLS // len(d))
        for first in range(0, len(d), step):
            part = slice(first, first + step)
            here, aim = cdist(self.places[part], self.places), self.aim(d[part])
            own = np.arange(len(here)), np.arange(first, first + len(here))
            aim[own] = 0.0
            missed += float(self.weights[part] @ ((aim - here) ** 2 @ self.weights))
            spread += float(self.weights[part] @ (here**2 @ self.weights))
        return float(np.sqrt(missed / spread)) if spread > 0 else 0.0 if missed == 0 else 1.0

    # New rows

    def place(self, table: Table, *, max_iter: int, tol: float) -> Array:
        """The places of rows, in the user's units."""
        out = np.empty((table.n_rows, self.places.shape[1]))
        step = max(1, _CELLS // len(self.places))
        for first in range(0, table.n_rows, step):
            d = self._in_units(self._distances(table.rows(first, first + step)))
            if self.classical is not None:
                found = self.classical.place(d**2)
            else:
                aim = self.aim(d)
                aim[d == 0] = 0.0
                found = place_rows(aim, self.places, self.weights, max_iter=max_iter, tol=tol)
            nearest = d.argmin(axis=1)
            again = d[np.arange(len(d)), nearest] == 0
            found[again] = self.places[nearest[again]]
            out[first : first + step] = found * self.scale
        return out

    def parts(self, row: Table, c: int) -> tuple[Array, Array]:
        """Of one row: its distances from the fitted ones, and what each adds to a coordinate of the classical map."""
        assert self.classical is not None
        d = self._distances(row)[0]
        return d, (self._in_units(d) ** 2 - self.classical.level) * self.classical.projector[:, c] * self.scale

    def _in_units(self, d: Array) -> Array:
        """Distances of new rows in the units of the map, whose squares are numbers."""
        with np.errstate(over="ignore"):
            found: Array = d / self.scale
        if found.max(initial=0.0) > LARGEST:
            raise InputError(
                "A row is so far away from those of the fit that squares of its distances overflow. Expected rows like "
                "those."
            )
        return found

    def _distances(self, table: Table) -> Array:
        if self.rows is not None and self.metric is not None:
            return distances_with_gaps(self.metric, table, self.rows.table)
        d = np.array(table, dtype=np.float64)
        if not (np.isfinite(d).all() and np.all(d >= 0)):
            raise InputError(
                "With metric='precomputed', rows hold the distances from the fitted rows. Expected finite numbers of "
                "at least 0, none missing."
            )
        return d[:, self.columns]

    def pairs(self, X: Any) -> Array:
        """Of pairs of rows: dissimilarity, distance on the map, and the distance aimed at."""
        from scipy.spatial.distance import pdist

        n = len(self.places)
        some = np.arange(n) if n <= _SHOWN else np.sort(np.random.default_rng(0).choice(n, _SHOWN, replace=False))
        if self.rows is not None:
            d = distances_of(self.rows.table.take(some), self.metric, condensed=True)
        elif X is None:
            raise InputError("The distances that were fitted are not kept. Give them: shepard(X), plot(X).")
        else:
            d = condense(check_distances(X)[np.ix_(self.columns[some], self.columns[some])])
        d = d / self.scale
        return np.column_stack([d, pdist(self.places[some]), self.aim(d)]) * self.scale

    # Saving

    def check(self, schema: Schema, method: str, precomputed: bool) -> None:
        """Raise if a file holds a map that cannot be."""
        n = len(self.weights)
        if self.places.ndim != 2 or len(self.places) != n or n == 0 or self.columns.shape != (n,):
            raise SavedModelError("The places do not fit the rows.")
        for values in (self.places, self.weights):
            if values.dtype != np.float64 or not np.isfinite(values).all():
                raise SavedModelError("Places or weights are not finite numbers.")
        if not (0 < self.scale < np.inf) or np.any(self.weights <= 0):
            raise SavedModelError("The scale or a weight is out of range.")
        if (
            self.columns.dtype != np.int64
            or self.columns.min() < 0
            or (precomputed and self.columns.max() >= len(schema))
        ):
            raise SavedModelError("The columns of the distances are out of range.")
        if (self.rows is None) != (self.metric is None) or (self.rows is None) != precomputed:
            raise SavedModelError("Rows and metric do not fit together.")
        if self.rows is not None and self.metric is not None:
            self.rows.check(schema)
            self.metric.check(self.rows.table)
            if self.rows.n_rows != n:
                raise SavedModelError("There is not one place per row.")
        if (self.classical is None) == (method == "classical") or (self.curve is None) == (method == "nonmetric"):
            raise SavedModelError("The map is not of the method.")
        if self.classical is not None:
            level, projector = self.classical.level, self.classical.projector
            if projector.shape != self.places.shape or level.shape != (n,):
                raise SavedModelError("The map does not fit the rows.")
            if {level.dtype, projector.dtype} != {np.dtype(np.float64)}:
                raise SavedModelError("The map holds what are not numbers.")
