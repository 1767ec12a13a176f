"""How columns go together: correlations of numbers, and what tells about the target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Column
from learnt.describe.summaries import NumericSummary, Summary

Array = np.ndarray[Any, Any]

BLOCK = 1 << 13  # rows standardised at a time
MOST_COLUMNS = 500  # correlated with each other
MOST_WORK = 4e10  # rows × columns²; beyond it every k-th row is used
MOST_CELLS = 1 << 22  # of a contingency table that is counted densely


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """Pearson's r of every two numeric columns, over the rows where both are finite.

    `matrix` holds NaN where r is not defined (fewer than three rows, no spread), `rows` the number
    of rows behind each; `every` k-th row was used (1: all of them).
    """

    names: tuple[str, ...]
    matrix: Array
    rows: Array
    every: int = 1

    def between(self, a: str, b: str) -> float:
        return float(self.matrix[self.names.index(a), self.names.index(b)])

    def strongest(self, k: int = 10, min_rows: float = 3) -> list[tuple[str, str, float]]:
        """The k pairs with the largest |r|, among those with so many rows behind them."""
        rows, columns = np.triu_indices(len(self.names), 1)
        r = np.where(self.rows[rows, columns] >= min_rows, self.matrix[rows, columns], np.nan)
        order = np.argsort(-np.abs(r), kind="stable")[:k]  # NaN comes last
        return [(self.names[rows[i]], self.names[columns[i]], float(r[i])) for i in order if not math.isnan(r[i])]


@dataclass(frozen=True, slots=True)
class Relation:
    """How strongly a column goes with the target: `measure` is "r", "η" or "V"; all reach 1 at most."""

    column: str
    measure: str
    value: float


def correlate(
    columns: Sequence[Column], summaries: Mapping[str, Summary], weights: Array | None
) -> Correlations | None:
    """Correlations of the numeric columns that vary; None when they are fewer than two, or too many."""
    varying = [(c, s) for c in columns if isinstance(s := summaries[c.name], NumericSummary) and s.distinct > 1]
    # A spread that overflows or vanishes cannot be divided by.
    varying = [(c, s) for c, s in varying if 0 < s.sd < math.inf]
    if not 2 <= len(varying) <= MOST_COLUMNS:
        return None
    n, p = len(columns[0]), len(varying)
    every = max(1, math.ceil(n * p * p / MOST_WORK))
    complete = not any(s.missing or s.infinite for _, s in varying)
    counts, sums, squares, products = (np.zeros((p, p)) for _ in range(4))
    for start in range(0, n, BLOCK * every):
        rows = slice(start, start + BLOCK * every, every)
        z = np.column_stack([(c.values[rows] - s.mean) / s.sd for c, s in varying])
        w = np.ones(len(z)) if weights is None else weights[rows]
        if complete:  # every pair has the same rows
            wz = z * w[:, None]
            counts += w.sum()
            sums += wz.sum(axis=0)[:, None]
            squares += (z * wz).sum(axis=0)[:, None]
        else:
            here = np.isfinite(z)
            z = np.where(here, z, 0.0)
            wz, w_here = z * w[:, None], here * w[:, None]
            counts += w_here.T @ here
            sums += wz.T @ here
            squares += (z * wz).T @ here
        products += wz.T @ z
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.maximum(squares - sums * sums / counts, 0)
        r = (products - sums * sums.T / counts) / np.sqrt(spread * spread.T)
    # What rounding leaves of a column that is constant where the other is present is not spread.
    r[(spread <= 1e-12 * squares) | (spread.T <= 1e-12 * squares.T) | (counts < 3)] = np.nan
    np.fill_diagonal(r, 1.0)
    return Correlations(tuple(c.name for c, _ in varying), np.clip(r, -1, 1), counts, every)


def relate(target: Column, columns: Sequence[Column], weights: Array | None) -> list[Relation]:
    """How each column goes with the target, strongest first, those without an answer left out.

    Two numeric columns: Pearson's r. Categories and numbers: the correlation ratio η, corrected
    for the number of groups k, η² = 1 − (SSW/(n−k)) / (SST/(n−1)). Two of categories: Cramér's V
    with Bergsma's correction. The corrections keep a column in which every row has a label of its
    own from looking like a perfect predictor.
    """
    found = [
        Relation(column.name, *_relation(column, target, weights)) for column in columns if column.name != target.name
    ]
    return sorted((f for f in found if not math.isnan(f.value)), key=lambda f: -abs(f.value))


def _relation(a: Column, b: Column, weights: Array | None) -> tuple[str, float]:
    here = np.ones(len(a), dtype=bool)
    for column in (a, b):
        here &= np.isfinite(column.values) if column.kind == "numeric" else column.values >= 0
    w = np.ones(int(here.sum())) if weights is None else weights[here]
    x, y = a.values[here], b.values[here]
    if a.kind == "numeric" and b.kind == "numeric":
        from learnt.describe.sample import correlation

        return "r", correlation(x.astype(np.float64), y.astype(np.float64), frequencies=w)
    if a.kind == "numeric":
        return "η", correlation_ratio(y, x, w)
    if b.kind == "numeric":
        return "η", correlation_ratio(x, y, w)
    return "V", cramers_v(x, y, w)


def correlation_ratio(codes: Array, values: Array, weights: Array) -> float:
    """√(1 − (SSW/(n−k)) / (SST/(n−1))), 0 where that is negative: how far groups explain numbers."""
    n = float(weights.sum())
    k = len(np.flatnonzero(np.bincount(codes, minlength=1)))
    if n <= k or k < 2 or values.min() == values.max():
        return math.nan
    values = values - (weights @ values) / n
    values = values / np.abs(values).max()
    group = np.bincount(codes, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(codes, weights * values) / group
    within = float(weights @ (values - means[codes]) ** 2)
    total = float(weights @ values**2)
    return math.sqrt(max(0.0, 1 - (within / (n - k)) / (total / (n - 1))))


def cramers_v(a: Array, b: Array, weights: Array) -> float:
    """Cramér's V with Bergsma's correction: φ² and both table sides less what chance alone gives."""
    n = float(weights.sum())
    if n <= 1:
        return math.nan
    rows, columns = np.bincount(a, weights), np.bincount(b, weights)
    r, k = np.count_nonzero(rows), np.count_nonzero(columns)
    cell = a.astype(np.int64) * len(columns) + b
    if len(rows) * len(columns) <= MOST_CELLS:
        cells = np.bincount(cell, weights)
        places = np.flatnonzero(cells)
        cells = cells[places]
    else:
        places, which = np.unique(cell, return_inverse=True)
        cells = np.bincount(which, weights)
    # χ²/n = Σ n_ij²/(n_i·n_j) − 1: empty cells need no visit.
    expected = rows[places // len(columns)] * columns[places % len(columns)]
    phi2 = max(0.0, float((cells**2 / expected).sum()) - 1 - (r - 1) * (k - 1) / (n - 1))
    side = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    return min(1.0, math.sqrt(phi2 / side)) if side > 1e-12 else math.nan
