"""The cells beside a threshold: where C4.5 puts it, and how many digits it needs to be written between them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from learnt.data.table import Array, Table
from learnt.tree.arrays import TreeArrays

FEWEST_DIGITS, MOST_DIGITS = 6, 17


def thresholds_from(tree: TreeArrays, table: Table) -> TreeArrays:
    """The tree with each threshold moved down to the largest value of its column that is not above it.

    Rows of the table take the same way as before.
    """
    threshold = tree.threshold.copy()
    for nodes, below, _ in _neighbours(tree, table):
        threshold[nodes] = np.where(np.isfinite(below), below, threshold[nodes])
    return tree.changed(threshold=threshold)


def written_thresholds(tree: TreeArrays, table: Table) -> Array:
    """Each threshold rounded to six digits, or as many more as it takes to stay where it is between the cells beside
    it: at most half the way to the nearer one. One that is a cell itself stays.

    Rows of the table go where the writing says.
    """
    threshold = tree.threshold.copy()
    for nodes, below, above in _neighbours(tree, table):
        for i, low, high in zip(nodes.tolist(), below.tolist(), above.tolist(), strict=True):
            threshold[i] = short_between(float(threshold[i]), low, high)
    return threshold


def short_between(x: float, low: float, high: float) -> float:
    """The number of fewest digits, from six on, that is nearer to x than to `low` and `high`.

    >>> short_between(1 / 3, 0.3, 0.4), short_between(1 / 3, 0.33333332, 0.33333335), short_between(1410.5, 1410, 1411)
    (0.333333, 0.33333333, 1410.5)
    """
    room = min(x - low, high - x) / 2
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        short = float(f"{x:.{digits - 1}e}")
        if abs(short - x) <= room:
            return short
    return x


def _neighbours(tree: TreeArrays, table: Table) -> Iterator[tuple[Array, Array, Array]]:
    """Per column with thresholds: its nodes, and for each the largest cell up to its threshold and the smallest
    above it; infinite where there is none."""
    tested = np.isfinite(tree.threshold)
    for j in np.unique(tree.feature[tested]):
        column = table.columns[j]
        cells = column.values[~column.missing].astype(np.float64)
        nodes = np.flatnonzero((tree.feature == j) & tested)
        if len(nodes) > np.log2(len(cells) + 2):
            cells = np.unique(cells)
        else:  # sorting would take longer
            cells = np.unique([bound for t in tree.threshold[nodes] for bound in _beside(cells, t)])
        cells = np.concatenate([[-np.inf], cells[np.isfinite(cells)], [np.inf]])
        place = np.searchsorted(cells, tree.threshold[nodes], side="right")
        yield nodes, cells[place - 1], cells[place]


def _beside(cells: Array, threshold: float) -> tuple[float, float]:
    low = cells <= threshold
    return float(cells.max(where=low, initial=-np.inf)), float(cells.min(where=~low, initial=np.inf))
