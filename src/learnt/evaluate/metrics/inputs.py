"""What a metric is given: one value per row in any container, checked once, where it enters."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.column import Column
from learnt.data.convert import to_vector
from learnt.data.table import Array
from learnt.errors import InputError, KindError


def cells_of(values: Any, name: str) -> Array | Column:
    """One value per row: an array as it came (a column of a matrix made flat), or a column with its categories."""
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        return _flat(values, name)
    if isinstance(values, (list, tuple)):
        try:
            array = np.asarray(values)
        except ValueError:
            raise InputError(
                f"{name} holds rows of different lengths. Expected one value per row. Give a flat list."
            ) from None
        if array.dtype.kind not in "US" and array.dtype != object:
            return _flat(array, name)
        return _flat(np.fromiter(values, dtype=object, count=len(values)), name)
    column = _numpy_of(values)
    return _flat(column, name) if column is not None else to_vector(values, name)


def _numpy_of(values: Any) -> Array | None:
    """The array inside a series of plain numbers or booleans; None for anything else."""
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind != "O" and hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy())
    if dtype is not None and hasattr(values, "null_count") and hasattr(dtype, "is_numeric"):  # polars
        if dtype.is_numeric() and not values.null_count():
            return np.asarray(values.to_numpy())
    elif not hasattr(values, "to_numpy") and hasattr(values, "__array__"):
        return np.asarray(values)
    return None


def _flat(array: Array, name: str) -> Array:
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name} is an array of shape {array.shape}. Expected one value per row. Give one column.")
    return array


def numbers_of(values: Any, name: str) -> Array:
    """One finite number per row, float64."""
    cells = cells_of(values, name)
    if isinstance(cells, Column):
        if cells.kind not in ("numeric", "boolean"):
            raise KindError(f"{name} holds labels such as {cells.categories[:3]}. Expected numbers.")
        cells = np.where(cells.missing, np.nan, cells.values) if cells.kind == "boolean" else cells.values
    if cells.dtype == object:
        try:
            cells = cells.astype(np.float64)
        except (TypeError, ValueError):
            raise KindError(f"{name} holds {_odd(cells)}, which is not a number. Expected numbers only.") from None
    if cells.dtype.kind not in "fiub":
        raise KindError(f"{name} holds {cells.dtype.name} values. Expected numbers.")
    numbers = np.ascontiguousarray(cells, dtype=np.float64)
    refuse_gaps(numbers, name)
    return numbers


def refuse_gaps(numbers: Array, name: str) -> None:
    """Raise where a number is missing or infinite."""
    # A sum is finite unless a number is not (or the sum overflows): one pass without a mask.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(numbers)) or np.isfinite(numbers).all():
            return
    row = int(np.flatnonzero(~np.isfinite(numbers.reshape(len(numbers), -1)).all(axis=1))[0])
    what = "missing" if np.isnan(numbers[row]).any() else "infinite"
    raise InputError(f"{name} is {what} in row {row}. Expected finite numbers. Leave such rows out.")


def _odd(cells: Array) -> str:
    for cell in cells.tolist():
        try:
            float(cell)
        except (TypeError, ValueError):
            return f"{cell!r:.40}"
    return "something"


def scores_of(values: Any, name: str, n_rows: int) -> Array:
    """Scores or probabilities as floats: one per row, or rows × classes; float32 stays float32."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.dtype.itemsize in (4, 8):
        scores = values
    elif hasattr(values, "to_numpy") or isinstance(values, (np.ndarray, list, tuple)) or hasattr(values, "__array__"):
        raw = values.to_numpy() if hasattr(values, "to_numpy") else values
        try:
            scores = np.asarray(raw, dtype=np.float64)
        except (TypeError, ValueError):
            raise KindError(f"{name} holds something that is not a number. Expected scores or probabilities.") from None
    else:
        scores = numbers_of(values, name)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim not in (1, 2):
        raise InputError(f"{name} has shape {scores.shape}. Expected one score per row, or rows × classes.")
    same_length(n_rows, len(scores), name)
    refuse_gaps(scores, name)
    return scores


def same_length(n_rows: int, n_others: int, name: str) -> None:
    if n_rows != n_others:
        raise InputError(f"y_true has {n_rows} rows and {name} {n_others}. Expected one for each row.")


def some_rows(n_rows: int) -> None:
    if n_rows == 0:
        raise InputError("y_true has no rows. Expected at least one.")


def weights_of(sample_weight: Any, n_rows: int) -> Array | None:
    """One weight per row, ≥ 0 and not all 0; whole numbers stay whole. None where there are none."""
    if sample_weight is None:
        return None
    cells = cells_of(sample_weight, "sample_weight")
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iub":
        # Beyond int64, as uint64 may be, numbers are no longer whole in any sum.
        weights = cells.astype(np.int64 if int(cells.max(initial=0)) < 2**63 else np.float64)
    else:
        weights = numbers_of(cells, "sample_weight")
    same_length(n_rows, len(weights), "sample_weight")
    if n_rows and weights.min() < 0:
        row = int(np.flatnonzero(weights < 0)[0])
        raise InputError(f"sample_weight is {weights[row]} in row {row}. Expected weights of 0 or more.")
    if n_rows and not weights.any():
        raise InputError("All weights in sample_weight are 0. Expected at least one above 0.")
    return weights
