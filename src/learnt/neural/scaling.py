"""What the cells of each column are like before a net sees them: gaps, columns at rest, centres and scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.statistics.quantiles import frequency_quantiles
from learnt.statistics.sample import sample_places

#: Quartiles are found from at most so many rows.
QUARTILE_ROWS = 1000
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def columns_with_gaps(table: Table) -> Array:
    """Columns that have missing cells."""
    if table.sparse is not None:
        missing = table.sparse.indices[np.isnan(table.sparse.data)]
        return np.bincount(missing, minlength=table.n_columns) > 0
    if table.matrix is not None:
        if _core.all_finite(table.matrix):
            return np.zeros(table.n_columns, dtype=bool)
        return np.asarray(np.isnan(table.matrix).any(axis=0))
    return np.array([bool(c.missing.any()) for c in table.columns], dtype=bool)


def columns_at_rest(table: Table) -> Array:
    """Columns whose cells are all the same, or all missing. Of a matrix, most are seen to vary from a few rows."""
    if table.sparse is not None:
        low, high = sparse_ends(table.sparse)
        return np.asarray(np.isnan(low) | ((low == high) & ~columns_with_gaps(table)))
    found = np.ones(table.n_columns, dtype=bool)
    if table.matrix is not None:
        first = table.matrix[:64]
        found = ((first == first[0]) | np.isnan(first)).all(axis=0)
    for j in np.flatnonzero(found):
        values = table.matrix[:, j] if table.matrix is not None else table.columns[j].values
        missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
        found[j] = missing.all() if missing.any() else np.all(values == values[0])
    return found


def sparse_ends(x: Any) -> tuple[Array, Array]:
    """The least and the largest cell of each column, those not stored being 0; NaN where all are missing."""
    there = ~np.isnan(x.data)
    at, values = x.indices[there], x.data[there].astype(np.float64)
    low, high = np.full(x.shape[1], np.inf), np.full(x.shape[1], -np.inf)
    np.minimum.at(low, at, values)
    np.maximum.at(high, at, values)
    unstored = np.bincount(x.indices, minlength=x.shape[1]) < x.shape[0]
    low[unstored], high[unstored] = np.minimum(low[unstored], 0), np.maximum(high[unstored], 0)
    low[np.isinf(low)] = high[np.isinf(high)] = np.nan
    return low, high


def quartile_scale(
    table: Table, columns: list[int], weights: Array | None, ends: Array | None = None
) -> tuple[Array, Array]:
    """The median, and one over the distance of the quartiles; where that is 0, two over that of the ends. `ends` are
    those of all rows, where the table is but a sample of them."""
    center, scale = np.zeros(len(columns)), np.zeros(len(columns))
    places = sample_places(table.n_rows, QUARTILE_ROWS, 0)
    whole = len(places) == table.n_rows
    some = table if whole else table.take(places)
    w = weights if whole or weights is None else weights[places]
    quick = None
    if some.matrix is not None and w is None and not np.isnan(some.matrix).any():
        quick = np.quantile(some.matrix.astype(np.float64), SHARES, axis=0)
    for k, j in enumerate(columns):
        if quick is not None:
            low, q1, middle, q3, high = quick[:, j]
        else:
            x = _cells(some, j)
            there = ~np.isnan(x)
            if not there.any():
                continue
            order = np.argsort(x[there], kind="stable")
            own = None if w is None else w[there][order]
            low, q1, middle, q3, high = frequency_quantiles(x[there][order], SHARES, own)
        if q3 == q1 and low == high:
            if ends is not None:
                low, high = ends[:, j]
            elif not whole:
                x = _cells(table, j)
                low, high = np.nanmin(x), np.nanmax(x)
        center[k], scale[k] = middle, _quartile_factor(low, q1, q3, high)
    return center, scale


def _quartile_factor(low: float, q1: float, q3: float, high: float) -> float:
    return one_over(q3 / 2 - q1 / 2) / 2 if q3 > q1 else one_over(high / 2 - low / 2)


def moment_scale(table: Table, columns: list[int], weights: Array | None) -> tuple[Array, Array]:
    """The mean, and one over the standard deviation."""
    center, scale = np.zeros(len(columns)), np.zeros(len(columns))
    for k, j in enumerate(columns):
        x = _cells(table, j)
        there = ~np.isnan(x)
        if not there.any():
            continue
        x, w = x[there], None if weights is None else weights[there]
        size = float(np.abs(x).max()) or 1.0
        x = x / size
        mean = float(np.average(x, weights=w))
        spread = float(np.sqrt(np.average((x - mean) ** 2, weights=w)))
        center[k] = mean * size
        scale[k] = one_over(spread * size) if spread > 1e-13 * abs(mean) else 0.0
    return center, scale


def sparse_scale(table: Table, weights: Array | None, scaling: Any) -> tuple[Array, Array]:
    """The same for the columns of a sparse table that are not at rest: as if all its cells were stored, but columns of
    which few are need no look of their own. Their quartiles are 0."""
    x, columns = table.sparse, np.flatnonzero(~columns_at_rest(table))
    assert x is not None
    if scaling != "robust":
        return _each_column(table, columns, weights, moment_scale)
    places = sample_places(x.shape[0], QUARTILE_ROWS, 0)
    some, w = x[places], np.ones(len(places)) if weights is None else weights[places]
    stored = np.bincount(some.indices, np.repeat(w, np.diff(some.indptr)), x.shape[1]) / w.sum()
    low, high = sparse_ends(some)
    still = low == high
    if still.any():
        whole = sparse_ends(x)
        low[still], high[still] = whole[0][still], whole[1][still]
    many = np.flatnonzero(stored[columns] >= 0.2)
    center, scale = np.zeros(len(columns)), np.array([one_over(high[j] / 2 - low[j] / 2) for j in columns])
    center[many], scale[many] = _each_column(table, columns[many], weights, quartile_scale)
    return center, scale


def _each_column(table: Table, columns: Array, weights: Array | None, find: Any) -> tuple[Array, Array]:
    """Column by column, each with all its zeros."""
    center, scale = np.zeros(len(columns)), np.zeros(len(columns))
    assert table.sparse is not None
    by_column: Any = table.sparse[:, columns].tocsc()
    for k in range(len(columns)):
        one = Table.of_matrix(by_column[:, [k]].toarray())
        (center[k],), (scale[k],) = find(one, [0], weights)
    return center, scale


def _cells(table: Table, j: int) -> Array:
    """A column of numbers or ranks, NaN where missing."""
    if table.matrix is not None:
        return np.asarray(table.matrix[:, j], dtype=np.float64)
    column = table.columns[j]
    return np.where(column.missing, np.nan, column.values.astype(np.float64))


def one_over(size: float) -> float:
    """1/size, or 0 where there is no such number."""
    with np.errstate(divide="ignore", over="ignore"):
        found = float(np.float64(1) / np.float64(size))
    return found if np.isfinite(found) else 0.0
