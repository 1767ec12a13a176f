"""Encoded rows, dense or sparse, and what k-means asks of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.row_keys import ORDERED_UP_TO, keys_of_points, order_of_points
from learnt.data.table import Array
from learnt.errors import InputError

#: Cells of sparse rows that are spread out to be put in order.
_CELLS = 4_000_000


class Rows:
    """n rows of p numbers: an array, or a CSR matrix. Centres are always dense, k × p.

    `shift` is subtracted from dense rows before products are taken: far from the origin the short
    way to a distance, |x|² − 2x·c + |c|², would lose the digits of float32.
    """

    def __init__(self, x: Any, weights: Array | None, shift: Array):
        self.x, self.weights, self.shift = x, weights, shift
        self.dense = isinstance(x, np.ndarray)

    @property
    def n_rows(self) -> int:
        return int(self.x.shape[0])

    def as_centers(self, centers: Array) -> Array:
        """Centres in the precision of the rows, laid out for the kernels."""
        return np.ascontiguousarray(centers, dtype=self.x.dtype)

    def _csr(self) -> tuple[Any, Any, Any, int]:
        # SciPy counts columns in int64 when a matrix came that way; the kernels take int32.
        return self.x.data, self.x.indices.astype(np.int32, copy=False), self.x.indptr, self.x.shape[1]

    def assign(self, centers: Array, labels: Array | None, sums: Array | None, weight: Array | None) -> float:
        """The nearest centre of each row into `labels`; Σw·x and Σw per centre added to `sums` and `weight`;
        returns Σ w·d²."""
        c = self.as_centers(centers)
        if self.dense:
            return _core.assign_and_sum(self.x, self.weights, c, self.shift, labels, sums, weight)
        return _core.assign_and_sum_csr(*self._csr(), self.weights, c, labels, sums, weight)

    def sum_labelled(self, centers: Array, labels: Array, sums: Array, weight: Array) -> float:
        """Σw·x and Σw of rows by their labels, added to `sums` and `weight`; returns Σ w·d²."""
        c = self.as_centers(centers)
        if self.dense:
            return _core.sum_labelled(self.x, self.weights, c, labels, sums, weight)
        return _core.sum_labelled_csr(*self._csr(), self.weights, c, labels, sums, weight)

    def exchange(self, sums: Array, weight: Array, labels: Array) -> int:
        """One sweep that moves single rows to the cluster that gains most; returns how many moved."""
        if self.dense:
            return _core.exchange_rows(self.x, self.weights, sums, weight, labels)
        return _core.exchange_rows_csr(*self._csr(), self.weights, sums, weight, labels)

    def distances(self, centers: Array) -> Array:
        """Euclidean distances, n × k."""
        out = np.empty((self.n_rows, len(centers)))
        if self.dense:
            _core.distances_to_centers(self.x, self.as_centers(centers), out)
        else:
            _core.distances_to_centers_csr(*self._csr(), self.as_centers(centers), out)
        if not _core.all_finite(out):
            out[np.isnan(out)] = np.inf  # squares beyond all numbers
        return out

    def potentials(self, candidates: Array, nearest: Array) -> Array:
        """Σ w·min(nearest, d²) for each candidate centre."""
        out = np.zeros(len(candidates))
        if self.dense:
            _core.update_nearest(self.x, self.weights, self.as_centers(candidates), nearest, out)
        else:
            _core.update_nearest_csr(*self._csr(), self.weights, self.as_centers(candidates), nearest, out)
        return out

    def lower(self, center: Array, nearest: Array) -> None:
        """nearest = min(nearest, d²) to one centre."""
        c = self.as_centers(center)
        if self.dense:
            _core.lower_nearest(self.x, c, nearest)
        else:
            _core.lower_nearest_csr(*self._csr(), c, nearest)

    def farthest(self, centers: Array, labels: Array, count: int) -> tuple[Array, Array]:
        """The `count` rows farthest from their own centre, and their squared distances."""
        rows, distances = np.empty(count, np.int64), np.empty(count)
        if self.dense:
            _core.farthest_rows(self.x, self.as_centers(centers), labels, rows, distances)
        else:
            _core.farthest_rows_csr(*self._csr(), self.as_centers(centers), labels, rows, distances)
        return rows, distances

    @property
    def vary(self) -> bool:
        """Whether dense rows that count differ."""
        if not self.dense:
            return False
        x = self.x if self.weights is None or self.weights.all() else self.x[self.weights > 0]
        return bool(np.any(x.max(axis=0) > x.min(axis=0)))

    def in_order(self) -> Rows:
        """The rows that count, in an order that is not the one they, or their columns, came in; large tables as they
        are."""
        n, p = self.x.shape
        if n > ORDERED_UP_TO or p == 0 or (not self.dense and n * p > _CELLS):
            return self
        there = np.arange(n) if self.weights is None else np.flatnonzero(self.weights)
        points = self.x[there] if self.dense else self.take(there)
        return self.some(there[order_of_points(points)] if len(there) else there)

    def some(self, rows: Array) -> Rows:
        """Some rows, with their weights."""
        return Rows(self.x[rows], None if self.weights is None else self.weights[rows], self.shift)

    def take(self, rows: Array) -> Array:
        """Some rows, dense."""
        part = self.x[rows]
        return np.asarray(part if self.dense else part.todense())


def first_of_each(points: Array) -> Array:
    """The first place of each different row, in order."""
    if points.shape[1] == 0:
        return np.arange(min(len(points), 1))
    # Rows as strings of bytes: NumPy's own way over columns takes long where there are thousands.
    first: Array = np.sort(np.unique(keys_of_points(points), return_index=True)[1])
    return first


def check_scale(design: Design, variance: Array, rows: Rows) -> None:
    """Raise where squared distances would leave the range of the rows' floating-point numbers."""
    real = np.finfo(rows.x.dtype)
    most = float(np.nan_to_num(variance, nan=np.inf).max(initial=0.0))
    whole = most * len(variance) * max(rows.n_rows, 1)
    flat = most == 0 and not rows.vary
    if whole < float(real.max) / 16 and (flat or most > 1e4 * float(real.tiny)):
        return
    j = int(design.owner[int(np.nan_to_num(variance, nan=np.inf).argmax())])
    raise InputError(
        f"Column {design.schema.names[j]!r} has the standard deviation {np.sqrt(most):.3g}: squared distances leave "
        f"the range of {rows.x.dtype} numbers. Bring the columns to ordinary sizes first."
    )
