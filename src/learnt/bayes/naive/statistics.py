"""What naive Bayes reads from rows: class weights, counts and moments by class. All of it adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Statistic
from learnt.statistics.moments import ManyMoments, joined_moments, moments_by_class
from learnt.storable import FiniteNumbers, Numbers, storable

#: Rows gathered at a time, so that no temporary is as large as the table.
BLOCK_ROWS = 8192


@storable
@dataclass(frozen=True)
class ClassStatistics(Statistic):
    """By class: its weight; weight, mean and squared deviation of the cells of each numeric column; the weight of
    each category of each counted column; and of columns with kernel densities the cells themselves, as rows of
    value, class and weight."""

    rows: int
    class_weight: FiniteNumbers
    weight: FiniteNumbers
    mean: FiniteNumbers
    deviation: Numbers
    counts: tuple[FiniteNumbers, ...]
    cells: tuple[Array, ...]

    def _shape(self) -> tuple[int, ...]:
        return (*self.weight.shape, *(c.shape[1] for c in self.counts), len(self.cells), len(self.class_weight))

    def _merge(self, other: ClassStatistics) -> ClassStatistics:
        return ClassStatistics(
            self.rows + other.rows,
            self.class_weight + other.class_weight,
            *joined_moments(
                (self.weight, self.mean, self.deviation),
                (other.weight, other.mean, other.deviation),
            ),
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            tuple(np.concatenate(pair) for pair in zip(self.cells, other.cells, strict=True)),
        )


def table_moments(
    table: Table, places: Sequence[int], codes: Array, weights: Array | None, n_classes: int
) -> ManyMoments:
    """Moments by class of the numeric columns at `places`: a matrix at once, other columns one by one."""
    if table.matrix is not None and len(places) == table.n_columns:
        return moments_by_class(table.matrix, codes, weights, n_classes)
    total: ManyMoments = (np.zeros((n_classes, len(places))),) * 3
    if table.matrix is None and table.sparse is None:
        # In double precision: other containers give the same numbers as such, and shall give the same bits.
        columns = (table.columns[j].values.astype(np.float64, copy=False).reshape(-1, 1) for j in places)
        found = [moments_by_class(x, codes, weights, n_classes) for x in columns]
        return tuple(np.hstack(parts) for parts in zip(*found, strict=True)) if found else total  # type: ignore[return-value]
    for start in range(0, table.n_rows, BLOCK_ROWS):
        cut = slice(start, start + BLOCK_ROWS)
        x = numbers_at(table.rows(start, start + BLOCK_ROWS), places)
        part = moments_by_class(x, codes[cut], None if weights is None else weights[cut], n_classes)
        total = joined_moments(total, part)
    return total


def numbers_at(table: Table, places: Sequence[int]) -> Array:
    """Some numeric columns as a matrix; the table's own where it is made of these."""
    whole: Any = table.matrix if table.sparse is None else table.sparse.toarray()
    if whole is not None:
        part: Array = whole if len(places) == table.n_columns else whole[:, list(places)]
        return part
    return np.column_stack([table.columns[j].values for j in places])


def kept_cells(values: Array, codes: Array, weights: Array | None) -> Array:
    """Rows of value, class and weight, for the cells that are there and have weight."""
    w = np.ones(len(values)) if weights is None else weights
    rows = np.column_stack([values.astype(np.float64), codes, w])
    return rows[~np.isnan(values) & (w > 0)]
