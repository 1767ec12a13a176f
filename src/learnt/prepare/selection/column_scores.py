"""What a column tells about the target: information, chi², correlation; each with the words for it.

A number is turned into intervals where a score counts: where the class changes (by information gain with a
description-length stop) for "information_gain" and "gain_ratio", and into at most ten of equal frequency, chosen
without a look at the target, for those with a p-value.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Batch
from learnt.information import conditional_entropy, entropy, information_gain, split_information
from learnt.prepare.numbers.cuts import by_information, equal_frequency
from learnt.show.numbers import number
from learnt.statistics.counts import weigh_pairs

#: Intervals of a numeric column, or target, where they are not chosen by the target.
BINS = 10
#: Rows that a cell of the table should hold on average, so that its statistic is distributed as χ²: Cochran's rule.
EXPECTED = 5


@dataclass(frozen=True)
class Score:
    value: float
    words: str
    p_value: float = float("nan")


NOTHING = Score(0.0, "one value only", 1.0)


@dataclass(frozen=True)
class Cells:
    """The rows of a column that hold something: its cells, and their targets and weights."""

    column: Column  # of these rows
    target: Array
    n_classes: int  # 0 where the target is a number
    weights: Array | None
    share: float  # of all weight

    @property
    def weight(self) -> float:
        return float(len(self.target) if self.weights is None else self.weights.sum())

    def codes(self, by_class: bool) -> tuple[Array, int, str]:
        """The cells as codes, how many there are, and what they are called."""
        if self.column.kind != "numeric":
            return self.column.values, len(self.column.categories), "categories"
        if by_class:
            cuts = by_information(self.column.values, self.target, self.weights, self.n_classes)
        else:
            cuts = equal_frequency(self.column.values, self.weights, self._bins())
        return np.searchsorted(cuts, self.column.values), len(cuts) + 1, "intervals"

    def contingency(self, by_class: bool) -> tuple[Array, str]:
        """The weight of each value and class, empty ones left out; and how many values there are, in words."""
        codes, size, called = self.codes(by_class)
        target, n_classes = self._target_codes()
        table = weigh_pairs(codes, size, target, n_classes, self.weights)
        table = table[table.any(axis=1)][:, table.any(axis=0)]
        return table, f"{len(table)} {called}" if len(table) > 1 else "not cut"

    def _target_codes(self) -> tuple[Array, int]:
        if self.n_classes:
            return self.target, self.n_classes
        cuts = equal_frequency(self.target, self.weights, self._bins())
        return np.searchsorted(cuts, self.target), len(cuts) + 1

    def _bins(self) -> int:
        """Ten intervals, or as few as leave enough rows to every cell of the table; two at least."""
        cells = self.weight / EXPECTED
        if self.column.kind == "numeric" and not self.n_classes:
            return int(max(2, min(BINS, np.sqrt(cells))))
        codes = self.target if self.n_classes else self.column.values
        return int(max(2, min(BINS, cells / np.count_nonzero(np.bincount(codes)))))


def _gain(cells: Cells) -> Score:
    table, values = cells.contingency(by_class=True)
    if len(table) == 1:
        return Score(0.0, values)
    before, after = entropy(table.sum(axis=0)), conditional_entropy(table)
    return Score(cells.share * information_gain(table), f"{number(before)} − {number(after)} bits, {values}")


def _gain_ratio(cells: Cells) -> Score:
    table, values = cells.contingency(by_class=True)
    if len(table) == 1:
        return Score(0.0, values)
    gain, split = information_gain(table), split_information(table)
    return Score(cells.share * gain / split, f"{number(gain)} / {number(split)} bits, {values}")


def _mutual_information(cells: Cells) -> Score:
    table, values = cells.contingency(by_class=False)
    bits, freedom = information_gain(table), (table.shape[0] - 1) * (table.shape[1] - 1)
    p = _chi2_tail(2 * np.log(2) * cells.weight * bits / _williams(table), freedom)  # the G-test
    return Score(cells.share * bits, f"{values}, {freedom} degrees of freedom", p)


def _chi2(cells: Cells) -> Score:
    table, values = cells.contingency(by_class=False)
    statistic, freedom = _pearson_statistic(table)
    return Score(statistic, f"{values}, {freedom} degrees of freedom", _chi2_tail(statistic, freedom))


def _correlation(cells: Cells) -> Score:
    column = cells.column
    numeric = column.kind != "nominal"  # ranks and booleans count as numbers
    if numeric and not cells.n_classes:
        r = _pearson(column.values, cells.target, cells.weights)
        return Score(abs(r), f"r = {number(r)}", _f_tail(r * r, 1, cells.weight - 2))
    if numeric:
        return _ratio(column.values, cells.target, cells.n_classes, cells)
    if not cells.n_classes:
        return _ratio(cells.target, column.values, len(column.categories), cells)
    table, values = cells.contingency(by_class=False)
    statistic, freedom = _pearson_statistic(table)
    v = np.sqrt(min(1.0, statistic / (cells.weight * max(min(table.shape) - 1, 1))))
    return Score(float(v), f"Cramér's V, {values}", _chi2_tail(statistic, freedom))


SCORES: dict[str, Callable[[Cells], Score]] = {
    "information_gain": _gain,
    "gain_ratio": _gain_ratio,
    "chi2": _chi2,
    "correlation": _correlation,
    "mutual_information": _mutual_information,
}
#: Scores that have a p-value; those that take a target of numbers as well as one of classes.
TESTED = ("chi2", "correlation", "mutual_information")
OF_ANY = ("correlation", "mutual_information")


def _centred_values(values: Array, weights: Array | None) -> Array:
    """Deviations from the mean, the largest of size 1: squares of them neither overflow nor vanish."""
    values = values.astype(np.float64)
    size = float(np.abs(values).max(initial=0.0))
    values = np.ldexp(values, -int(np.frexp(size)[1]))
    values -= np.average(values, weights=weights)
    size = float(np.abs(values).max(initial=0.0))
    return values / size if size > 0 else values


def _pearson(x: Array, y: Array, weights: Array | None) -> float:
    x, y = _centred_values(x, weights), _centred_values(y, weights)
    weighted = x if weights is None else x * weights
    xx, xy = float(weighted @ x), float(weighted @ y)
    yy = float(y @ y if weights is None else (y * weights) @ y)
    return max(-1.0, min(1.0, xy / np.sqrt(xx * yy))) if xx > 0 and yy > 0 else 0.0


def _ratio(x: Array, codes: Array, n_groups: int, cells: Cells) -> Score:
    """Correlation ratio η: the share of a number's variance that lies between groups, as a root."""
    x = _centred_values(x, cells.weights)
    weighted = x if cells.weights is None else x * cells.weights
    weight = np.bincount(codes, cells.weights, n_groups)
    sums = np.bincount(codes, weighted, n_groups)
    between = float(np.sum(np.divide(sums**2, weight, out=np.zeros(n_groups), where=weight > 0)))
    whole = float(weighted @ x)
    squared = min(1.0, between / whole) if whole > 0 else 0.0
    groups = int(np.count_nonzero(weight))
    p = _f_tail(squared, groups - 1, cells.weight - groups)
    return Score(float(np.sqrt(squared)), f"correlation ratio over {groups} groups", p)


