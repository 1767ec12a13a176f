"""Intervals of a forest of numbers that hold as many new rows as they promise.

How far the trees that did not draw a row miss it, in units of how much they disagree about it, is for a new row as it
was for the rows fitted: the share `level` of those misses gives the width. This is split conformal prediction with the
rows out of bag in the place of rows held out, and with misses scaled by their difficulty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.ensemble.forest.leaf_targets import LeafTargets
from learnt.ensemble.forest.stand_ins import beside
from learnt.ensemble.trees.forest import Forest
from learnt.storable import FiniteNumbers, storable

#: What is known of the variance between trees before they speak counts as much as so many of them.
PRIOR_TREES = 3.0
BLOCK_ROWS = 1 << 14


@storable
@dataclass(frozen=True)
class Units:
    """Targets are measured from `origin` in `size`s, so that squares neither overflow nor vanish."""

    origin: float
    size: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.origin) and 0 < self.size < np.inf):
            raise ValueError("Targets cannot be measured in such units.")

    @classmethod
    def of(cls, target: Array, weights: Array | None = None) -> Units:
        """From the median, where most targets are near 0, so that few far away take no digits off the others."""
        there = target if weights is None else target[weights > 0]
        origin = float(np.median(there))
        return cls(origin, float(np.abs(there - origin).max()) or 1.0)

    def taken(self, values: Array) -> Array:
        found: Array = values / self.size - self.origin / self.size
        return found


@dataclass(frozen=True, eq=False)
class LeafMoments:
    """Mean and variance of the targets in each node that is a leaf, in units."""

    forest: Forest
    mean: Array
    variance: Array

    @classmethod
    def of(cls, forest: Forest, kept: LeafTargets, units: Units) -> LeafMoments:
        mean = units.taken(forest.value[:, 0])
        node = np.repeat(np.arange(forest.node_count), np.diff(kept.node_start))
        off = (units.taken(kept.targets)[kept.ranks] - mean[node]) ** 2
        total = np.bincount(node, kept.shares, forest.node_count)
        within = np.bincount(node, off * kept.shares, forest.node_count)
        return cls(forest, mean, within / np.where(total > 0, total, 1.0))

    def sums(self, table: Table, found: Array, drawn: Array | None = None) -> Array:
        """Add to 4 × rows, over the trees that did not draw a row: 1, the mean in its leaf, the square of that, and the
        variance in its leaf. `drawn` is trees × rows."""
        for first in range(0, table.n_rows, BLOCK_ROWS):
            part = table.rows(first, first + BLOCK_ROWS)
            leaves, here = self.forest.leaves(part), slice(first, first + part.n_rows)
            for t, start in enumerate(self.forest.tree_start[:-1].tolist()):
                node = start + leaves[:, t].astype(np.int64)
                mean = self.mean[node]
                terms = np.array([np.ones(len(mean)), mean, mean * mean, self.variance[node]])
                found[:, here] += terms if drawn is None else np.where(drawn[t, here], 0.0, terms)
        return found


@dataclass(frozen=True, eq=False)
class Said(Statistic):
    """Sums of each row, one row after another: 4 × rows."""

    rows: int
    sums: Array

    def _merge(self, other: Self) -> Self:
        return type(self)(self.rows + other.rows, np.concatenate([self.sums, other.sums], axis=1))


class AskTheUndrawn(Pass):
    """What the trees that did not draw a row say of it, added to what earlier trees said.

    `cells` are the numbers of the stand-ins that they test, columns × rows."""

    def __init__(self, moments: LeafMoments, drawn: Array, earlier: Array | None, cells: Array | None = None):
        self.moments, self.drawn, self.earlier, self.cells = moments, drawn, earlier, cells

    def summarize(self, batch: Batch) -> Said:
        here = slice(batch.first_row, batch.first_row + batch.n_rows)
        start = np.zeros((4, batch.n_rows)) if self.earlier is None else self.earlier[:, here].copy()
        table = batch.table if self.cells is None else beside(batch.table, self.cells[:, here])
        return Said(batch.n_rows, self.moments.sums(table, start, self.drawn[:, here]))


def center_of(sums: Array) -> tuple[Array, Array]:
    """Per row the mean of what trees say, and the sum of the squares by which they differ from it."""
    center = sums[1] / np.maximum(sums[0], 1.0)
    return center, np.maximum(sums[2] - sums[0] * center**2, 0.0)


@storable
@dataclass(frozen=True, eq=False)
class Calibration:
    """How far rows were missed, in spreads: `misses` rise, and `below` is the share of the weight up to each."""

    units: Units
    disagreement: float  # the variance between trees, of all rows
    typical: float  # the geometric mean of the variances of rows
    misses: FiniteNumbers
    below: FiniteNumbers
    n_effective: float  # rows; fewer where weights are uneven

    def __post_init__(self) -> None:
        if self.misses.ndim != 1 or self.misses.shape != self.below.shape or len(self.misses) == 0:
            raise ValueError("The misses and their shares do not fit each other.")
        rising = all((np.diff(values) >= 0).all() for values in (self.misses, self.below))
        if not rising or self.misses[0] < 0 or not (self.below[0] > 0 and self.below[-1] <= 1 + 1e-9):
            raise ValueError("The misses and their shares do not rise, or are out of range.")
        if not (0 <= self.typical < np.inf and 0 <= self.disagreement < np.inf):
            raise ValueError("The typical variances are out of range.")
        if not (1 - 1e-9 <= self.n_effective < np.inf):
            raise ValueError("The number of rows is out of range.")

    @classmethod
    def of(cls, sums: Array, n_trees: int, target: Array, weights: Array | None, units: Units) -> Calibration | None:
        """None if every tree drew every row."""
        known = sums[0] > 0 if weights is None else (sums[0] > 0) & (weights > 0)
        if not known.any():
            return None
        w = np.ones(int(known.sum())) if weights is None else weights[known] / weights[known].max()
        sums = sums[:, known]
        center, apart = center_of(sums)
        disagreement = float(w @ apart / max(float(w @ (sums[0] - 1)), 1e-300)) if (sums[0] > 1).any() else 0.0
        between = _between(sums, apart, disagreement)
        variance = between + sums[3] / sums[0]
        some = variance > 0
        typical = float(np.exp(np.average(np.log(variance[some]), weights=w[some]))) if some.any() else 0.0
        widths = _widths(variance, typical)
        misses = np.abs(units.taken(target[known]) - center) / widths
        # A new row is answered by all trees, with less noise than a row of which only some trees speak.
        noise = between / widths**2 * (1 / sums[0] - 1 / n_trees)
        square = float(np.average(misses**2, weights=w))
        rest = max(square - float(np.average(noise, weights=w)), square / 10)
        misses = misses * np.sqrt(rest / (rest + noise)) if rest > 0 else misses
        order = np.argsort(misses, kind="stable")
        effective = max(float(w.sum() ** 2 / (w @ w)), 1.0)
        return cls(units, disagreement, typical, misses[order], np.cumsum(w[order]) / w.sum(), effective)

    def intervals(self, moments: LeafMoments, table: Table, level: float) -> Array:
        """Rows × 2: the ends; infinite where `level` asks for more rows than there were."""
        sums = moments.sums(table, np.zeros((4, table.n_rows)))
        center, apart = center_of(sums)
        variance = _between(sums, apart, self.disagreement) + sums[3] / sums[0]
        half = self._quantile(level) * _widths(variance, self.typical)
        return self.units.origin + self.units.size * np.column_stack([center - half, center + half])

    def _quantile(self, level: float) -> float:
        """Of n rows and a new one, the latter is among the k nearest with probability k/(n + 1).

        Between the k-th miss and the next, as far as tails that fall exponentially ask for: a straight line between
        the last few of them would promise too little and hold too much.
        """
        one = 1 + 1 / self.n_effective
        share = level * one
        k = int(np.searchsorted(self.below, share, side="right")) - 1
        if k < 0:
            return float(self.misses[0])
        if k >= len(self.misses) - 1:
            return float(self.misses[-1]) if share <= self.below[-1] + 1e-12 else np.inf
        here, after = self.below[k], self.below[k + 1]
        part = (1 - here) / (after - here) * (share - here) / (one - share)
        return float(self.misses[k] + min(part, 1.0) * (self.misses[k + 1] - self.misses[k]))


def _between(sums: Array, apart: Array, disagreement: float) -> Array:
    """The variance between trees about each row; where few speak, it is near that of all rows."""
    found: Array = (apart + PRIOR_TREES * disagreement) / (sums[0] - 1 + PRIOR_TREES)
    return found


def _widths(variance: Array, typical: float) -> Array:
    """Deviations, drawn together: that of one row is little known, and a small one may be chance."""
    widths: Array = np.sqrt(variance + typical)
    return np.where(widths > 0, widths, 1.0)


def drawn_rows(forest: Forest, drawn: dict[str, Array], places: Array | None, n_rows: int) -> Array:
    """Which rows each tree drew, trees × rows; `places` are those of the rows grown from, among all."""
    node_tree = np.repeat(np.arange(len(forest)), np.diff(forest.tree_start))
    tree = np.repeat(node_tree, drawn["leaf_rows"].astype(np.int64))
    rows: Any = drawn["rows"] if places is None else places[drawn["rows"]]
    found = np.zeros((len(forest), n_rows), dtype=bool)
    found[tree, rows] = True
    return found
