"""The best threshold of a node, over all columns at once, from sums along sorted rows.

With T the rows whose cell is known, L and R the two sides of a threshold, sd the standard deviation of the target:

    reduction = |T|/n · (sd(T) − |L|/|T|·sd(L) − |R|/|T|·sd(R))

Weka takes the fifth root of the variance instead of its square root, and thresholds that leave about a fifth of the
rows on each side. By "line", the spread is that around a straight line in the column cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from learnt.data.table import Array

Criterion = Literal["deviation", "line", "weka"]

#: Reductions nearer to each other than this part of the node's deviation are equal: the first is taken.
EQUAL = 1e-9
#: Weka's tolerances: of cells that are the same, and of a later column that is better.
SAME_CELL, BETTER = 1e-6, 1e-6


@dataclass(frozen=True, slots=True)
class Split:
    """Cells up to `threshold` go left."""

    column: int
    threshold: float
    reduction: float


@dataclass(frozen=True, slots=True)
class Rows:
    """What growing reads: cells (columns × rows, NaN where missing), target and weights of all rows."""

    cells: Array
    nominal: Array
    target: Array
    weights: Array


def best_split(rows: Rows, order: Array, criterion: Criterion, least: float, enough: float) -> Split | None:
    """The threshold of largest reduction; None where there is none.

    `order` has per column the node's rows by rising cell, missing ones last; `least` is the least weight of a side. By
    "line" nothing is split where the best single line is nearer than `enough`.
    """
    cells = np.take_along_axis(rows.cells, order, axis=1)
    known = ~np.isnan(cells)
    w = np.where(known, rows.weights[order], 0.0)
    here = order[0]
    total = float(rows.weights[here].sum())
    if criterion == "weka":
        return _weka_split(rows, cells, w, rows.target[order], total)
    y = rows.target[order] - float(np.average(rows.target[here], weights=rows.weights[here]))
    sides = _Sides.of(w, y)
    if criterion == "line":
        x = _scaled(cells, known, w)
        x[rows.nominal] = 0.0  # the order of ranks is known, their distances are not
        spread = sides.around_lines(w, x, y)
        whole = float(spread.whole.min())
        if whole < enough:
            return None
    else:
        spread = sides.around_means()
    share = sides.left[:, -1] / total
    before = whole if criterion == "line" else spread.whole[:, None]
    reduction = share[:, None] * (before - spread.sides)
    allowed = known[:, 1:] & (cells[:, :-1] < cells[:, 1:])
    allowed &= (sides.left[:, :-1] >= least) & (sides.right >= least)
    reduction = np.where(allowed, reduction, -np.inf)
    best, size = float(reduction.max(initial=-np.inf)), float(np.max(spread.whole))
    if not best > EQUAL * size:
        return None
    j, i = divmod(int(np.argmax(reduction >= best - EQUAL * size)), reduction.shape[1])
    return Split(j, _between(float(cells[j, i]), float(cells[j, i + 1])), best)


@dataclass(frozen=True, slots=True)
class _Spread:
    whole: Array  # per column, of all known rows
    sides: Array  # per column and cut, the mean of both sides by weight


@dataclass(frozen=True, slots=True)
class _Sides:
    """Sums over the rows left of each cut, columns × rows, the last being all; and the weight right of each cut."""

    left: Array
    y: Array
    yy: Array

    @classmethod
    def of(cls, w: Array, y: Array) -> _Sides:
        wy = w * y
        return cls(np.cumsum(w, axis=1), np.cumsum(wy, axis=1), np.cumsum(wy * y, axis=1))

    @property
    def right(self) -> Array:
        return self.left[:, -1:] - self.left[:, :-1]

    def _mean(self, square_left: Array, square_right: Array, whole: Array) -> _Spread:
        """From sums of squares to deviations, and the mean of those of both sides."""
        left, right, all_ = self.left[:, :-1], self.right, np.maximum(self.left[:, -1], 1e-300)
        of_left = (np.maximum(square_left, 0) / np.maximum(left, 1e-300)) ** 0.5
        of_right = (np.maximum(square_right, 0) / np.maximum(right, 1e-300)) ** 0.5
        return _Spread((np.maximum(whole, 0) / all_) ** 0.5, (left * of_left + right * of_right) / all_[:, None])

    def around_means(self) -> _Spread:
        left, right = np.maximum(self.left[:, :-1], 1e-300), np.maximum(self.right, 1e-300)
        y, yy, all_y, all_yy = self.y[:, :-1], self.yy[:, :-1], self.y[:, -1:], self.yy[:, -1:]
        whole = all_yy[:, 0] - all_y[:, 0] ** 2 / np.maximum(self.left[:, -1], 1e-300)
        return self._mean(yy - y**2 / left, (all_yy - yy) - (all_y - y) ** 2 / right, whole)

    def around_lines(self, w: Array, x: Array, y: Array) -> _Spread:
        """Around the least-squares line of each side in the column that is cut."""
        wx = w * x
        sx, sxx, sxy = (np.cumsum(a, axis=1) for a in (wx, wx * x, wx * y))

        def rest(n: Array, a: Array, aa: Array, b: Array, bb: Array, ab: Array) -> Array:
            n = np.maximum(n, 1e-300)
            across, along, both = bb - b**2 / n, aa - a**2 / n, ab - a * b / n
            flat = along <= 1e-10 * np.maximum(aa, 1e-300)
            found: Array = across - np.where(flat, 0.0, both**2 / np.where(flat, 1.0, along))
            return found

        sums = (self.left, sx, sxx, self.y, self.yy, sxy)
        before = [s[:, :-1] for s in sums]
        behind = [s[:, -1:] - s[:, :-1] for s in sums]
        return self._mean(rest(*before), rest(*behind), rest(*(s[:, -1] for s in sums)))


def _scaled(cells: Array, known: Array, w: Array) -> Array:
    """Cells of each column around their mean, in units of their spread; missing ones 0."""
    x = np.where(known, cells, 0.0)
    weight = np.maximum(w.sum(axis=1, keepdims=True), 1e-300)
    x = np.where(known, x - (w * x).sum(axis=1, keepdims=True) / weight, 0.0)
    spread = np.abs(x).max(axis=1, keepdims=True, initial=0.0)
    scaled: Array = x / np.where(spread > 0, spread, 1.0)
    return scaled


def order_in_turn(cells: Array, target: Array) -> Array:
    """Per column, rows by rising cell, as columns are sorted one after the other: equal cells keep the order of the
    column before, and of the target at first, so that the order of rows in the table does not matter."""
    order, found = np.argsort(target, kind="stable"), np.empty(cells.shape, np.int64)
    for j, column in enumerate(cells):
        order = order[np.argsort(column[order], kind="stable")]
        found[j] = order
    return found


def _weka_split(rows: Rows, cells: Array, w: Array, y: Array, total: float) -> Split | None:
    """Weka's choice: columns in turn, each of the 0/1 columns of a nominal one by itself; a later one must be better
    by more than 1e-6."""
    if total < 4 or cells.shape[1] < 2:
        return None
    fifth = 1.0 if total < 5 else float(total // 5)
    left = np.cumsum(w, axis=1)
    right = left[:, -1:] - left[:, :-1]
    reduction = _weka_reduction(w, y, int(fifth) if np.all(w == 1) else 1)
    least = (fifth + 1) * (1 - 1e-9)
    allowed = (cells[:, 1:] - cells[:, :-1] > SAME_CELL) & (left[:, :-1] >= least) & (right >= least)
    reduction = np.where(allowed, reduction, -np.inf)
    best, found = -np.inf, None
    for j, scores in enumerate(reduction):
        if not rows.nominal[j]:
            i = int(scores.argmax())
            if scores[i] > best + BETTER or (found is None and scores[i] > best):
                best, found = float(scores[i]), (j, i)
            continue
        while (ahead := np.flatnonzero(scores > best + BETTER)).size:
            best, found = float(scores[ahead[0]]), (j, int(ahead[0]))
    if found is None:
        return None
    j, i = found
    low, high = float(cells[j, i]), float(cells[j, i + 1])
    # Of 0/1 columns that are the same in these rows the first is taken: that of the next higher rank.
    return Split(j, low + 0.5 if rows.nominal[j] else _between(low, high), best)


def _weka_reduction(w: Array, y: Array, first: int) -> Array:
    """The reduction of the fifth root of the variance, per column and cut behind the `first` rows or later.

    Equal splits are decided by rounding: a side whose targets are all the same has a variance of some 1e-13, whose
    fifth root is .003. So sums are made as Weka makes them: those of the right side begin behind the `first` rows, and
    a row that goes left is taken away.
    """

    def both(values: Array) -> tuple[Array, Array]:
        start = np.cumsum(values[:, first:], axis=1)[:, -1:]
        right = np.zeros_like(values)
        right[:, first - 1 :] = np.subtract.accumulate(np.hstack([start, values[:, first:]]), axis=1)
        return np.cumsum(values, axis=1), right

    def root(n: Array, s: Array, ss: Array) -> Array:
        n = np.maximum(n, 1e-150)  # which has a square
        found: Array = (np.abs(n * ss - s * s) / (n * n)) ** 0.2
        return found

    w = w / (w.max() or 1.0)  # its unit plays no part
    n, _ = both(w)
    (sl, sr), (ssl, ssr) = both(w * y), both(w * y * y)
    left, right, all_ = n[:, :-1], n[:, -1:] - n[:, :-1], n[:, -1:]
    whole = root(all_, *(a[:, first - 1 : first] + b[:, first - 1 : first] for a, b in ((sl, sr), (ssl, ssr))))
    found: Array = (
        whole - left / all_ * root(left, sl[:, :-1], ssl[:, :-1]) - right / all_ * root(right, sr[:, :-1], ssr[:, :-1])
    )
    return found


def _between(low: float, high: float) -> float:
    """The middle, or `low` where no number lies between."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low
