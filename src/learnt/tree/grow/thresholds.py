"""The cells beside a threshold: where C4.5 puts it, and how many digits it needs to be written between them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from learnt import _core
from learnt.data.table import Array, Column, Table
from learnt.tree.arrays import TreeArrays


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
        written = threshold[nodes]
        _core.write_thresholds(below, above, written)
        threshold[nodes] = written
    return threshold


def short_between(x: float, low: float, high: float) -> float:
    """The number of fewest digits, from six on, that is nearer to x than to `low` and `high`.

    >>> short_between(1 / 3, 0.3, 0.4), short_between(1 / 3, 0.33333332, 0.33333335), short_between(1410.5, 1410, 1411)
    (0.333333, 0.33333333, 1410.5)
    """
    written = np.array([x], dtype=np.float64)
    _core.write_thresholds(np.array([low], dtype=np.float64), np.array([high], dtype=np.float64), written)
    return float(written[0])


def _neighbours(tree: TreeArrays, table: Table) -> Iterator[tuple[Array, Array, Array]]:
    """Per column with thresholds: its nodes, and for each the largest cell up to its threshold and the smallest
    above it; infinite where there is none."""
    tested = np.isfinite(tree.threshold)
    for j in np.unique(tree.feature[tested]):
        nodes = np.flatnonzero((tree.feature == j) & tested)
        nodes = nodes[np.argsort(tree.threshold[nodes], kind="stable")]
        below, above = np.empty(len(nodes)), np.empty(len(nodes))
        cells = np.ascontiguousarray(_numbers(table.columns[j]))
        _core.cells_beside(cells, tree.threshold[nodes], below, above)
        yield nodes, below, above


def _numbers(column: Column) -> Array:
    """The cells, or codes of ordered labels, with NaN where one is missing."""
    if column.kind == "numeric":
        return column.values.astype(np.float64, copy=False)
    return np.where(column.missing, np.nan, column.values)
