"""The Gram matrix of rows whose mean was moved to 0 in the space of the kernel, and its eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.kernel.unsupervised.means import SpaceRows
from learnt.reduce import Leading, drive, fix_signs, largest_eigenpairs, leading
from learnt.watch import report


@dataclass(frozen=True, eq=False)
class CentredKernel:
    """A = √w C K Cᵀ √w,  C = 1 − 1 wᵀ/W:  rows of weight w count as w rows.

    `means` are those of each row's kernel values; `trace` that of A, the spread of all rows.
    """

    rows: SpaceRows
    weight: float
    means: Array
    trace: float

    @classmethod
    def of(cls, rows: SpaceRows) -> CentredKernel:
        w = rows.weights
        total = float(w.sum())
        means = rows.times(w[:, None])[:, 0] / total
        if not np.isfinite(means).all():
            raise InputError("Products of rows overflow in this kernel. Use standardize=True or a smaller gamma.")
        trace = float(w @ rows.diagonal - w @ means)
        return cls(rows, total, means, max(trace, 0.0))

    @property
    def n_rows(self) -> int:
        return self.rows.n_rows

    def all_axes(self, count: int) -> tuple[Array, Array]:
        """Eigenvalues, falling, and unit eigenvectors as columns, from the matrix itself."""
        w = self.rows.weights
        K = self.rows.gram if self.rows.gram is not None else self.rows.times(np.eye(self.n_rows))
        grand = float(w @ self.means) / self.weight
        centred = K - self.means[:, None] - self.means[None] + grand
        root = np.sqrt(w)
        centred *= root[:, None]
        centred *= root
        values, vectors = largest_eigenpairs((centred + centred.T) / 2, count)
        return values, fix_signs(vectors.T).T

    def leading_axes(self, count: int, seed: int, tol: float, max_iter: int) -> Leading:
        """The same for the leading ones, from products with a few columns: K is not kept."""
        done = 0

        def multiply(block: Array) -> Array:
            nonlocal done
            done += 1
            report("products", learner="KernelPCA", iteration=done, total=max_iter)
            return self.times(block)

        found = drive(leading(self.n_rows, count, seed, tol=tol, max_iter=max_iter), multiply)
        return Leading(found.values, fix_signs(found.vectors.T).T, found.converged, found.n_iter)

    def times(self, block: Array) -> Array:
        """A · block."""
        w = self.rows.weights
        root = np.sqrt(w)[:, None]
        columns = root * block
        columns = columns - np.outer(w, columns.sum(axis=0)) / self.weight
        product = self.rows.times(columns)
        return np.asarray(root * (product - w @ product / self.weight))

    def coefficients(self, values: Array, vectors: Array, there: Array) -> tuple[Array, Array]:
        """a and b with score(x) = Σ_i a_i k(x_i, x) + b; zeros for axes that are nothing but rounding."""
        root = np.sqrt(self.rows.weights)
        # An axis of centred rows has no share of their mean but for rounding, which 1/√λ would blow up.
        vectors = vectors - np.outer(root, root @ vectors) / self.weight
        scale = np.divide(1.0, np.sqrt(np.maximum(values, 0.0)), out=np.zeros_like(values), where=there)
        a = np.ascontiguousarray(root[:, None] * vectors * scale)
        return a, -(self.means @ a)
