"""Weights, sums and products of columns by class, over the cells that are there: means and covariances add up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass
from learnt.lazy import cached_property
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sums import Sums
from learnt.storable import storable

#: Cells encoded at a time, so that the matrix of a mixed or sparse table never exists as a whole.
_BLOCK_CELLS = 2**21
#: Where rows are that lie even farther away, in spreads of a column: squares of distances stay numbers.
FARTHEST = 1e150


@storable
@dataclass(frozen=True, eq=False)
class StandardView:
    """Some columns of a design, (x − center) / scale: those at `used`. All arrays have one entry for each."""

    design: Design
    used: Array
    center: Array
    scale: Array

    def __post_init__(self) -> None:
        u, p = self.used, self.design.n_columns
        if u.ndim != 1 or u.dtype != np.int64 or np.any(u < 0) or np.any(u >= p) or np.any(np.diff(u) <= 0):
            raise ValueError("The columns in use are not columns of the design.")
        if self.center.shape != u.shape or self.scale.shape != u.shape or not (self.scale > 0).all():
            raise ValueError("Centres or scales do not fit the columns in use.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.design.names[j] for j in self.used)

    @cached_property
    def owner(self) -> Array:
        """Which column of the table each one comes from."""
        owner: Array = self.design.owner[self.used]
        return owner

    def rows(self, table: Table) -> Array:
        """Rows in float64; missing cells as the design fills them."""
        x = self.design.encode(table)
        whole = len(self.used) == self.design.n_columns
        x = x if whole else x[:, self.used]
        x = x if isinstance(x, np.ndarray) else x.toarray()
        with np.errstate(over="ignore"):
            z: Array = (x.astype(np.float64) - self.center) / self.scale
        return np.clip(z, -FARTHEST, FARTHEST, out=z)

    def present(self, table: Table) -> Array:
        """Which cells are there, rows × columns in use."""
        if table.matrix is not None or table.sparse is not None:
            x = table.matrix if table.matrix is not None else table.sparse
            x = x[:, self.used]
            return ~np.isnan(x if isinstance(x, np.ndarray) else x.toarray())
        there = np.column_stack([~column.missing for column in table.columns])
        cells: Array = there[:, self.owner]
        return cells


@dataclass(frozen=True)
class ClassProducts(Sums):
    """By class, over the rows where columns j and k are both there:

        weight_jk = Σ w,   sums_jk = Σ w z_j,   products_jk = Σ w z_j z_k

    Without gaps all pairs share their rows: `weight` is then k × 1 × 1 and `sums` k × p × 1.
    """

    rows: int
    class_weight: Array
    weight: Array
    sums: Array
    products: Array

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

    def __init__(self, view: StandardView, n_classes: int, gaps: bool):
        self.view, self.n_classes, self.gaps = view, n_classes, gaps

    def summarize(self, batch: Batch) -> ClassProducts:
        assert batch.target is not None
        p, k = len(self.view.used), self.n_classes
        width = 2 + (2 * p if self.gaps else p)  # the kernel also has a place for a target, not used here
        gram = np.zeros((k, width, width))
        step = max(64, _BLOCK_CELLS // max(self.view.design.n_columns, 1))
        for start in range(0, batch.n_rows, step):
            self._add(batch.rows(start, start + step), gram)
        weight = weigh_codes(batch.target, k, batch.weights)
        cells = slice(1, p + 1)
        if self.gaps:
            there = slice(p + 1, 2 * p + 1)
            parts = gram[:, there, there], gram[:, cells, there], gram[:, cells, cells]
        else:
            parts = gram[:, :1, :1], gram[:, cells, :1], gram[:, cells, cells]
        return ClassProducts(batch.n_rows, weight, *(np.ascontiguousarray(part) for part in parts))

    def _add(self, part: Batch, gram: Array) -> None:
        assert part.target is not None
        z = self.view.rows(part.table)
        if self.gaps:
            there = self.view.present(part.table)
            z = np.hstack([np.where(there, z, 0.0), there.astype(np.float64)])
        shift = np.zeros(z.shape[1] + 1)
        for c in np.unique(part.target):
            rows = part.target == c
            weights = None if part.weights is None else part.weights[rows]
            _core.add_gram(np.ascontiguousarray(z[rows]), None, weights, shift, gram[c])
