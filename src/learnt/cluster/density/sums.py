"""Sums of kernels around fitted rows: by a tree for complete numbers, row by row for mixed columns and gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.cluster.density.kernels import log_kernel, log_volume
from learnt.data.table import Array, Column, Table
from learnt.lazy import cached_property

#: Pairs of rows looked at at a time.
_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class Sums:
    """log Σ_i w_i K(x, x_i) / W of rows x, for fitted rows x_i of weight w_i.

    `width` holds for each column its bandwidth, 0 for one that says nothing; of labels the share of a kernel that
    lies on the other labels.
    """

    table: Table
    weights: Array | None
    kernel: str
    width: Array
    rtol: float

    @property
    def total(self) -> float:
        return float(self.table.n_rows if self.weights is None else self.weights.sum())

    @cached_property
    def numeric(self) -> Array:
        """Places of the columns of numbers that count."""
        return np.array(
            [j for j, c in enumerate(self.table.schema) if not c.coded and self.width[j] > 0], dtype=np.intp
        )

    @cached_property
    def coded(self) -> Array:
        return np.array([j for j, c in enumerate(self.table.schema) if c.coded and self.width[j] > 0], dtype=np.intp)

    @cached_property
    def plain(self) -> bool:
        """Whether a tree will do."""
        gaps = any(bool(self.table.columns[j].missing.any()) for j in self.numeric)
        return len(self.numeric) > 0 and len(self.coded) == 0 and not gaps

    @cached_property
    def tree(self) -> _core.DensityTree:
        return _core.DensityTree(self.scaled(self.table), self.weights)

    def scaled(self, table: Table) -> Array:
        with np.errstate(over="ignore"):
            columns = [np.asarray(table.columns[j].values, dtype=np.float64) / self.width[j] for j in self.numeric]
        return np.ascontiguousarray(np.column_stack(columns))

    def log_densities(self, table: Table) -> Array:
        """Of each row of a table."""
        q = self.scaled(table) if self.plain else None
        if q is not None and not np.isnan(q).any():
            return self.by_tree(q, None) - math.log(self.total)
        parts = (log_sum(part) for _, part in self.parts(table))
        found: Array = np.concatenate([np.zeros(0), *parts]) - math.log(self.total)
        return found

    def by_tree(self, q: Array, skip: Array | None) -> Array:
        """Of scaled rows without gaps, log Σ w K; with `skip`, of each without that fitted row."""
        out = np.empty(len(q))
        self.tree.log_densities(self.kernel, q, skip, self.rtol, out)
        out -= np.log(self.width[self.numeric]).sum() + log_volume(self.kernel, len(self.numeric))
        return out

    def parts(self, table: Table) -> Iterator[tuple[slice, Array]]:
        """Some rows of a table at a time, and log w K of each of them and every fitted row."""
        step = max(1, _CELLS // self.table.n_rows)
        logs = 0.0 if self.weights is None else np.log(self.weights)
        for first in range(0, table.n_rows, step):
            some = slice(first, min(table.n_rows, first + step))
            yield some, self._by_pairs(table.rows(some.start, some.stop)) + logs

    def shares(self, row: Table) -> tuple[Array, Array]:
        """What each fitted row adds to the density of one row, and how many widths of numbers they are apart."""
        logs = self._by_pairs(row)[0] + (0.0 if self.weights is None else np.log(self.weights))
        gaps = [
            (float(row.columns[j].values[0]) - self.table.columns[j].values.astype(np.float64)) / self.width[j]
            for j in self.numeric
        ]
        with np.errstate(over="ignore"):
            apart: Array = np.sqrt(np.nansum(np.square(gaps), axis=0)) if gaps else np.zeros(self.table.n_rows)
        return np.exp(logs) / self.total, apart

    def _by_pairs(self, table: Table) -> Array:
        """log K of every row of a table and every fitted row."""
        shape = table.n_rows, self.table.n_rows
        square, told = np.zeros(shape), np.zeros(shape)
        shared: Array = np.zeros(shape, np.intp)
        for j in self.numeric:
            a, b = (np.asarray(t.columns[j].values, dtype=np.float64) for t in (table, self.table))
            there, known = ~np.isnan(a)[:, None], ~np.isnan(b)[None, :]
            both, h = there & known, float(self.width[j])
            # A cell that a row to be judged lacks is left out; one that a fitted row lacks may be like any other's.
            with np.errstate(over="ignore"):  # a row beyond all numbers is infinitely far: its density is 0
                square += np.where(both, ((a[:, None] - b[None, :]) / h) ** 2, 0.0)
            shared += both
            told -= np.where(both, math.log(h), 0.0)
            if not known.all():
                told += np.where(there & ~known, self.gaussians[int(j)](a)[:, None], 0.0)
        sizes = np.array([log_volume(self.kernel, p) for p in range(len(self.numeric) + 1)])
        told -= np.take(sizes, shared)
        told += np.where(shared > 0, log_kernel(self.kernel, square), 0.0)
        for j in self.coded:
            told += self._labels(table.columns[j], self.table.columns[j], float(self.width[j]))
        return told

    def _labels(self, asked: Column, fitted: Column, away: float) -> Array:
        """Aitchison and Aitken's kernel: 1 − λ for the same label, λ/(c − 1) for each other one."""
        k = len(fitted.categories)
        a: Array = asked.values[:, None]
        b: Array = fitted.values[None, :]
        with np.errstate(divide="ignore"):
            same, other = np.log(1 - away), np.log(away / max(1, k - 1))
            shares = np.log(label_shares(fitted, self.weights))
        found: Array = np.asarray(np.where(a == b, same, other))
        if fitted.missing.any():
            found = np.asarray(np.where(b < 0, shares[np.maximum(a, 0)], found))
        return np.asarray(np.where(a < 0, 0.0, found))

    @cached_property
    def gaussians(self) -> dict[int, Gaussian]:
        """Of columns with gaps: what all rows together say about a cell."""
        return {int(j): Gaussian.of(self.table.columns[j], self.weights, float(self.width[j])) for j in self.numeric}


