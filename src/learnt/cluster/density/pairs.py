"""Density clusters where rows are known by their neighbours alone: given distances, mixed columns, texts, functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from learnt.data.table import Array

#: (first row, where its neighbours begin, neighbours) of blocks of rows, one after another.
Lists = Iterator[tuple[int, Array, Array]]


def density_clusters(lists: Callable[[], Lists], n: int, least: float, weights: Array | None) -> tuple[Array, Array]:
    """Clusters by the order of their first cores (−1: noise), and which rows are cores.

    `lists()` gives for each row those within eps, block by block, so that never all of them are held. It is asked
    twice: for the weight around each row, then for the cores among the neighbours.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    core = np.zeros(n, bool)
    for first, start, rows in lists():
        own = np.repeat(np.arange(len(start) - 1), np.diff(start))
        around = np.bincount(own, None if weights is None else weights[rows], minlength=len(start) - 1)
        core[first : first + len(around)] = around >= least
    group: Array = np.arange(n)
    reached: list[tuple[Array, Array]] = []
    for first, start, rows in lists():
        own = first + np.repeat(np.arange(len(start) - 1), np.diff(start))
        to_core = core[rows]
        reached.append((own[to_core & ~core[own]], rows[to_core & ~core[own]]))
        linked = to_core & core[own] & (rows < own)
        a, b = group[own[linked]], group[rows[linked]]
        if len(a):
            edges: Any = coo_array((np.ones(len(a), bool), (a, b)), shape=(n, n))
            group = connected_components(edges, directed=False)[1][group]
    labels = np.full(n, -1, np.int32)
    _, at, which = np.unique(group[core], return_index=True, return_inverse=True)
    rank = np.empty(len(at), np.int32)
    rank[np.argsort(at)] = np.arange(len(at), dtype=np.int32)
    labels[core] = rank[which.ravel()]
    border = np.full(n, n, np.int64)
    for own, cores in reached:  # of several clusters the one whose first core comes first
        np.minimum.at(border, own, labels[cores])
    there = border < n
    labels[there] = border[there]
    return labels, core
