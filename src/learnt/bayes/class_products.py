"""Weights, sums and products of columns by class, over the cells that are there: means and covariances add up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.bayes.statistics import class_weights
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass, Statistic

#: Cells encoded at a time, so that the matrix of a mixed or sparse table never exists as a whole.
_BLOCK_CELLS = 2**21


@dataclass(frozen=True)
class ClassProducts(Statistic):
    """By class, over the rows where columns j and k are both there:

        weight_jk = Σ w,   sums_jk = Σ w z_j,   products_jk = Σ w z_j z_k

    Without gaps all pairs share their rows: `weight` is then k × 1 × 1 and `sums` k × p × 1.
    """

    rows: int
    class_weight: Array
    weight: Array
    sums: Array
    products: Array

    def _shape(self) -> tuple[int, ...]:
        return (*self.weight.shape, *self.products.shape)

    def _merge(self, other: ClassProducts) -> ClassProducts:
        return ClassProducts(
            self.rows + other.rows,
            self.class_weight + other.class_weight,
            self.weight + other.weight,
            self.sums + other.sums,
            self.products + other.products,
        )

    def means(self) -> tuple[Array, Array]:
        """Mean of each column in each class, and the weight it rests on; 0 where that is 0."""
        p = self.products.shape[1]
        weight = np.broadcast_to(np.diagonal(self.weight, axis1=1, axis2=2), (len(self.weight), p))
        sums = self.sums[:, :, 0] if self.sums.shape[2] != p else np.diagonal(self.sums, axis1=1, axis2=2)
        return np.divide(sums, weight, out=np.zeros(weight.shape), where=weight > 0), np.array(weight)

    def deviations(self) -> Array:
        """Σ w (z_j − mean_j)(z_k − mean_k) by class, both means over the rows of the pair."""
        whole = np.where(self.weight > 0, self.weight, 1.0)
        found: Array = self.products - self.sums * self.sums.transpose(0, 2, 1) / whole
        return found


class TakeClassProducts(Pass):
    """One pass: rows are encoded, centred and scaled block by block, and multiplied class by class."""

    def __init__(self, design: Design, center: Array, scale: Array, n_classes: int, gaps: bool):
        self.design, self.center, self.scale = design, center, scale
        self.n_classes, self.gaps = n_classes, gaps

    def summarize(self, batch: Batch) -> ClassProducts:
        assert batch.target is not None
        p, k = self.design.n_columns, self.n_classes
        width = 2 + (2 * p if self.gaps else p)  # the kernel also has a place for a target, not used here
        gram = np.zeros((k, width, width))
        step = max(64, _BLOCK_CELLS // max(p, 1))
        for start in range(0, batch.n_rows, step):
            self._add(batch.rows(start, start + step), gram)
        weight = class_weights(batch.target, batch.weights, k)
        cells = slice(1, p + 1)
        if self.gaps:
            there = slice(p + 1, 2 * p + 1)
            parts = gram[:, there, there], gram[:, cells, there], gram[:, cells, cells]
        else:
            parts = gram[:, :1, :1], gram[:, cells, :1], gram[:, cells, cells]
        return ClassProducts(batch.n_rows, weight, *(np.ascontiguousarray(part) for part in parts))

    def _add(self, part: Batch, gram: Array) -> None:
        assert part.target is not None
        z = standardized(part.table, self.design, self.center, self.scale)
        if self.gaps:
            there = present(part.table, self.design)
            z = np.hstack([np.where(there, z, 0.0), there.astype(np.float64)])
        shift = np.zeros(z.shape[1] + 1)
        for c in np.unique(part.target):
            rows = part.target == c
            weights = None if part.weights is None else part.weights[rows]
            _core.add_gram(np.ascontiguousarray(z[rows]), None, weights, shift, gram[c])


def standardized(table: Table, design: Design, center: Array, scale: Array) -> Array:
    """Rows of the design in float64, (x − center) / scale; missing cells as the design fills them."""
    x = design.encode(table)
    x = x if isinstance(x, np.ndarray) else x.toarray()
    z: Array = (x.astype(np.float64) - center) / scale
    return z


def present(table: Table, design: Design) -> Array:
    """Which cells of the design are there, rows × its columns."""
    if table.matrix is not None or table.sparse is not None:
        return ~np.isnan(table.matrix if table.matrix is not None else table.sparse.toarray())
    there = np.column_stack([~column.missing for column in table.columns])
    cells: Array = there[:, design.owner]
    return cells
