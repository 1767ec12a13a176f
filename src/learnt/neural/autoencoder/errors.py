"""What a reconstruction costs, cell by cell, as NumPy writes it."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.neural.autoencoder.cells import TableCells
from learnt.neural.losses import log_softmax


def cell_errors(cells: TableCells, x: Array, f: Array) -> tuple[Array, Array]:
    """The error of each cell, rows × columns of the table, and which cells count: those that are there, of columns that
    vary. Scores f, rows × outputs; x as `TableCells.encode` gives it.

        numbers ½(f − z)²      two categories log(1 + e^∓f)      more −log softmax(f)
    """
    numbers, pairs, groups, starts = cells.sorts
    k = len(numbers)
    found = np.zeros((len(x), len(cells.schema)))
    there = np.zeros(found.shape, dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        known = ~np.isnan(x[:, :k])
        found[:, numbers] = np.where(known, 0.5 * (f[:, :k] - cells.scales.scaled(x[:, :k])) ** 2, 0.0)
        there[:, numbers] = known
        sides = x[:, k : k + len(pairs)]
        found[:, pairs] = np.where(sides == 0, 0.0, np.logaddexp(0, -sides * f[:, k : k + len(pairs)]))
        there[:, pairs] = sides != 0
        for j, width in zip(groups, cells.group_widths, strict=True):
            part = slice(starts[j], starts[j] + width)
            own = x[:, part].argmax(axis=1)
            there[:, j] = x[:, part].any(axis=1)
            errors = -log_softmax(f[:, part])[np.arange(len(x)), own]
            found[:, j] = np.where(there[:, j], errors, 0.0)
    found[np.isnan(found)] = np.inf  # a row so far out that its code is no number
    return found, there


def column_parts(cells: TableCells, x: Array, f: Array) -> Array:
    """What each column adds to the error of each row, the mean over the cells that count; 0 where none does."""
    found, there = cell_errors(cells, x, f)
    parts: Array = found / np.maximum(there.sum(axis=1, keepdims=True), 1)
    return parts


def column_means(cells: TableCells, x: Array, f: Array, weights: Array | None) -> Array:
    """The mean error of each column over the rows that have it; NaN where none has."""
    found, there = cell_errors(cells, x, f)
    counts = there if weights is None else there * weights[:, None]
    total = counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Array = np.where(total > 0, (found * counts).sum(axis=0) / total, np.nan)
    return means


def average_scores(cells: TableCells, x: Array, weights: Array | None) -> Array:
    """What a net knows that looks at no row: means of numbers, log-odds of pairs, logarithms of shares."""
    numbers, pairs, _, starts = cells.sorts
    k, q = len(numbers), len(numbers) + len(pairs)
    w = np.ones(len(x)) if weights is None else weights
    found = np.zeros(cells.n_outputs)
    known = ~np.isnan(x[:, :k])
    z = np.where(known, cells.scales.scaled(x[:, :k]), 0.0)
    found[:k] = (w @ z) / np.maximum(w @ known, np.finfo(np.float64).tiny)
    first, second = w @ (x[:, k:q] < 0), w @ (x[:, k:q] > 0)
    little = 1e-3 * (first + second)
    found[k:q] = np.log((second + little) / (first + little))
    for j, width in zip(cells.sorts.groups, cells.group_widths, strict=True):
        part = slice(starts[j], starts[j] + width)
        counts = w @ (x[:, part] > 0)
        found[part] = np.log((counts + 1e-3 * counts.sum()) / counts.sum())
    return found
