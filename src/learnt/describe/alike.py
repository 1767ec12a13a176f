"""Rows that belong together without a column that numbers them: those of one household have its income and its village.

A learner that has seen one of them knows the others, so that a score over rows drawn one by one says too much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Column
from learnt.describe.pairs import correlation_ratio

ENOUGH_VALUES = 100  # of the target on several rows each; of fewer, equal ones are no sign
A_FEW = (1.5, 20.0)  # rows of each value of the target, on average
PLACES = 10  # values that the column has at least
SHARED = 0.95  # of the values of the target have rows of one place alone
BY_CHANCE = 0.2
FUNCTION = 0.9  # a column that says so much of the target is computed from it, as a class of ages is


@dataclass(frozen=True, slots=True)
class SharedColumn:
    """The column; the share of numbers to predict whose rows all share it; and that of any two rows that do."""

    name: str
    shared: float
    by_chance: float


def column_shared_by_equal_targets(columns: Sequence[Column], target: Column) -> SharedColumn | None:
    """The finest column that rows of the same number to predict nearly always share, where others hardly do."""
    found = list(_columns_shared(columns, target))
    return min(found, key=lambda one: one.by_chance) if found else None


def _columns_shared(columns: Sequence[Column], target: Column) -> Iterator[SharedColumn]:
    if target.kind != "numeric" or target.form is not None:
        return
    here = np.flatnonzero(np.isfinite(target.values))
    values, y = np.unique(target.values[here], return_inverse=True)
    rows_each = np.bincount(y)
    several = rows_each > 1
    if several.sum() < ENOUGH_VALUES or not A_FEW[0] <= len(y) / len(values) <= A_FEW[1]:
        return
    for column in columns:
        if column.form is not None or column.kind not in ("numeric", "nominal") or column.missing.any():
            continue
        places, x = np.unique(column.values[here], return_inverse=True)
        if not PLACES <= len(places) <= len(values):
            continue
        by_chance = _share_of_pairs(np.bincount(x))
        if by_chance > BY_CHANCE:
            continue
        shared = float(np.mean(_one_place_each(x, y, len(values))[several]))
        weights = np.ones(len(x))
        if shared >= SHARED and correlation_ratio(x.astype(np.int32), target.values[here], weights) < FUNCTION:
            yield SharedColumn(column.name, shared, by_chance)


def _one_place_each(x: Array, y: Array, n: int) -> Array:
    """Whether the rows of each y have one x."""
    least, most = np.full(n, x.max()), np.zeros(n, x.dtype)
    np.minimum.at(least, y, x)
    np.maximum.at(most, y, x)
    same: Array = least == most
    return same


def _share_of_pairs(counts: Array) -> float:
    """How likely two rows are of one place."""
    n = float(counts.sum())
    sizes = counts.astype(np.float64)
    return float((sizes * (sizes - 1)).sum() / (n * (n - 1)))
