"""`suggest_eps`: how near neighbours are, row by row, and where that curve turns up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.row_space import RowSpace
from learnt.data.table import Array, Table
from learnt.distance.precomputed import check_distances, metric_for
from learnt.engine.survey import check_finite
from learnt.errors import InputError, ParameterError
from learnt.neighbors import KeptRows
from learnt.show.numbers import number, percent
from learnt.show.words import spell

#: Rows that are asked about at most; more would not move the curve.
MOST_ASKED = 10_000


@dataclass(frozen=True, eq=False)
class NeighborDistances:
    """The distance of each row to its `min_samples`-th nearest row, itself counted, from small to large.

    `eps` is where the curve bends: rows below it lie dense, those above it ever farther apart. It is a hint; look at
    `.plot()`. With `DBSCAN(eps)` the rows up to `eps` are cores.
    """

    eps: float
    min_samples: int
    distances: Array

    @property
    def share(self) -> float:
        """The share of rows that are cores with this eps."""
        return float(np.mean(self.distances <= self.eps))

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve and its bend; returns the matplotlib axes."""
        from learnt.plot.mixtures import plot_neighbor_distances

        return plot_neighbor_distances(self.distances, self.eps, self.min_samples, ax)

    def __str__(self) -> str:
        return (
            f"eps = {number(self.eps)}: {percent(self.share, 0)} of the rows have {self.min_samples} rows within it, "
            f"themselves counted (distances from {number(self.distances[0])} to {number(self.distances[-1])})"
        )


def suggest_eps(X: Any, min_samples: int = 5, *, metric: Any = "auto") -> NeighborDistances:
    """Where the sorted distances to the `min_samples`-th nearest row bend upwards: a value to try as `eps`.

    >>> rows = {"height": [1.0, 1.1, 1.2, 1.3, 5.0, 5.1, 5.2, 5.3, 9.0]}
    >>> print(suggest_eps(rows, min_samples=3))
    eps = 0.2: 89 % of the rows have 3 rows within it, themselves counted (distances from 0.1 to 3.8)

    The bend is the point of the curve farthest below the line between its ends. Of more than 10,000 rows as many are
    asked about, evenly spread over the table.
    """
    if not isinstance(min_samples, (int, np.integer)) or isinstance(min_samples, bool) or min_samples < 2:
        raise ParameterError(f"min_samples is {spell(min_samples)}. Expected a whole number of at least 2.")
    if isinstance(metric, str) and metric == "precomputed":
        square = check_distances(X)
        _check_count(len(square), min_samples)
        found = np.partition(square, min_samples - 1, axis=1)[:, min_samples - 1]
    else:
        table = X if isinstance(X, Table) else Table(X)
        _check_count(table.n_rows, min_samples)
        check_finite(table)
        space = RowSpace(None, metric_for(table, metric))
        asked = np.unique(np.linspace(0, table.n_rows - 1, min(table.n_rows, MOST_ASKED)).astype(np.int64))
        index = space.index(KeptRows.of(table, None))
        found = index.query(table.take(asked), min_samples - 1, asked)[0][:, -1]
    curve = np.sort(found)
    return NeighborDistances(float(curve[_bend(curve)]), int(min_samples), curve)


def _check_count(n: int, min_samples: int) -> None:
    if n < min_samples:
        raise InputError(f"There are {n} rows, fewer than min_samples={min_samples}. Ask for fewer neighbours.")


def _bend(curve: Array) -> int:
    """The place farthest below the line from the first to the last point; the last where none is below."""
    low, high = float(curve[0]), float(curve[-1])
    if not high > low:
        return len(curve) - 1
    line = np.linspace(0.0, 1.0, len(curve))
    gap = line - (curve - low) / (high - low)
    # Of places equally far below the last: it makes cores of more rows.
    return int(len(gap) - 1 - gap[::-1].argmax())
