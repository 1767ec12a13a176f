"""pandas and polars frames and series become tables and columns, one column at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.convert.arrow import column_of_arrow
from learnt.data.convert.numpy import column_of_array, numbers_of, table_of_sparse, unnamed_table
from learnt.data.convert.objects import column_of_objects, labelled_column
from learnt.data.form import DATE
from learnt.data.schema import BOOLEAN_CATEGORIES
from learnt.data.table import Column, Table


def names_of(labels: Iterable[Any]) -> list[str] | None:
    """Column labels as text; None when none of them is text, which makes the columns unnamed."""
    labels = list(labels)
    if labels and not any(isinstance(label, str) for label in labels):
        return None
    return [str(label) for label in labels]


def table_of_pandas(frame: Any) -> Table:
    """A table of a pandas frame; one block of floats is kept without a copy."""
    names = names_of(frame.columns)
    dtypes = set(frame.dtypes)
    if len(dtypes) == 1:
        (dtype,) = dtypes
        if isinstance(dtype, np.dtype) and dtype.kind in "fiu":
            return Table.of_matrix(numbers_of("the frame", frame.to_numpy()), names)
    if dtypes and all(_is_sparse_number(dtype) for dtype in dtypes):
        return table_of_sparse(frame.sparse.to_coo(), names)
    made_up = [f"x{j}" for j in range(frame.shape[1])]
    pairs = zip(names or made_up, frame.items(), strict=True)
    columns = [column_of_pandas(name, cells) for name, (_, cells) in pairs]
    if names is None:
        return unnamed_table(columns, n_rows=len(frame))
    return Table.of_columns(columns, n_rows=len(frame))


def _is_sparse_number(dtype: Any) -> bool:
    """Whether what such a column leaves out are zeros."""
    subtype = getattr(dtype, "subtype", None)
    return hasattr(dtype, "fill_value") and getattr(subtype, "kind", "") in "fiu" and dtype.fill_value == 0


def column_of_pandas(name: str, series: Any) -> Column:
    """A column of a pandas series (or index) of any dtype."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return column_of_array(name, series.to_numpy())
    if isinstance(dtype, pd.CategoricalDtype):
        return labelled_column(name, series.array.codes, dtype.categories.tolist(), ordered=bool(dtype.ordered))
    if isinstance(dtype, pd.DatetimeTZDtype):
        column = column_of_array(name, series.to_numpy(dtype=f"datetime64[{dtype.unit}]"))  # in UTC
        form = column.form or DATE
        return column if form == DATE else replace(column, form=replace(form, zoned=True))
    if isinstance(dtype, pd.PeriodDtype):
        return column_of_array(name, series.array.to_timestamp().to_numpy())
    if isinstance(dtype, pd.SparseDtype):
        return column_of_array(name, np.asarray(series.array))
    if isinstance(dtype, (pd.StringDtype, pd.ArrowDtype)):
        return column_of_arrow(name, series.array.__arrow_array__())
    if pd.api.types.is_bool_dtype(dtype):
        codes = series.to_numpy(dtype=np.int32, na_value=-1)
        return Column(name, "boolean", codes, BOOLEAN_CATEGORIES)
    if pd.api.types.is_numeric_dtype(dtype):
        single = getattr(dtype, "numpy_dtype", None) == np.float32
        floats = series.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)
        return Column(name, "numeric", floats)
    return column_of_objects(name, series.tolist())


def table_of_polars(frame: Any) -> Table:
    """A table of a polars frame. By column: converting a whole frame hangs in a forked child."""
    return Table.of_columns([column_of_polars(s.name, s) for s in frame.get_columns()], n_rows=frame.height)


def column_of_polars(name: str, series: Any) -> Column:
    """A column of a polars series of any dtype."""
    import polars as pl

    dtype = series.dtype
    if dtype == pl.Object:
        return column_of_objects(name, series.to_list())
    if str(dtype) in ("Int128", "UInt128"):  # Arrow has no such types
        series = series.cast(pl.Float64)
    arrow = series.to_arrow()
    if dtype == pl.Categorical:  # declares no order: that of its codes follows from what was read before
        arrow = arrow.dictionary_decode()
    return column_of_arrow(name, arrow)
