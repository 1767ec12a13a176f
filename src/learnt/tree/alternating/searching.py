"""The best test below one prediction node: all thresholds and categories, from sums over sorted rows.

With W₊ and W₋ the weights of the two sides of the target among rows of a known cell that fulfil the test (1) or do
not (2), and ε the smoothing, a test below a node changes the bound of the training error, Z, by

    2·√((W₊₁ + ε)(W₋₁ + ε)) + 2·√((W₊₂ + ε)(W₋₂ + ε)) − (W₊₁ + W₋₁ + W₊₂ + W₋₂)

which does not depend on rows that the node does not reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.tree.grow.thresholds import short_between

#: Cells looked at together: what is worked out for them fits a processor's cache, or nearly.
CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Test:
    """Cells up to `threshold`, or of category `code`, go to the first node."""

    change: float  # of Z
    column: int
    threshold: float
    code: int


class Columns:
    """The cells of a table, sorted once."""

    def __init__(self, table: Table):
        nominal = [column.kind in ("nominal", "boolean") for column in table.columns]
        self.n_columns = len(nominal)
        self.numeric = [j for j, named in enumerate(nominal) if not named]
        self.nominal = [(j, len(table.columns[j].categories)) for j, named in enumerate(nominal) if named]
        self.cells = np.empty((len(self.numeric), table.n_rows))
        for k, j in enumerate(self.numeric):
            column = table.columns[j]
            self.cells[k] = np.where(column.missing, np.nan, column.values)
        self.order = np.argsort(self.cells, axis=1, kind="stable").astype(np.int32)
        self.codes = {j: table.columns[j].values for j, _ in self.nominal}

    def best_test(self, here: Array, positive: Array, negative: Array, epsilon: float, equal: float) -> Test | None:
        """The test of the smallest change of Z below a node that the rows `here`, booleans, reach.

        `positive` and `negative` have the weights of all rows on each side of the target, 0 on the other. Changes
        nearer than `equal` are the same: the first column is taken, then the lowest threshold or first category.
        """
        found = [*self._thresholds(here, positive, negative, epsilon, equal)]
        found += self._categories(here, positive, negative, epsilon, equal)
        if not found:
            return None
        least = min(test.change for test in found)
        return min((test for test in found if test.change <= least + equal), key=lambda test: test.column)

    def _thresholds(
        self, here: Array, positive: Array, negative: Array, epsilon: float, equal: float
    ) -> Iterator[Test]:
        """The best threshold of each column."""
        m = int(np.count_nonzero(here))
        at_once = max(1, CELLS_AT_ONCE // max(len(here), 1))
        for start in range(0, len(self.numeric) if m > 1 else 0, at_once):
            order = self.order[start : start + at_once]
            order = order[here[order]].reshape(len(order), m)
            cells = np.take_along_axis(self.cells[start : start + at_once], order, axis=1)
            known = ~np.isnan(cells)
            plus, minus = (np.cumsum(np.where(known, w[order], 0.0), axis=1) for w in (positive, negative))
            change = changes(plus[:, :-1], minus[:, :-1], plus[:, -1:], minus[:, -1:], epsilon)
            change = np.where(cells[:, :-1] < cells[:, 1:], change, np.inf)  # false beside a missing cell
            for k, row in enumerate(change):
                least = float(row.min())
                if math.isinf(least):
                    continue
                i = int(np.argmax(row <= least + equal))
                low, high = float(cells[k, i]), float(cells[k, i + 1])
                middle = low / 2 + high / 2
                cut = short_between(middle, low, high) if low <= middle < high else low
                yield Test(float(row[i]), self.numeric[start + k], cut, -1)

    def _categories(
        self, here: Array, positive: Array, negative: Array, epsilon: float, equal: float
    ) -> Iterator[Test]:
        """The best category of each column; of two, which make the same test, the first."""
        rows = np.flatnonzero(here)
        for j, k in self.nominal:
            codes = self.codes[j][rows]
            inside, codes = rows[codes >= 0], codes[codes >= 0]
            there = np.bincount(codes, minlength=k) > 0
            if np.count_nonzero(there) < 2:
                continue
            plus, minus = (np.bincount(codes, w[inside], k) for w in (positive, negative))
            change = np.where(there, changes(plus, minus, plus.sum(), minus.sum(), epsilon), np.inf)
            code = int(np.argmax(change <= change.min() + equal))
            yield Test(float(change[code]), j, math.nan, code)


def changes(plus: Array, minus: Array, all_plus: Array, all_minus: Array, epsilon: float) -> Array:
    """By how much tests change Z; `plus` and `minus` are the weights that fulfil them."""
    other_plus, other_minus = np.maximum(all_plus - plus, 0.0), np.maximum(all_minus - minus, 0.0)
    with np.errstate(over="ignore"):  # a smoothing beyond all weights leaves every test without effect
        one = np.sqrt((plus + epsilon) * (minus + epsilon))
        other = np.sqrt((other_plus + epsilon) * (other_minus + epsilon))
    found: Array = 2 * (one + other) - (all_plus + all_minus)
    return found
