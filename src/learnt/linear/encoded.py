"""The rows as one matrix in memory, and where its columns lie: what learners that need all rows at once begin with."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.first_look import first_look
from learnt.engine.passes import Batch, Pass
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.linear.gathered_rows import GatherRows, Rows
from learnt.statistics.sums import Sums


@dataclass(frozen=True, eq=False)
class Encoded:
    """Mean and variance of the matrix columns; their share of rows, by weight, that are not 0, if it is known yet."""

    design: Design
    mean: Array
    variance: Array
    stored: Array | None
    matrix: Any  # dense or CSR
    target: Array
    weights: Array | None

    def stored_share(self) -> Array:
        """The share of rows, by weight, in which each column is not 0."""
        return _stored_share(self.matrix, self.weights) if self.stored is None else self.stored

    def varies(self) -> Array:
        """Which columns do more than round."""
        if not (np.isfinite(self.variance).all() and np.isfinite(self.mean).all()):
            j = int(np.flatnonzero(~np.isfinite(self.variance) | ~np.isfinite(self.mean))[0])
            name = self.design.names[j]
            raise InputError(f"Column {name!r} holds values so large that their squares overflow. Scale it down first.")
        varying: Array = np.sqrt(self.variance) > 1e-13 * np.abs(self.mean)
        return varying


@dataclass(frozen=True)
class SparseSums(Sums):
    """Of a sparse table: the weight, and Σ w x, Σ w x² and (unless left out) Σ w [x ≠ 0] of each column."""

    rows: int
    weight: float
    sums: Array
    squares: Array
    there: Array | None = None

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.column_moments()[1]).all())

    def column_moments(self) -> tuple[Array, Array]:
        mean, square = self.sums / self.weight, self.squares / self.weight
        with np.errstate(over="ignore", invalid="ignore"):
            variance = np.maximum(square - mean**2, 0)
            # What two sums leave of a constant column is rounding.
            variance[np.isfinite(square) & (variance <= 1e-13 * square)] = 0
        return mean, variance


class TakeSparseSums(Pass):
    def summarize(self, batch: Batch) -> SparseSums:
        x, w = batch.table.sparse, batch.weights
        assert x is not None
        weight = float(batch.n_rows if w is None else w.sum())
        found = tuple(np.zeros(x.shape[1]) for _ in range(3))
        _core.add_column_sums(*kernel_csr(x), w, *found)
        return SparseSums(batch.n_rows, weight, *found)


def encode_training(training: Training, *, drop_reference: bool) -> Generator[Pass, Any, Encoded]:
    """A pass that looks at the rows, and one that encodes them. A scan is brought into memory."""
    quick = TakeSparseSums() if training.is_sparse else None
    look = yield from first_look(training, drop_reference=drop_reference, quick=quick)
    stored = None if look.quick is None else look.quick.there / look.quick.weight
    gathered: Rows = yield GatherRows(look.design)
    return Encoded(look.design, *look.moments, stored, *gathered.joined())


def kernel_csr(x: Any) -> tuple[Array, Array, Array, int]:
    """A SciPy CSR matrix as kernels take it."""
    return x.data, x.indices.astype(np.int32, copy=False), x.indptr, x.shape[1]


def _stored_share(matrix: Any, weights: Array | None) -> Array:
    n, p = matrix.shape
    total = float(n if weights is None else weights.sum())
    if not isinstance(matrix, np.ndarray):
        found = tuple(np.zeros(p) for _ in range(3))
        _core.add_column_sums(*kernel_csr(matrix), weights, *found)
        return found[2] / total
    counts = np.zeros(p)
    for start in range(0, n, ENCODED_ROWS):
        there = matrix[start : start + ENCODED_ROWS] != 0
        counts += there.sum(axis=0) if weights is None else weights[start : start + ENCODED_ROWS] @ there
    return counts / total
