"""How much a column matters to a tree or a forest: what its tests take away of the impurity, and how many there are."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.tree.nodes import Nodes


def impurity_importance(nodes: Nodes, n_columns: int) -> Array:
    """Per column, the impurity its tests take away, by weight, as shares that sum to 1.

        I_j ∝ Σ_{nodes t that test j} (w_t·i_t − Σ_{children c} w_c·i_c)

    Zeros where there are no tests, or tests that take nothing away.
    """
    mass = nodes.weight * nodes.impurity
    inner = np.flatnonzero(nodes.feature >= 0)
    parent = np.repeat(np.arange(len(inner)), nodes.branch_counts()[inner])
    below = np.bincount(parent, mass[nodes.child_nodes()], len(inner))
    found = np.bincount(nodes.feature[inner], mass[inner] - below, n_columns)
    total = found.sum()
    return found / total if total > 0 else np.zeros(n_columns)


def split_counts(nodes: Nodes, n_columns: int) -> Array:
    """Per column, the number of tests of it."""
    return np.bincount(nodes.feature[nodes.feature >= 0], minlength=n_columns)
