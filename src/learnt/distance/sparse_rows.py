"""Sparse rows as the kernels of distances read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.distance.space import Space, apart, safe_scale, safe_scales
from learnt.errors import InputError, ParameterError
from learnt.show.words import spell

#: Values, columns, and where each row starts.
Cells = tuple[Array, Array, Array]


def is_sparse(X: Any) -> bool:
    """Whether rows come as a SciPy sparse matrix, or as a table of one."""
    given = X.sparse if isinstance(X, Table) else X
    return hasattr(given, "tocsr") and hasattr(given, "nnz")


def check_sparse(space: Space) -> None:
    if space.norm != "l2" or space.turn is not None:
        raise ParameterError(
            f"The metric {space.name!r} compares all cells, also the zeros that sparse rows do not store. "
            "Take metric='euclidean' or 'cosine', or pass X.toarray() if that fits into memory."
        )


def as_csr(X: Any, space: Space) -> Any:
    """Rows as a CSR matrix in the coordinates distances are taken in: columns ascending, none twice, all finite."""
    from scipy.sparse import csr_array

    given = X.sparse if isinstance(X, Table) and X.sparse is not None else X
    if is_sparse(given):
        x = csr_array(given)
    else:
        dense = np.asarray(given, dtype=np.float64)
        if dense.ndim != 2:
            raise InputError(f"The rows have the shape {dense.shape}. Expected rows and columns.")
        x = csr_array(dense)
    if x.shape[1] == 0:
        raise InputError(f"The rows have the shape {x.shape}. Expected rows and columns, at least one column.")
    if x.dtype != np.float32:
        x = x.astype(np.float64, copy=False)
    if not x.has_canonical_format:
        x = x.copy()  # the caller's matrix stays as it is
        x.sum_duplicates()
    wrong = np.flatnonzero(~np.isfinite(x.data))
    if len(wrong):
        row = int(np.searchsorted(x.indptr, wrong[0], side="right")) - 1
        column = int(x.indices[wrong[0]])
        name = repr(X.names[column]) if isinstance(X, Table) else str(column)
        raise InputError(
            f"Row {row} has {x.data[wrong[0]]} in column {name}. The metric {space.name!r} needs finite numbers. "
            "Fill the cell or leave the row out."
        )
    if space.weights is not None and len(space.weights) != x.shape[1]:
        raise InputError(f"There are {len(space.weights)} column weights, but the rows have {x.shape[1]} columns.")
    return _of_length_one(x) if space.name == "cosine" else x


def sparse_ranges(table: Table) -> Array:
    """Largest less smallest of each column, zeros that are not stored included."""
    x = table.sparse
    if not np.isfinite(x.data).all():
        wrong = int(np.flatnonzero(~np.isfinite(x.data))[0])
        row = int(np.searchsorted(x.indptr, wrong, side="right")) - 1
        raise InputError(
            f"Row {row} has {x.data[wrong]} in column {table.names[int(x.indices[wrong])]!r}. Sparse rows are compared "
            "by finite numbers. Fill the cell, or pass X.toarray() if that fits: there cells may be missing."
        )
    low, high = (np.asarray(end.todense(), dtype=np.float64).ravel() for end in (x.min(axis=0), x.max(axis=0)))
    with np.errstate(over="ignore"):
        ranges: Array = high - low
    if not np.isfinite(ranges).all():
        worst = table.names[int(np.flatnonzero(~np.isfinite(ranges))[0])]
        raise InputError(f"The range of column {spell(worst)} is not finite. Divide the column by a large number.")
    return ranges


def cells_of(x: Any, scale: float) -> Cells:
    values = x.data if scale == 1 else x.data.astype(np.float64) * scale
    return (
        np.ascontiguousarray(values),
        np.ascontiguousarray(x.indices, dtype=np.int32),
        np.ascontiguousarray(x.indptr, dtype=np.int64),
    )


def sparse_distances(space: Space, a: Any, b: Any) -> Array:
    """All distances between rows of a and rows of b, either of them sparse."""
    check_sparse(space)
    x, y = as_csr(a, space).astype(np.float64), as_csr(b, space).astype(np.float64)
    if x.shape[1] != y.shape[1]:
        raise InputError(f"Rows of {x.shape[1]} columns cannot be compared with rows of {y.shape[1]}.")
    scale = min(safe_scale(x.data, space), safe_scale(y.data, space))
    if scale >= 1:
        found = _scaled_distances(space, x, y, scale)
    else:  # as in `Space.shown_between`
        found = apart(
            safe_scales(largest_cells(x), space),
            safe_scales(largest_cells(y), space),
            lambda some, others, scale: _scaled_distances(space, x[some], y[others], scale),
        )
    for places, rows in ((found, x), (found.T, y)):
        nowhere = without_direction(space, rows)
        if nowhere is not None:
            places[nowhere] = 1.0
    return found


def _scaled_distances(space: Space, x: Any, y: Any, scale: float) -> Array:
    out = np.empty((x.shape[0], y.shape[0]))
    if out.size:
        rows = _core.SparseRows64(*cells_of(y, scale), y.shape[1], space.weights)
        rows.distances(*cells_of(x, scale), out)
    return space.metric_distances(out / scale)


def largest_cells(x: Any) -> Array:
    """The largest absolute value in each row."""
    return np.asarray(abs(x).max(axis=1).toarray()).ravel()


def without_direction(space: Space, rows: Any) -> Array | None:
    """`Space.without_direction` of sparse rows."""
    if space.name != "cosine":
        return None
    nowhere: Array = np.ones(rows.shape[0], dtype=bool)
    nowhere[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[rows.data != 0]] = False
    return nowhere if nowhere.any() else None


def _of_length_one(x: Any) -> Any:
    x = x.astype(np.float64)  # a copy
    count = np.diff(x.indptr)
    largest = np.zeros(x.shape[0])
    largest[count > 0] = np.maximum.reduceat(np.abs(x.data), x.indptr[:-1][count > 0]) if x.nnz else 0.0
    x.data /= np.repeat(np.where(largest > 0, largest, 1.0), count)  # first: squares may neither overflow nor vanish
    length = lengths(x)
    x.data /= np.repeat(np.where(length > 0, length, 1.0), count)
    return x


def lengths(x: Any) -> Array:
    """The length of each row, its distance from the origin, to the bit that of the row with its zeros."""
    out = np.empty((x.shape[0], 1))
    origin = _core.SparseRows64(np.empty(0), np.empty(0, np.int32), np.zeros(2, np.int64), x.shape[1], None)
    origin.distances(*cells_of(x, 1.0), out)
    return out[:, 0]