@dataclass(frozen=True)
class Gaussian:
    """The normal density with the mean and spread of a column."""

    mean: float
    spread: float

    @classmethod
    def of(cls, column: Column, weights: Array | None, width: float) -> Gaussian:
        """A column that says one thing alone is as wide as its bandwidth."""
        mean, spread = mean_and_spread(column, weights)
        return cls(mean, spread or width)

    def __call__(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            z: Array = (x - self.mean) / self.spread
            return np.where(np.isnan(x), 0.0, -z * z / 2) - math.log(self.spread) - math.log(2 * math.pi) / 2


def mean_and_spread(column: Column, weights: Array | None) -> tuple[float, float]:
    """Of the cells that are there, by weight, divided by n; 0 where there are none. Scales of 1e±150 do no harm."""
    there = ~column.missing
    x = np.asarray(column.values[there], dtype=np.float64)
    if not len(x):
        return 0.0, 0.0
    w = None if weights is None else weights[there]
    unit = float(np.abs(x).max()) or 1.0
    mean = float(np.average(x / unit, weights=w))
    variance = float(np.average((x / unit - mean) ** 2, weights=w))
    if x.min() == x.max():
        return float(x[0]), 0.0
    return mean * unit, math.sqrt(variance) * unit


def label_shares(column: Column, weights: Array | None) -> Array:
    """The share of each label among the cells that are there."""
    there = column.values >= 0
    counts = np.bincount(
        column.values[there], None if weights is None else weights[there], len(column.categories)
    ).astype(np.float64)
    shares: Array = counts / max(float(counts.sum()), 1e-300)
    return shares


def log_sum(logs: Array) -> Array:
    top = logs.max(axis=1)
    with np.errstate(divide="ignore"):
        safe = np.where(np.isfinite(top), top, 0.0)
        found: Array = safe + np.log(np.exp(logs - safe[:, None]).sum(axis=1))
    return found
