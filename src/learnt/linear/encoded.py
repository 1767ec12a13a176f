"""The rows as one matrix in memory, and where its columns lie: what learners that need all rows at once begin with."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.centred_products import ENCODED_ROWS
from learnt.engine.passes import Batch, Pass
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.linear.gathered_rows import GatherRows, Rows
from learnt.linear.least_squares.conjugate_gradients import Sums
from learnt.linear.least_squares.cross_products import plain_design


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
        varying: Array = self.variance > (1e-13 * np.abs(self.mean)) ** 2
        return varying


class _TakeColumnSums(Pass):
    """Of a sparse table: the weight, and Σ w x, Σ w x², Σ w [x ≠ 0] of each column."""

    def summarize(self, batch: Batch) -> Sums:
        x, w = batch.table.sparse, batch.weights
        assert x is not None
        weight = float(batch.n_rows if w is None else w.sum())
        found = tuple(np.zeros(x.shape[1]) for _ in range(3))
        _core.add_column_sums(*kernel_csr(x), w, *found)
        return Sums(batch.n_rows, (np.array([weight]), *found))


def encoded(training: Training, *, drop_reference: bool) -> Generator[Pass, Any, Encoded]:
    """A pass that looks at the rows, and one that encodes them. A scan is brought into memory."""
    seen = None
    if isinstance(training.source, Table) and training.source.sparse is not None:
        seen = yield from _by_sums(training)
    if seen is None:
        survey: Survey = yield TakeSurvey()
        survey.check_finite()
        design = Design.of(survey, drop_reference=drop_reference)
        seen = design, *design.moments(survey), None
    gathered: Rows = yield GatherRows(seen[0])
    return Encoded(*seen, *gathered.joined())


def _by_sums(training: Training) -> Generator[Pass, Any, tuple[Design, Array, Array, Array | None] | None]:
    """The quick way for a sparse matrix: hope that no cell is missing, and see it in the sums if one is."""
    (weight,), sums, squares, there = (yield _TakeColumnSums()).arrays
    mean = sums / weight
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.maximum(squares / weight - mean**2, 0)
    if not np.isfinite(variance).all():
        return None
    variance[variance <= 1e-13 * squares / weight] = 0  # what two sums leave of a constant column is rounding
    return plain_design(training, mean), mean, variance, there / weight


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
