"""A few made-up rows in the columns of a fitted learner: what it answers tells the types of what it will answer."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from learnt.data.convert.out import to_array, to_pandas
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table

N_ROWS = 2


def example_rows(schema: Schema) -> Table:
    """Ones, first labels, a word of text: no cell is missing."""
    return Table.of_columns([_example_column(column) for column in schema], n_rows=N_ROWS, named=schema.named)


def _example_column(column: ColumnSchema) -> Column:
    if not column.coded:
        return Column.like(column, np.ones(N_ROWS))
    codes = np.zeros(N_ROWS, np.int32)
    if not column.categories:
        return Column(column.name, column.kind, codes, ("text",), column.form)
    return Column.like(column, codes)


def example_frame(schema: Schema | None, meta: Any, *, gaps: bool = False) -> Any:
    """Rows as partitions of a frame have them, of which `meta` is an empty one: its columns, in its types.

    Columns that the partitions lack are left out, so that what is said of them is said at once. With `gaps`, cells of
    the last row are missing where the types allow it.
    """
    if meta.ndim == 1:
        meta = meta.to_frame()
    if schema is None:
        utils: Any = importlib.import_module("dask.dataframe.utils")
        return utils.meta_nonempty(meta)
    frame = to_pandas(example_rows(schema))
    if not schema.named:
        # As many columns as there are: another number is an error in the learner's own words.
        frame = frame.iloc[:, [j % frame.shape[1] for j in range(meta.shape[1])]]
        frame.columns = meta.columns
    columns = {name: _in_type(frame[name], meta[name].dtype, gaps) for name in frame.columns if name in meta.columns}
    return type(frame)(columns, index=frame.index)


def _in_type(cells: Any, dtype: Any, gaps: bool) -> Any:
    """The cells in the type that partitions keep them in, where it can hold them."""
    if not is_known(dtype):
        return cells
    gap = cells.isna() | gaps & (cells.index == N_ROWS - 1)
    for wanted in (cells.mask(gap), cells) if gaps else (cells,):
        try:
            cast = wanted.astype(dtype)
        except (TypeError, ValueError):
            continue
        if cast.isna().equals(wanted.isna()):
            return cast
    return cells


def is_known(dtype: Any) -> bool:
    """Whether a type says which categories there are, if it is one of categories."""
    utils: Any = importlib.import_module("dask.dataframe.utils")
    categories = getattr(dtype, "categories", ())
    return utils.UNKNOWN_CATEGORIES not in categories


def example_array(schema: Schema | None, width: int, dtype: Any) -> Array:
    """Rows as blocks of an array have them."""
    if schema is None or len(schema) != width:
        return np.ones((N_ROWS, width), dtype)
    if dtype.kind in "fiub":
        rows = to_array(example_rows(schema))
        return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows).astype(dtype)
    return np.array([column.labels() for column in example_rows(schema).columns], dtype=object).T
