"""Two views of a table: columns that were named, or parted so that those which belong together stay together."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.row_keys import cells_of
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.learner.parameters import Domain
from learnt.show.words import spell

Views = tuple[tuple[str, ...], tuple[str, ...]]

#: Rows that columns are compared by, cells of numbers told apart, and columns compared with each other.
MOST_ROWS, BINS, MOST_COLUMNS = 10_000, 8, 100


class TwoViews(Domain):
    """Two lists of columns."""

    words = "two lists of columns, by name or number"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, list | tuple) or len(value) != 2:
            return False
        return all(
            isinstance(view, list | tuple | np.ndarray)
            and len(view) > 0
            and all(isinstance(c, str | int | np.integer) and not isinstance(c, bool) for c in view)
            for view in value
        )


def named_views(views: Any, schema: Schema) -> Views:
    """The columns of both views, by name."""
    found = tuple(tuple(_name(c, schema) for c in view) for view in views)
    for view in found:
        if len(set(view)) < len(view):
            raise ParameterError(f"A view names a column twice: {spell(list(view))}. Expected each once.")
    return found[0], found[1]


def _name(column: Any, schema: Schema) -> str:
    names = schema.names
    if isinstance(column, str) and column in names:
        return column
    if not isinstance(column, str) and 0 <= int(column) < len(names):
        return str(names[int(column)])
    raise ParameterError(f"views names {spell(column)}, which is no column. The columns are {spell(list(names))}.")


def parted_views(table: Table, weights: Array | None = None) -> Views:
    """Two halves of the columns with as little as possible that one tells of the other.

    Beginning with the two columns that tell least of each other, each next column, the most decided first, goes to the
    view that it tells more of, until that has half of all. Columns that say the same of all rows are in the first view.
    """
    names = table.names
    if len(names) < 2:
        raise InputError("CoTrainingClassifier was given one column. Expected at least two, one for each view.")
    told, constant = _told(table, np.ones(table.n_rows) if weights is None else weights)
    left = [j for j in range(len(names)) if not constant[j]]
    if len(left) < 2:
        left = list(range(len(names)))
    half = (len(left) + 1) // 2
    aside = sorted(set(range(len(names))) - set(left))
    apart = (told + np.diag(np.full(len(names), np.inf)))[np.ix_(left, left)]
    first, second = (left[int(i)] for i in np.unravel_index(int(apart.argmin()), apart.shape))
    views = [[min(first, second)], [max(first, second)]]
    left = [j for j in left if j not in (first, second)]
    while left:
        means = np.array([[told[j, view].mean() for view in views] for j in left])
        means[:, [len(view) >= half for view in views]] = -np.inf
        lead = means[:, 0] - means[:, 1]
        at = int(np.abs(lead).argmax())
        views[0 if lead[at] >= 0 else 1].append(left.pop(at))
    return tuple(names[j] for j in sorted(views[0] + aside)), tuple(names[j] for j in sorted(views[1]))


def _told(table: Table, weights: Array) -> tuple[Array, Array]:
    """The mutual information of each two columns as a share of what both together hold: 0 if independent, 1 if equal;
    and which columns say the same of all rows.

    Of many columns only the first are compared: the others count as independent of all.
    """
    rows = np.flatnonzero(weights > 0)
    rows = rows[:: max(1, len(rows) // MOST_ROWS)]
    cells, weights = cells_of(table.take(rows)), weights[rows]
    codes = [_binned(column, weights) for column in cells[:MOST_COLUMNS]]
    told, constant = np.zeros((len(cells), len(cells))), np.zeros(len(cells), bool)
    for i, a in enumerate(codes):
        constant[i] = len(np.unique(a)) < 2
        for j in range(i):
            told[i, j] = told[j, i] = _shared(a, codes[j], weights)
    return told, constant


def _binned(cells: Array, weights: Array) -> Array:
    """Codes from 0: the labels, or eighths of the numbers by weight; a missing cell is one too."""
    there = ~np.isnan(cells)
    values, places = np.unique(cells[there], return_inverse=True)
    if len(values) > BINS:
        below = np.cumsum(np.bincount(places, weights[there]))
        cuts = np.unique(values[np.searchsorted(below, below[-1] * np.arange(1, BINS) / BINS)])
        codes = np.searchsorted(cuts, cells, side="left")
    else:
        codes = np.searchsorted(values, cells)
    return np.where(there, codes, BINS + 1).astype(np.int64)


def _shared(a: Array, b: Array, weights: Array) -> float:
    wide = BINS + 2
    joint = np.bincount(a * wide + b, weights, minlength=wide * wide).reshape(wide, wide) / weights.sum()
    both = _entropy(joint.ravel())
    apart = _entropy(joint.sum(axis=0)) + _entropy(joint.sum(axis=1))
    return max(0.0, (apart - both) / both) if both > 0 else 0.0


def _entropy(shares: Array) -> float:
    there = shares[shares > 0]
    return float(-(there * np.log(there)).sum())
