"""Novelty by Mahalanobis's distance: from the middle of all rows, in units of how they spread together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.novelty.robust_covariance import plain_spread, robust_spread
from learnt.novelty.rows_as_numbers import RowsAsNumbers
from learnt.storable import FiniteNumbers, storable

#: Directions in which rows do not vary are taken to vary by this share.
LEAST_EIGENVALUE = 1e-10


@storable
@dataclass(frozen=True, eq=False)
class MahalanobisDistance:
    """The square, (x − μ)ᵀ Σ⁻¹ (x − μ), of the columns of numbers; a label of share p adds 1/p − 1, its squared
    distance among indicators, and so does whether a cell is missing.

    Parts are y_j², y = P^−½ D⁻¹ (x − μ), with P the correlations and D the deviations: of all axes that are
    uncorrelated and as long, those most like the columns (Garthwaite and Koch, 2016).
    """

    schema: Schema
    encoding: RowsAsNumbers | None  # of the columns of numbers, if any
    location: FiniteNumbers
    axes: FiniteNumbers  # columns × their y
    label_parts: FiniteNumbers  # of each label of each column, one column after the other; at last of a missing cell

    def __post_init__(self) -> None:
        p = 0 if self.encoding is None else self.encoding.n_columns
        if self.location.shape != (p,) or self.axes.shape != (p, p) or p != int((~self._nominal).sum()):
            raise ValueError("The axes do not fit the columns.")
        if self.encoding is not None and len(self.encoding.schema) != p:
            raise ValueError("The numbers are not those of the columns.")
        if self.label_parts.shape != (int(self._kinds.sum()),):
            raise ValueError("The shares of labels do not fit the columns.")

    @classmethod
    def fitted(cls, table: Table, weights: Array, *, robust: bool, standardize: bool, seed: int) -> MahalanobisDistance:
        numbers = _numbers(table)
        labels = np.concatenate([_label_parts(codes, k, weights) for codes, k in _codes(table)])
        if numbers is None:
            return cls(table.schema, None, np.zeros(0), np.zeros((0, 0)), labels)
        encoding = RowsAsNumbers.of(numbers, weights, standardize=standardize)
        encoding = replace(encoding, gaps=np.zeros(len(encoding.schema)))
        z, p = encoding.encode(numbers), encoding.n_columns
        with one_blas_thread():
            enough = float(weights.sum()) > 2 * (p + 1)
            spread = robust_spread(z, weights, seed)[0] if robust and enough else plain_spread(z, weights)
            return cls(table.schema, encoding, spread.location, _axes(spread.covariance), labels)

    @property
    def _nominal(self) -> Array:
        return np.array([c.kind in ("nominal", "boolean") for c in self.schema], dtype=bool)

    @property
    def _kinds(self) -> Array:
        """How many kinds of cells a column has, missing ones among them."""
        counts = [len(c.categories) + 1 for c in self.schema]
        return np.where(self._nominal, counts, 2)

    @property
    def base_words(self) -> str:
        return ""

    def novelty(self, table: Table) -> Array:
        return np.asarray(self.parts(table)[1].sum(axis=1))

    def parts(self, table: Table) -> tuple[Array, Array]:
        found = np.empty((table.n_rows, table.n_columns))
        first = np.cumsum(self._kinds) - self._kinds
        for j, (codes, k) in enumerate(_codes(table)):
            found[:, j] = self.label_parts[first[j] + np.where(codes < 0, k, codes)]
        numbers = _numbers(table)
        if numbers is not None:
            assert self.encoding is not None
            z = self.encoding.encode(numbers)
            gaps = np.column_stack([c.missing for c in numbers.columns])
            y = np.empty(z.shape)
            _core.project_rows(np.where(gaps, self.location, z), self.location, self.axes, y)
            found[:, ~self._nominal] += y**2
        return np.zeros(table.n_rows), found


def _numbers(table: Table) -> Table | None:
    names = [c.schema.name for c in table.columns if c.schema.kind not in ("nominal", "boolean")]
    return table.select(names) if names else None


def _codes(table: Table) -> list[tuple[Array, int]]:
    """Of each column the codes of its cells, −1 where one is missing, and how many there are; numbers have one."""
    return [
        (c.values, len(c.categories)) if c.schema.kind in ("nominal", "boolean") else (-c.missing.astype(np.int64), 1)
        for c in table.columns
    ]


def _label_parts(codes: Array, k: int, weights: Array) -> Array:
    """1/p − 1 of each label and of a missing cell, each counted once more than it was there."""
    counts = np.bincount(np.where(codes < 0, k, codes), weights, k + 1) + 1
    return np.asarray(counts.sum() / counts - 1)


def _axes(covariance: Array) -> Array:
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    deviation = np.where(deviation > 0, deviation, 1.0)
    correlation = covariance / np.outer(deviation, deviation)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors / np.sqrt(np.maximum(values, LEAST_EIGENVALUE))) @ vectors.T
    return np.ascontiguousarray(root / deviation[:, None])
