"""Fitted rows judged by all others: what cross-validation of a kernel density adds up, and what copies do to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from learnt.cluster.density.sums import Sums, log_sum
from learnt.data.table import Array, Table


@dataclass(frozen=True)
class Ties:
    """Why numbers are equal: they were rounded, to these steps (0 for none), or else rows were copied.

    Equal numbers are the more likely the narrower the kernels, without bound. Rounded ones ask for kernels that reach
    from step to step: where Gaussians of half a step stand at every step, their sum is flat within 2 %. A copy of a
    row says nothing about the width of kernels, and is left out along with it.
    """

    steps: Array
    copied: bool

    @property
    def least(self) -> Array:
        """The smallest bandwidth of each column."""
        return self.steps / 2


def ties_of(sums: Sums) -> Ties:
    steps, copied = np.zeros(len(sums.width)), False
    for j in sums.numeric:
        column = sums.table.columns[j]
        there = ~column.missing
        w = np.ones(int(there.sum())) if sums.weights is None else sums.weights[there]
        step, tied = _step(np.asarray(column.values[there], dtype=np.float64), w)
        steps[j] = step
        copied |= tied and step == 0
    return Ties(steps, copied)


def _step(x: Array, w: Array) -> tuple[float, bool]:
    """The step to which numbers were rounded, 0 if none, and whether any are equal.

    Of a smooth density, twice as many pairs lie one step apart (to either side) as lie on the same step. Equal numbers
    without such neighbours come from copies.
    """
    values, which = np.unique(x, return_inverse=True)
    if len(values) < 2:
        return 0.0, False
    count = np.bincount(which.ravel(), w, len(values))
    gaps = np.diff(values)
    step = float(gaps.min())
    same = float((count * np.maximum(count - 1, 0)).sum())
    beside = 2 * float((count[1:] * count[:-1])[gaps < 1.5 * step].sum())
    return (step if 0 < same <= beside else 0.0), same > 0


def left_out_likelihood(sums: Sums, rows: Array, copied: bool = False) -> float:
    """The mean log-density of rows, each judged by all others; if copied, by all whose numbers differ."""
    with np.errstate(divide="ignore"):
        logs = left_out_log_densities(sums, rows, copied)
    told = ~np.isnan(logs)  # others are copies of all fitted rows: nothing is left to judge them by
    if not told.any() or not np.isfinite(logs[told]).all():
        return -math.inf
    return float(np.average(logs[told], weights=None if sums.weights is None else sums.weights[rows][told]))


def merge_copies(sums: Sums) -> Sums:
    """Copies as one row of their weight, where a tree finds the neighbours. No weight is above 1, so that who leaves
    out one copy leaves out all."""
    if not sums.plain:
        return sums
    cells = np.column_stack([np.asarray(sums.table.columns[j].values, dtype=np.float64) for j in sums.numeric])
    _, first, which = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # rows stay in the order they came in
    weights = np.bincount(which.ravel(), sums.weights, len(first))[order].astype(np.float64)
    return replace(sums, table=sums.table.take(first[order]), weights=weights / weights.max())


def left_out_log_densities(sums: Sums, rows: Array, copied: bool) -> Array:
    """Of fitted rows, each without one copy of itself; if copied, without all rows that have its numbers."""
    table = sums.table.take(rows)
    w: Array = np.ones(sums.table.n_rows) if sums.weights is None else sums.weights
    if sums.plain:
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = sums.by_tree(sums.scaled(table), rows) - np.log(w.sum() - np.minimum(1.0, w[rows]))
        return found
    found = np.empty(len(rows))
    for some, logs in sums.parts(table):
        out = _weight_left_out(sums, table.rows(some.start, some.stop), rows[some], w, copied)
        with np.errstate(divide="ignore", invalid="ignore"):
            found[some] = log_sum(logs + np.log1p(-out / w)) - np.log(w.sum() - out.sum(axis=1))
    return found


def _weight_left_out(sums: Sums, table: Table, own: Array, weights: Array, copied: bool) -> Array:
    """Of each row of a table, fitted as `own`, the weight of every fitted row that is left out for it."""
    same = np.full((table.n_rows, sums.table.n_rows), copied)
    has_numbers = np.zeros(table.n_rows, dtype=bool)
    for j in sums.numeric if copied else ():
        a, b = (np.asarray(t.columns[j].values, dtype=np.float64) for t in (table, sums.table))
        same &= (a[:, None] == b[None, :]) | np.isnan(a)[:, None]
        has_numbers |= ~np.isnan(a)
    out: Array = np.where(same & has_numbers[:, None], weights, 0.0)
    alone = np.flatnonzero(~has_numbers)  # labels cannot mislead: a probability is at most 1
    out[alone, own[alone]] = np.minimum(1.0, weights[own[alone]])
    return out
