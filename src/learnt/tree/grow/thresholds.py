"""Thresholds that occur in the data, as C4.5 prefers them to midpoints."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays


def thresholds_from(tree: TreeArrays, table: Table) -> TreeArrays:
    """The tree with each threshold moved down to the largest value of its column that is not above it.

    Rows of the table take the same way as before.
    """
    threshold = tree.threshold.copy()
    for j in np.unique(tree.feature[np.isfinite(threshold)]):
        column = table.columns[j]
        values = np.unique(column.values[~column.missing])
        nodes = np.flatnonzero((tree.feature == j) & np.isfinite(threshold))
        place = np.searchsorted(values, threshold[nodes], side="right") - 1
        threshold[nodes] = np.where(place < 0, threshold[nodes], values[np.maximum(place, 0)])
    return tree.changed(threshold=threshold)
