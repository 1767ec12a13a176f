"""A table as numbers that thresholds can cut: numbers as they are, categories as ranks by their mean target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.whole import unpacked
from learnt.errors import InputError
from learnt.storable import Codes, Numbers, storable


@storable
@dataclass(frozen=True, eq=False)
class RankedCells:
    """How the cells of each column become numbers.

    A nominal column of k categories stands for k − 1 columns of 0 and 1, "the rank is at least r" for r = 1, …, k − 1,
    where categories are ranked by their mean target: a threshold on the rank is one of them. Categories of next to no
    rows share a rank: standing in the order of their own targets, each would be told by the target it tells of.

    | field | meaning |
    |---|---|
    | `fill` | per column the mean of its cells, or the rank of the most frequent one: what missing cells count as |
    | `start` | per column where its ranks begin, and at the end their number |
    | `ranks` | the rank of each category, −1 if no row had it: such a cell is a missing one |
    """

    schema: Schema
    fill: Numbers
    start: Codes
    ranks: Codes

    def __post_init__(self) -> None:
        sizes = [len(column.categories) if is_nominal(column) else 0 for column in self.schema]
        fits = self.fill.shape == (len(sizes),) and np.array_equal(self.start, np.cumsum([0, *sizes]))
        if not fits or self.ranks.shape != (sum(sizes),) or not np.isfinite(self.fill).all():
            raise ValueError("The ranks of the categories do not fit the columns.")

    @classmethod
    def of(cls, table: Table, target: Array, weights: Array, *, fewest: float, fill_first: bool) -> RankedCells:
        """`fewest` is the weight from which on a category has a rank of its own. `fill_first` counts missing cells as
        the most frequent category before it takes the means, as Weka does."""
        fill, ranks, start = [], [], [0]
        for column in table.columns:
            known = ~column.missing
            if is_nominal(column):
                k = len(column.categories)
                codes = column.values[known]
                weight = np.bincount(codes, weights[known], k)
                seen = np.flatnonzero(weight > 0)
                total, base = np.bincount(codes, weights[known] * target[known], k), weight.copy()
                if fill_first and len(seen):
                    total[weight.argmax()] += (weights * target)[~known].sum()
                    base[weight.argmax()] += weights[~known].sum()
                mean = total / np.where(base > 0, base, 1)
                rare = seen[weight[seen] < fewest * (1 - 1e-9)]
                if len(rare):
                    mean[rare] = total[rare].sum() / weight[rare].sum()
                rank = np.full(k, -1, np.int32)
                rank[seen[np.argsort(mean[seen], kind="stable")]] = np.arange(len(seen))
                if len(rare):
                    rank = _together(rank, rare)
                ranks.append(rank)
                fill.append(float(rank[weight.argmax()]) if len(seen) else 0.0)
            else:
                k = 0
                some = weights[known]
                with np.errstate(over="ignore", invalid="ignore"):
                    numbers = column.values[known].astype(np.float64)
                    fill.append(float(np.average(numbers, weights=some)) if len(some) else 0.0)
                if not np.isfinite(fill[-1]):
                    raise InputError(too_large(column.name))
            start.append(start[-1] + k)
        joined = np.concatenate([np.zeros(0, np.int32), *ranks]).astype(np.int32)
        return cls(table.schema, np.array(fill, np.float64), np.array(start, np.int32), joined)

    @property
    def nominal(self) -> Array:
        """Which columns are ranked, as booleans."""
        return np.array([is_nominal(column) for column in self.schema], dtype=bool)

    def of_column(self, j: int) -> Array:
        """The ranks of the categories of a nominal column."""
        return self.ranks[self.start[j] : self.start[j + 1]]

    def numbers(self, table: Table, *, filled: bool) -> Array:
        """Columns × rows; missing cells are NaN, or with `filled` as the column's `fill`."""
        out = np.empty((table.n_columns, table.n_rows))
        for j, column in enumerate(unpacked(table).columns):
            if is_nominal(column):
                rank = np.append(self.of_column(j), -1)[column.values].astype(np.float64)
                out[j] = np.where(rank < 0, np.nan, rank)
            elif column.kind == "numeric":
                out[j] = column.values
            else:
                out[j] = np.where(column.values < 0, np.nan, column.values)
            if filled:
                out[j][np.isnan(out[j])] = self.fill[j]
        return out


def _together(rank: Array, rare: Array) -> Array:
    """The ranks with one for the rare categories, the first that one of them has, and no gaps."""
    shared = rank.copy()
    shared[rare] = rank[rare].min()
    found: Array = np.where(shared < 0, -1, np.searchsorted(np.unique(shared[shared >= 0]), shared)).astype(np.int32)
    return found


def is_nominal(column: object) -> bool:
    """Whether the categories of a column have no order."""
    return getattr(column, "kind", "") in ("nominal", "boolean")


def too_large(name: str) -> str:
    return f"Column {name!r} holds values so large that their squares overflow. Scale it down first."
