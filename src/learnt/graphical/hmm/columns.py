"""Emissions of columns that are independent given the state: Gaussians, counts, categories."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from learnt.data.table import Array
from learnt.errors import SavedModelError
from learnt.graphical.hmm.layout import Cells
from learnt.statistics.moments import column_moments
from learnt.storable import Counts, FiniteNumbers, storable

#: A state with less weight than this in a column keeps what it had there.
NOTHING = 1e-200


@dataclass(frozen=True)
class Rules:
    """What learning keeps to: the least variance of each column, rows of the whole table added to each state."""

    floor: Array  # by Gaussian column
    joint_floor: float  # share of a column's variance, of columns that vary together
    full_spread: Array  # standard deviations of the columns with covariances
    mixed_floor: Array
    smoothing: float
    mean_counts: Array  # by column of counts
    frequency: Array  # Σ levels: of each category in the whole table


@dataclass
class ColumnSums:
    """Σγ (1, d, d²) of numbers, d from the mean of the state; Σγ (1, y) of counts; Σγ of categories."""

    moments: Array  # 3 × p × k
    counts: Array  # 2 × r × k
    tables: Array  # Σ levels × k

    @classmethod
    def zeros(cls, columns: StateColumns) -> ColumnSums:
        k = columns.states
        return cls(
            np.zeros((3, len(columns.mean), k)), np.zeros((2, len(columns.rate), k)), np.zeros((len(columns.tables), k))
        )

    @classmethod
    def of_shares(cls, columns: StateColumns, cells: Cells, share: Array) -> ColumnSums:
        """The sums of rows that are shared out already (n × k, weights included)."""
        sums = cls.zeros(columns)
        for j in range(cells.x.shape[1]):
            there = ~np.isnan(cells.x[:, j])
            d = cells.x[there, j, None] - columns.mean[j]
            g = share[there]
            sums.moments[:, j] = g.sum(axis=0), (g * d).sum(axis=0), (g * d * d).sum(axis=0)
        for j in range(cells.y.shape[1]):
            there = ~np.isnan(cells.y[:, j])
            sums.counts[:, j] = share[there].sum(axis=0), cells.y[there, j] @ share[there]
        for m, start in enumerate(columns.starts[:-1].tolist()):
            known = cells.codes[:, m] >= 0
            np.add.at(sums.tables, start + cells.codes[known, m], share[known])
        return sums


@storable
@dataclass(frozen=True)
class StateColumns:
    """Parameters by column and state."""

    mean: FiniteNumbers  # p × k
    variance: FiniteNumbers  # p × k
    rate: FiniteNumbers  # r × k
    levels: Counts  # q
    probability: FiniteNumbers  # Σ levels × k

    def __post_init__(self) -> None:
        k = self.probability.shape[-1]
        if (
            any(a.ndim != 2 or a.shape[1] != k for a in (self.mean, self.variance, self.rate, self.probability))
            or self.mean.shape != self.variance.shape
            or self.levels.ndim != 1
            or (self.levels < 0).any()
            or int(self.levels.sum()) != len(self.probability)
            or not (self.variance > 0).all()
            or not (self.rate >= 0).all()
            or not (self.probability >= 0).all()
        ):
            raise SavedModelError("The parameters of the columns contradict each other.")

    @property
    def states(self) -> int:
        return int(self.probability.shape[1])

    @property
    def starts(self) -> Array:
        """The first row of each column of codes, and the end."""
        return np.concatenate([[0], np.cumsum(self.levels)]).astype(np.int64)

    @property
    def tables(self) -> Array:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            logs: Array = np.log(self.probability)
        return logs

    @classmethod
    def neutral(
        cls, cells: Cells, weights: Array, whole: TableMoments, k: int, levels: tuple[int, ...]
    ) -> StateColumns:
        """All states alike: as the whole table."""
        (mean, variance), (rate, _) = whole.numbers, whole.counts
        shares = [np.zeros(0)]
        for m, size in enumerate(levels):
            known = cells.codes[:, m] >= 0
            counted = np.bincount(cells.codes[known, m], weights[known], minlength=size)[:size]
            shares.append(counted / counted.sum() if counted.sum() > 0 else np.full(size, 1 / max(size, 1)))
        variance = np.where(variance > 0, variance, 1.0)
        tile = [
            np.ascontiguousarray(np.tile(a[:, None], (1, k))) for a in (mean, variance, rate, np.concatenate(shares))
        ]
        return cls(tile[0], tile[1], tile[2], np.array(levels, np.int64), tile[3])

    def stepped(self, sums: ColumnSums, rules: Rules) -> StateColumns:
        """The most likely parameters for these sums, variances not below the floor."""
        weight, first, second = sums.moments
        there = weight > NOTHING
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shift = np.where(there, first / weight, 0.0)
            variance = np.where(there, second / weight - shift**2, self.variance)
            counted, total = sums.counts[0] + rules.smoothing, sums.counts[1]
            rate = (total + rules.smoothing * rules.mean_counts[:, None]) / counted
        variance = np.where(there, np.maximum(variance, rules.floor[:, None]), variance)
        return StateColumns(
            self.mean + shift,
            variance,
            np.where(counted > NOTHING, rate, self.rate),
            self.levels,
            self._stepped_tables(sums.tables, rules),
        )

    def _stepped_tables(self, counts: Array, rules: Rules) -> Array:
        found = self.probability.copy()
        for a, b in pairwise(self.starts.tolist()):
            more = counts[a:b] + rules.smoothing * rules.frequency[a:b, None]
            total = more.sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                found[a:b] = np.where(total > NOTHING, more / total, found[a:b])
        return found

    def log_prior(self, rules: Rules) -> float:
        """The logarithm of the prior density, up to a constant."""
        if rules.smoothing == 0:
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            tables = np.where(rules.frequency[:, None] > 0, rules.frequency[:, None] * self.tables, 0.0)
            means = rules.mean_counts[:, None]
            counts = np.where(means > 0, means * np.log(self.rate), 0.0) - self.rate
        return rules.smoothing * float(tables.sum() + counts.sum())

    def arguments(self) -> tuple[Array, Array, Array, Array, Array]:
        """As kernels take them."""
        return self.mean, self.variance, self.rate, self.levels, self.tables

    def taken(self, order: Array) -> StateColumns:
        """The same with its states in another order."""
        parts = [np.ascontiguousarray(a[:, order]) for a in (self.mean, self.variance, self.rate, self.probability)]
        return StateColumns(parts[0], parts[1], parts[2], self.levels, parts[3])


def mean_and_variance(x: Array, weights: Array | None) -> tuple[Array, Array]:
    """Weighted mean and variance of each column, missing cells left out; 0 where there is none."""
    m = column_moments(x, weights)
    return m.mean, np.divide(m.deviation, m.weight, out=np.zeros_like(m.mean), where=m.weight > 0)


@dataclass(frozen=True)
class TableMoments:
    """Mean and variance of the columns of the whole table, by how they are emitted."""

    numbers: tuple[Array, Array]
    counts: tuple[Array, Array]
    full: tuple[Array, Array]
    mixed: tuple[Array, Array]

    @classmethod
    def of(cls, cells: Cells, weights: Array) -> TableMoments:
        return cls(*(mean_and_variance(x, weights) for x in (cells.x, cells.y, cells.full, cells.mixed)))
