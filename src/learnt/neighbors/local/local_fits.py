"""Weighted least squares around each of many points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread

#: Directions whose share of the variance is less are not directions: rounding, or columns that depend on others.
NOTHING = 1e-10

#: A term whose spread is so much smaller than itself is the same in all neighbours, but for rounding.
ALIKE = 1e-7

#: Cells of moments held at a time: 32 MB.
CELLS = 4 << 20


@dataclass(frozen=True)
class LocalFit:
    """The answer at each point: a local mean, and what each term adds to it."""

    mean: Array
    terms: Array

    @property
    def answer(self) -> Array:
        values: Array = self.mean + self.terms.sum(axis=1)
        return values


class LocalFits:
    """Polynomials around points, each by weighted least squares of the rows nearest to it.

        ŷ(q) = ȳ + Σ_t β_t (f_t(q) − f̄_t),   means and β by the weights of the neighbours

    Terms f_t are the coordinates that slope, with degree 2 also their squares and products, all taken from the point.
    Where neighbours do not tell terms apart, these share their effect (smallest norm of standardised β).

    | argument | meaning |
    |---|---|
    | `rows`, `y`, `weights` | rows × coordinates, their targets, and their weights, None if all are 1 |
    | `polynomial_columns` | the coordinates that the polynomial is of; the others say only who is near |
    | `kernel`, `degree` | how much neighbours count by their distance; of the polynomial |
    | `reach` | the weight of the neighbours |
    """

    def __init__(
        self,
        rows: Array,
        y: Array,
        weights: Array | None,
        polynomial_columns: Array,
        kernel: str,
        degree: int,
        reach: float,
    ):
        self._rows = _core.LocalRows(rows, y, weights, polynomial_columns)
        self.kernel, self.degree, self.reach = kernel, degree, reach
        self.n_rows, self.n_terms = len(rows), n_terms(len(polynomial_columns), degree)

    def around(self, points: Array, robust: Array, reaches: Array | None = None) -> Iterator[tuple[slice, LocalFit]]:
        """The fits, some points at a time.

        `robust` is a factor of each row's weight. `reaches`, points × 2, remembers how far neighbours reach from one
        call to the next with the same points; it starts at −1.
        """
        t = self.n_terms
        step = max(1, CELLS // (t * t + 2 * t + 2))
        for first in range(0, len(points), step):
            some = slice(first, min(first + step, len(points)))
            yield some, self._fit(points[some], robust, None if reaches is None else reaches[some])

    def _fit(self, points: Array, robust: Array, reaches: Array | None) -> LocalFit:
        m, t = len(points), self.n_terms
        mean, center, right, square = np.empty(m), np.empty((m, t)), np.empty((m, t)), np.empty((m, t * t))
        reaches = np.full((m, 2), -1.0) if reaches is None else reaches
        self._rows.moments(points, self.kernel, self.degree, self.reach, robust, reaches, mean, center, right, square)
        # The polynomial is taken from the point: there its terms are 0, which is −f̄ from their means.
        return LocalFit(mean, -center * _slopes(center, right, square.reshape(m, t, t)))

    def __repr__(self) -> str:
        return f"<fits of degree {self.degree} to the nearest {self.reach:g} of {self.n_rows} rows, {self.kernel}>"


def n_terms(n_columns: int, degree: int) -> int:
    return (0, n_columns, n_columns + n_columns * (n_columns + 1) // 2)[degree]


def pairs(p: int) -> tuple[Array, Array]:
    """Which two coordinates each squared or product term is of."""
    first, second = np.triu_indices(p)
    return first, second


def _slopes(center: Array, right: Array, square: Array) -> Array:
    """The β of smallest norm, of terms divided by their spread, with square β = right."""
    variance = np.einsum("btt->bt", square)
    size = np.sqrt(np.maximum(variance, 0.0))
    alike = size <= ALIKE * np.sqrt(variance + center * center)
    scale = np.where(alike, 0.0, 1 / np.where(alike, 1.0, size))
    if square.shape[1] <= 1:
        return scale * scale * right
    with one_blas_thread():
        values, vectors = np.linalg.eigh(square * scale[:, :, None] * scale[:, None, :])
        tiny = values <= NOTHING * np.maximum(values[:, -1:], np.finfo(np.float64).tiny)
        turned = ((right * scale)[:, None, :] @ vectors)[:, 0, :]
        along = np.where(tiny, 0.0, turned / np.where(tiny, 1.0, values))
        beta: Array = scale * (vectors @ along[:, :, None])[:, :, 0]
    return beta
