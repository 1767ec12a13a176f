"""What a missing cell is filled with: middles of columns, overall and within each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.prepare.numbers.discretizer import cells_of
from learnt.statistics.counts import weigh_pairs
from learnt.statistics.moments import joined_means
from learnt.statistics.quantiles import ROUNDING, middle_places, weighted_median


def most_frequent(values: Array, weights: Array | None) -> float:
    """The number of largest weight; of equal ones the smallest."""
    if len(values) == 0:
        return float("nan")
    levels, place = np.unique(values, return_inverse=True)
    total = np.bincount(place, weights)
    return float(levels[np.argmax(total >= total.max() * (1 - ROUNDING))])


def usual_code(weights: Array, *, middle: bool = False) -> float:
    """The category of largest weight, the first of equal ones, or the one in the middle; NaN where none has any."""
    if not weights.any():
        return float("nan")
    if middle:
        return float(middle_places(weights)[0])
    return float(np.argmax(weights >= weights.max() * (1 - ROUNDING)))


def find_middles(batch: Batch, strategies: dict[int, str]) -> dict[int, float]:
    """Medians and most frequent numbers by column, which need its order."""
    found = {}
    for j, strategy in strategies.items():
        values, _, weights = cells_of(batch.table[batch.table.names[j]], batch)
        find = weighted_median if strategy == "median" else most_frequent
        found[j] = find(values.astype(np.float64), weights)
    return found


@dataclass(frozen=True)
class ClassFills(Statistic):
    """Per class (rows) and numeric column the weight and mean of its cells; per coded column the category weights."""

    rows: int
    weight: Array
    mean: Array
    categories: tuple[Array, ...]

    def _shape(self) -> tuple[int, ...]:
        return (*self.weight.shape,)

    def _merge(self, other: ClassFills) -> ClassFills:
        weight, mean, _ = joined_means((self.weight, self.mean), (other.weight, other.mean))
        both = zip(self.categories, other.categories, strict=True)
        return ClassFills(self.rows + other.rows, weight, mean, tuple(a + b for a, b in both))

    def codes_and_means(self) -> Array:
        """The fill of each class and column; NaN where a class has no cell of a column."""
        fills = np.where(self.weight > 0, self.mean, np.nan)
        for j, categories in enumerate(self.categories):
            if categories.size:
                fills[:, j] = [usual_code(weights) for weights in categories]
        return fills


class FillByClass(Pass):
    def __init__(self, n_classes: int):
        self.n_classes = n_classes

    def summarize(self, batch: Batch) -> ClassFills:
        k, p = self.n_classes, batch.table.n_columns
        weight, mean = np.zeros((k, p)), np.zeros((k, p))
        if batch.table.matrix is not None:
            self._add_numbers(batch.table.matrix, batch, slice(None), weight, mean)
            return ClassFills(batch.n_rows, weight, mean, (np.zeros((k, 0)),) * p)
        categories = []
        for j, column in enumerate(batch.table.columns):
            if column.kind == "numeric":
                self._add_numbers(column.values.reshape(-1, 1), batch, slice(j, j + 1), weight, mean)
            categories.append(self._categories(column, batch))
        return ClassFills(batch.n_rows, weight, mean, tuple(categories))

    def _add_numbers(self, x: Array, batch: Batch, at: slice, *outputs: Array) -> None:
        assert batch.target is not None
        shape = (self.n_classes, x.shape[1])
        weight, mean, deviation = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        infinite = np.zeros(x.shape[1], np.int64)
        _core.moments_by_class(x, batch.target, batch.weights, weight, mean, deviation, infinite)
        outputs[0][:, at], outputs[1][:, at] = weight, mean

    def _categories(self, column: Column, batch: Batch) -> Array:
        size = len(column.categories)
        assert batch.target is not None
        if size == 0:  # of a numeric column, or of one without a cell
            return np.zeros((self.n_classes, 0))
        return weigh_pairs(batch.target, self.n_classes, column.values, size, batch.weights)


def filled_columns(
    table: Table, fill: Array, by_row: Array | None, categories: dict[str, tuple[object, ...]]
) -> list[Column]:
    """The columns with missing cells replaced, by `fill` or by the row's own `by_row`; NaN leaves a cell missing.

    `categories` names the labels of columns that have got another one.
    """
    columns = []
    for j, column in enumerate(table.columns):
        labels = categories.get(column.name, column.categories)
        gaps = np.flatnonzero(column.missing)
        values = column.values
        if len(gaps):
            new = np.full(len(gaps), fill[j]) if by_row is None else by_row[gaps, j]
            new = np.where(np.isnan(new), fill[j], new)
            if column.kind == "numeric":
                values = column.values.astype(np.float64)  # a copy
                values[gaps] = new
            else:
                values = column.values.copy()
                values[gaps] = np.where(np.isnan(new), -1, new)
        columns.append(Column(column.name, column.kind, values, labels, column.form))
    return columns
