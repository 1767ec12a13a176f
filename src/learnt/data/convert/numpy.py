"""NumPy arrays and SciPy sparse matrices become columns and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.convert.objects import COMPLEX_MESSAGE, coded_column, column_of_objects
from learnt.data.form import Form, clock_form, moments_form
from learnt.data.schema import BOOLEAN_CATEGORIES
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError, KindError

_TICKS_PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400}
_TICKS_PER_DAY |= {"ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_COARSE = {"Y": "month", "M": "month"}
_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
    "or array.reshape(1, -1) if it contains a single sample."
)


def table_of_array(array: Array) -> Table:
    """A table over a 2-D array: floats are kept without a copy, other dtypes go by column."""
    if array.dtype.names is not None and array.ndim == 1:
        return Table.of_columns([column_of_array(name, array[name]) for name in array.dtype.names], n_rows=len(array))
    if array.ndim != 2:
        raise wrong_dimensions(array.ndim, array)
    matrix = numbers_of("the array", array)
    if matrix is not None:
        return Table.of_matrix(matrix)
    columns = [column_of_array(f"x{j}", array[:, j]) for j in range(array.shape[1])]
    return unnamed_table(columns, n_rows=len(array))


def unnamed_table(columns: list[Column], *, n_rows: int) -> Table:
    """A table of columns without names of their own; one matrix when all are numeric, as arrays give."""
    if all(c.kind == "numeric" and c.form is None for c in columns):
        matrix = np.column_stack([c.values for c in columns]) if columns else np.empty((n_rows, 0))
        return Table.of_matrix(matrix)
    return Table.of_columns(columns, n_rows=n_rows, named=False)


def column_of_array(name: str, values: Array) -> Column:
    """A column of a 1-D array of any dtype."""
    if values.ndim != 1:
        raise InputError(
            f"Column {name!r} is an array of shape {values.shape}. A column is one-dimensional. "
            "Give each of its parts as a column of its own."
        )
    if isinstance(values, np.ma.MaskedArray):
        return column_of_objects(name, values.tolist())
    numbers = numbers_of(f"column {name!r}", values)
    if numbers is not None:
        return Column(name, "numeric", numbers, (), _form(values))
    match values.dtype.kind:
        case "b":
            return Column(name, "boolean", values.astype(np.int32), BOOLEAN_CATEGORIES)
        case "U":
            return coded_column(name, values.tolist())
        case "S" | "O" | "T":
            return column_of_objects(name, values.tolist())
    raise KindError(
        f"Column {name!r} has dtype {values.dtype}, which has no kind here. "
        "Columns hold numbers, booleans, text, dates or durations. Convert it first."
    )


def numbers_of(where: str, values: Array) -> Array | None:
    """Numbers of any shape as float32 or float64 that kernels can load, dates and durations as days; None for others.

    Fields of packed records, and arrays over some bytes of a file, are copied.
    """
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "f":
        if size in (4, 8) and values.dtype.isnative:
            return values if is_loadable(values) else values.copy()
        return values.astype(np.float32 if size <= 4 else np.float64)
    if kind in "iu":
        return values.astype(np.float64)
    if kind in "mM":
        return days_of(where, values)
    if kind == "c":
        raise InputError(COMPLEX_MESSAGE.format(where))
    return None


def is_loadable(values: Array) -> bool:
    """Whether the cells lie where a processor loads numbers from, apart by whole numbers of cells."""
    return values.flags.aligned and all(step % values.dtype.itemsize == 0 for step in values.strides)


def days_of(where: str, moments: Array) -> Array:
    """Days since 1970-01-01 (datetime64) or days (timedelta64), NaN for NaT."""
    unit = np.datetime_data(moments.dtype)[0]
    if unit == "W" or (unit in ("Y", "M") and moments.dtype.kind == "M"):
        unit = "D"
    elif unit in ("ps", "fs", "as"):
        unit = "ns"
    if unit not in _TICKS_PER_DAY:
        raise KindError(
            f"In {where}, durations are counted in {unit!r}, which is not a fixed number of days. "
            "Durations become numbers of days. Convert them to days first."
        )
    ticks = moments.astype(f"{moments.dtype.kind}8[{unit}]").astype(np.int64)
    days = days_of_ticks(ticks, _TICKS_PER_DAY[unit])
    days[np.isnat(moments)] = np.nan
    return days


def _form(values: Array) -> Form | None:
    """Of dates and durations: the days they become no longer tell the ticks they were counted in."""
    kind, unit = values.dtype.kind, np.datetime_data(values.dtype)[0] if values.dtype.kind in "mM" else ""
    if not unit:
        return None
    if unit in ("Y", "M", "W", "D"):
        return (
            Form("duration", resolution="minute") if kind == "m" else Form("date", resolution=_COARSE.get(unit, "day"))
        )
    unit = unit if unit in _TICKS_PER_DAY else "ns"
    ticks = values[~np.isnat(values)].astype(f"{kind}8[{unit}]").astype(np.int64)
    if kind == "m":
        return clock_form("duration", ticks, _TICKS_PER_DAY[unit])
    return moments_form(ticks, _TICKS_PER_DAY[unit])


def days_of_ticks(ticks: Array, per_day: int) -> Array:
    """Whole days and the fraction are divided apart, so that every unit gives the same bits."""
    whole, rest = np.divmod(ticks, per_day)
    days: Array = whole + rest / per_day
    return days


def table_of_sparse(matrix: Any, names: Sequence[str] | None = None) -> Table:
    """A table over a SciPy sparse matrix or array, as CSR floats with sorted indices and no duplicates."""
    if matrix.ndim != 2:
        raise wrong_dimensions(matrix.ndim, matrix)
    kind, size = matrix.dtype.kind, matrix.dtype.itemsize
    if kind == "c":
        raise InputError(COMPLEX_MESSAGE.format("the sparse matrix"))
    if kind not in "fiub":
        raise KindError(f"The sparse matrix has dtype {matrix.dtype}. Expected numbers. Convert it to float64.")
    csr = matrix.tocsr()
    fit = kind == "f" and size in (4, 8) and csr.dtype.isnative and csr.data.flags.aligned
    csr = csr if fit else csr.astype(np.float64)
    if not csr.has_canonical_format:
        csr = csr.copy()  # tidying happens in place, and the matrix is the user's
        csr.sum_duplicates()
    return Table.of_matrix(csr, names)


def wrong_dimensions(dimensions: int, data: Any) -> InputError:
    if dimensions > 2:
        return InputError(f"Found array with dim {dimensions}. Expected <= 2.")
    got = "1D" if dimensions else "scalar"
    return InputError(f"Expected 2D array, got {got} array instead:\narray={data}.\n{_RESHAPE}")