def _pearson_statistic(table: Array) -> tuple[float, int]:
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum()), (table.shape[0] - 1) * (table.shape[1] - 1)


def _williams(table: Array) -> float:
    """By how much G exceeds χ² on average where cells hold few rows (D. Williams, Biometrika 63, 1976)."""
    n, freedom = float(table.sum()), (table.shape[0] - 1) * (table.shape[1] - 1)
    rows, columns = (n * float((1 / table.sum(axis=axis)).sum()) - 1 for axis in (1, 0))
    return 1 + rows * columns / (6 * n * freedom) if freedom else 1.0


def _chi2_tail(statistic: float, freedom: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(freedom, statistic)) if freedom > 0 else 1.0


def _f_tail(squared: float, between: float, within: float) -> float:
    """The p-value of a share of variance explained, by Fisher's F."""
    from scipy.special import fdtrc

    if between <= 0 or within <= 0:
        return 1.0
    if squared >= 1:
        return 0.0
    return float(fdtrc(between, within, squared / between / ((1 - squared) / within)))


def score_columns(batch: Batch, criterion: str, n_classes: int) -> list[Score]:
    """The score of each column of a whole table."""
    column_at = _columns(batch.table)
    pool = ThreadPoolExecutor(_core.get_threads())  # NumPy sorts and counts without holding the lock
    try:
        work = pool.map(lambda j: _score(criterion, column_at(j), batch, n_classes), range(batch.table.n_columns))
        return list(work)
    finally:
        pool.shutdown(cancel_futures=True)


def _score(criterion: str, column: Column, batch: Batch, n_classes: int) -> Score:
    assert batch.target is not None
    there = ~column.missing
    if batch.weights is not None:
        there &= batch.weights > 0
    rows: Any = slice(None) if there.all() else there
    weights = None if batch.weights is None else batch.weights[rows]
    target = batch.target[rows]
    whole = batch.n_rows if batch.weights is None else float(batch.weights.sum())
    share = float(len(target) if weights is None else weights.sum()) / whole
    values = column.values[rows]
    if len(values) == 0 or (values == values[0]).all() or (target == target[0]).all():
        return NOTHING
    part = Column.like(column, values)
    return SCORES[criterion](Cells(part, target, n_classes, weights, share))


def _columns(table: Table) -> Callable[[int], Column]:
    """How to have a column by its place; sparse ones are made dense one at a time."""
    if table.sparse is None:
        return table.columns.__getitem__
    stored, names = table.sparse.tocsc(), table.names

    def column(j: int) -> Column:
        values, part = np.zeros(table.n_rows), slice(stored.indptr[j], stored.indptr[j + 1])
        values[stored.indices[part]] = stored.data[part]
        return Column(names[j], "numeric", values)

    return column
