"""What the test of a column of many categories gains by chance alone, as the grower deducts it."""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array, Column
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import GrowOptions

FEW = 10  # categories, up to which nothing is deducted


def gain_by_chance(
    stump: TreeArrays, column: Column, classes: Array, weights: Array | None, n_classes: int, options: GrowOptions
) -> float:
    """The formula stands in core/tree/nominal.hpp, in `chance`. Here it is that of trees of classes."""
    if stump.route_start[0] < 0 or options.nominal != "subset" or options.random_cuts:
        return 0.0
    if options.criterion == "gain_ratio":
        return 0.0
    known = ~column.missing
    w = np.ones(len(classes)) if weights is None else weights
    table = np.zeros((len(column.categories), n_classes))
    np.add.at(table, (column.values[known], classes[known]), w[known])
    of_each = table.sum(axis=1)
    present = np.flatnonzero(of_each > 0)
    routes = stump.routes_of(0, len(column.categories))[present]
    if len(present) <= FEW or len(np.unique(routes)) < 2:  # the second: the missing cells against all others
        return 0.0
    of_each = of_each[present]
    rows = float(np.where(of_each <= 1, of_each, 2 / math.pi).sum()) - 2
    totals = table.sum(axis=0)
    parted = [_impurity(np.delete(totals, c), options.criterion) for c in range(n_classes)]
    taken = _impurity(totals, options.criterion) - min(parted)
    return max(0.0, rows * taken / float(of_each.sum())) / float(stump.weight[0])


def _impurity(totals: Array, criterion: str) -> float:
    """Of weights of classes, times their sum."""
    whole = float(totals.sum())
    p = totals[totals > 0] / max(whole, 1e-300)
    if criterion == "gini":
        return whole * (1 - float(p @ p))
    if criterion == "entropy":
        return -whole * float(p @ np.log2(p))
    return whole * (1 - float(p.max(initial=0.0)))
