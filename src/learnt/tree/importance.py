"""How much a column matters to a tree: what its tests take away of the impurity, and how many there are."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.tree.arrays import TreeArrays


def impurity_importance(tree: TreeArrays, n_columns: int) -> Array:
    """Per column, the impurity its tests take away, by weight, as shares that sum to 1.

        I_j ∝ Σ_{nodes t that test j} (w_t·i_t − Σ_{children c} w_c·i_c)

    Zeros for a tree without tests, or whose tests take nothing away.
    """
    mass = tree.weight * tree.impurity
    inner = np.flatnonzero(~tree.is_leaf)
    below = np.bincount(np.repeat(np.arange(len(inner)), tree.n_children[inner]), mass[tree.kids], len(inner))
    found = np.bincount(tree.feature[inner], mass[inner] - below, n_columns)
    total = found.sum()
    return found / total if total > 0 else np.zeros(n_columns)


def split_counts(tree: TreeArrays, n_columns: int) -> Array:
    """Per column, the number of tests of it."""
    return np.bincount(tree.feature[~tree.is_leaf], minlength=n_columns)
