"""Sparse rows in memory as a matrix that is multiplied, centred, without being written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.reduce.leading import Leading, drive, leading
from learnt.watch import report

#: Columns multiplied at a time.
_WIDTH = 8

#: Eigenvalues smaller than this share of the largest are not found exactly enough from the side of the rows.
_SMALL = 1e-10


class SparseRows:
    """A = √w (X − 1 mᵀ), with X in compressed rows:  A q = √w (X q − m·q),  Aᵀ v = Xᵀ (√w v) − m (√w · v)."""

    def __init__(self, x: Any, mean: Array, weights: Array | None):
        self.x, self.mean = x, mean
        self.root = np.ones(x.shape[0]) if weights is None else np.sqrt(weights)

    def times(self, q: Array) -> Array:
        found: Array = (self.x @ q - self.mean @ q) * self.root[:, None]
        return found

    def back(self, v: Array) -> Array:
        weighted = v * self.root[:, None]
        found: Array = self.x.T @ weighted - np.outer(self.mean, weighted.sum(axis=0))
        return found

    def leading(self, count: int, seed: int, *, tol: float, max_iter: int, learner: str) -> Leading:
        """Leading eigenvectors of AᵀA; from those of AAᵀ where rows are fewer than columns."""
        n, p = self.x.shape
        done = 0

        def report_product(product: Array) -> Array:
            nonlocal done
            done += 1
            report("products", learner=learner, iteration=done)
            return product

        settings: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "width": _WIDTH}
        if n < p and count <= n:
            found = drive(leading(n, count, seed, **settings), lambda v: report_product(self.times(self.back(v))))
            if found.values[-1] > _SMALL * found.values[0]:
                vectors = self.back(found.vectors) / np.sqrt(found.values)
                return Leading(found.values, vectors, found.converged, found.n_iter)
        return drive(leading(p, count, seed, **settings), lambda q: report_product(self.back(self.times(q))))
