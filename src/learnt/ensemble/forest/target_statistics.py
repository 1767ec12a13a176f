"""Columns of many categories beside which forests search ordered statistics of the target.

What these are says `ensemble/ordered_statistics.py`. The rows are put in a few *orders*, and trees take turns with
them: a row that has few before it in one has many in another. Where a tree looks at a column, it looks at its
stand-ins, too: one for each class that the rows before tell of, or for the number.

Once grown, a test of a stand-in becomes a test of categories: those whose statistic over all rows is at most the
threshold go left. So trees need no statistics to predict. Rows out of bag are judged by their own statistics, which do
not know their target.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.forest.codes import Coding
from learnt.ensemble.forest.growth import Coded
from learnt.ensemble.forest.stand_ins import StandIns
from learnt.ensemble.ordered_statistics import (
    CategoryBins,
    category_bins,
    deviations,
    error_lowered,
    fitting_prior,
    place_count,
)
from learnt.statistics.sample import hash_numbers

#: Columns of at most so many categories are searched as they are.
FEW_CATEGORIES = 64
#: A row of a category tells of the others as much as the mean of all if that weighs 1. Where it tells much more, trees
#: know a category from a row or two, and statistics of rows that have none before them are but noise.
LEAST_PRIOR = 0.5
BEYOND_CHANCE = 3.0  #: In standard deviations, how far statistics tell of the target.
#: Orders, as far as the stand-ins of all have not more cells; and classes that a column has stand-ins for, at most.
ORDERS, MOST_CELLS = 8, 1 << 26
MOST_CLASSES = 8
_MOST_BINS = 255


def with_statistics(coded: Coded, classes: Array | None, factors: Array | None) -> Coded:
    """What a forest is grown from, with stand-ins for the columns whose statistics tell of the target."""
    coding = coded.coding
    many = [j for j in coded.varying.tolist() if coding.nominal[j] and coding.n_codes[j] > FEW_CATEGORIES]
    if not many:
        return coded
    rows = _Rows.of(coded, 0 if classes is None else len(classes), factors)
    told = [(j, c) for j in many for c in rows.outputs_told(j)]
    if not told:
        return coded
    orders = int(np.clip(MOST_CELLS // (coded.n_rows * len(told)), 1, ORDERS))
    columns = [rows.stand_in(j, c, order) for order in range(orders) for j, c in told]
    bins = [found.categories for _, found in columns[: len(told)]]
    return replace(
        coded,
        coding=_extended(coding, [found.n_bins for _, found in columns]),
        codes=np.concatenate([coded.codes, [codes for codes, _ in columns]]),
        stand_ins=StandIns(
            columns=np.array([j for j, _ in told], np.int32),
            orders=orders,
            bins=np.concatenate(bins),
            start=np.cumsum([0, *map(len, bins)], dtype=np.int64),
        ),
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as statistics see them: their codes, hashes of them, their weights and the targets of each output."""

    coded: Coded
    hashes: Array
    weights: Array
    targets: list[Array]

    @classmethod
    def of(cls, coded: Coded, n_classes: int, factors: Array | None) -> _Rows:
        weights = np.ones(coded.n_rows) if coded.weights is None else coded.weights
        if n_classes == 0:
            largest = float(np.abs(coded.target).max()) or 1.0  # squares neither overflow nor vanish
            targets = [coded.target / largest]
        else:
            weights = weights if factors is None else weights * factors[coded.target]
            targets = [coded.target == c for c in (range(n_classes) if n_classes != 2 else (1,))]
        return cls(coded, _hashes(coded), weights, targets)

    def outputs_told(self, j: int) -> list[int]:
        """The outputs that the statistics of a column tell of, in the order in which they do so best."""
        lowered = np.array([self._error_lowered(j, c) for c in range(len(self.targets))])
        best = np.argsort(-lowered, kind="stable")[:MOST_CLASSES]
        return [int(c) for c in best if lowered[c] > 0]

    def stand_in(self, j: int, output: int, order: int) -> tuple[Array, CategoryBins]:
        """The codes of the rows, and the bins they come from."""
        prior = fitting_prior(*self._totals(j, output, 0), self._squares(j, output))
        found = category_bins(*self._totals(j, output, order), _MOST_BINS, prior)
        codes, there = self._codes(j)
        return np.where(there, found.rows[codes, self._places(j, order)], found.n_bins).astype(np.uint16), found

    def _error_lowered(self, j: int, output: int) -> float:
        totals, squares = self._totals(j, output, 0), self._squares(j, output)
        prior = fitting_prior(*totals, squares)
        if prior < LEAST_PRIOR or deviations(*totals, squares, prior) < BEYOND_CHANCE:
            return 0.0
        return error_lowered(*totals, prior)

    def _squares(self, j: int, output: int) -> float:
        """Σ w y² over the rows that have a category."""
        known = self.weights * self._codes(j)[1]
        return float(known @ np.square(self.targets[output], dtype=np.float64))

    def _totals(self, j: int, output: int, order: int) -> tuple[Array, Array]:
        """Of one column and output: the weight of the rows, and their weighted targets, categories × places."""
        codes, there = self._codes(j)
        shape = self.coded.coding.n_codes[j], self._place_count(j)
        cell, known = codes * shape[1] + self._places(j, order), self.weights * there
        sums = (np.bincount(cell, w, shape[0] * shape[1]) for w in (known, known * self.targets[output]))
        weight, target = (each.reshape(shape) for each in sums)
        return weight, target

    def _codes(self, j: int) -> tuple[Array, Array]:
        """The categories of the rows, 0 where there is none, and whether there is one."""
        codes = self.coded.codes[j].astype(np.int64)
        there = codes < self.coded.coding.n_codes[j]
        return np.where(there, codes, 0), there

    def _places(self, j: int, order: int) -> Array:
        keys = hash_numbers(self.hashes + hash_numbers(np.array([order]))[0])
        return (keys % np.uint64(self._place_count(j))).astype(np.int64)

    def _place_count(self, j: int) -> int:
        return place_count(int(self.coded.coding.n_codes[j]), len(self.targets))


def _hashes(coded: Coded) -> Array:
    """A number for each row that depends on its cells alone; categories that no row has do not matter."""
    found = np.zeros(coded.n_rows, np.uint64)
    for j in coded.varying.tolist():
        codes = coded.codes[j]
        seen = np.bincount(codes, coded.weights) > 0
        rank = np.cumsum(seen, dtype=np.uint64) + np.uint64(j << 32)
        found += hash_numbers(rank)[codes]
    return hash_numbers(found)


def _extended(coding: Coding, n_bins: list[int]) -> Coding:
    """The coding with columns of so many bins behind the others."""
    n, none = np.array(n_bins, np.int32), np.zeros(len(n_bins), np.uint8)
    return Coding(
        n_codes=np.append(coding.n_codes, n),
        shift=np.append(coding.shift, none.astype(np.int32)),
        lost=np.append(coding.lost, n),
        nominal=np.append(coding.nominal, none),
        ranges=np.append(coding.ranges, none),
        bounds=(*coding.bounds, *(np.arange(k, dtype=np.float64) for k in n_bins)),
        kept=(*coding.kept, *(None for _ in n_bins)),
    )
