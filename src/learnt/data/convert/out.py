"""A table as a pandas or polars frame, as an array, or joined to others: the ways out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.moments import numpy_moments
from learnt.data.table import Array, Column, Table
from learnt.lazy import optional_package


def to_pandas(table: Table, index: Any = None) -> Any:
    """A DataFrame with a Categorical per nominal or ordinal column (ordered for ordinal ones); texts are strings."""
    pd = optional_package("pandas")

    if table.sparse is not None:
        sparse: Any = pd.DataFrame.sparse
        return sparse.from_spmatrix(table.sparse, columns=list(table.names), index=index)
    if table.matrix is not None:
        return pd.DataFrame(table.matrix, columns=list(table.names), index=index, copy=True)  # tables never change
    return pd.DataFrame({c.name: pandas_cells(c) for c in table.columns}, index=index, columns=list(table.names))


def pandas_cells(column: Column) -> Any:
    """One column as what pandas keeps such cells in."""
    pd = optional_package("pandas")

    if column.form is not None and column.form.temporal:
        return numpy_moments(column.values, column.form)
    if column.kind == "numeric":
        return column.values
    if column.kind == "boolean":
        booleans = column.values == 1
        return pd.arrays.BooleanArray(booleans, column.missing) if column.missing.any() else booleans
    if column.schema.kind_name == "text":
        return np.asarray(column)
    labels = pd.Index(list(column.categories), dtype=None if column.categories else object)
    return pd.Categorical.from_codes(column.values, labels, ordered=column.kind == "ordinal")


def to_polars(table: Table) -> Any:
    """A DataFrame with a Categorical per nominal column of text and an Enum, which has an order, per ordinal one."""
    pl = optional_package("polars")

    return pl.DataFrame([polars_cells(c) for c in table.columns])


def polars_cells(column: Column) -> Any:
    """One column as a polars series."""
    pl = optional_package("polars")

    if column.form is not None and column.form.temporal:
        return pl.Series(column.name, column.labels())
    if column.kind == "numeric":
        return pl.Series(column.name, np.ascontiguousarray(column.values), nan_to_null=True)
    if column.kind == "boolean":
        return pl.Series(column.name, column.labels(), dtype=pl.Boolean)
    if column.schema.kind_name == "text":
        return pl.Series(column.name, column.labels(), dtype=pl.String)
    if not all(isinstance(label, str) for label in column.categories):
        return pl.Series(column.name, column.labels())
    kind = pl.Enum(list(column.categories)) if column.kind == "ordinal" else pl.Categorical()  # an Enum has an order
    labels = pl.Series(column.name, list(column.categories), dtype=kind)
    return labels.gather(pl.Series(column.values).cast(pl.UInt32, strict=False))  # −1 becomes null


def to_array(table: Table) -> Any:
    """Rows × columns in float64: numbers as they are, categories as their codes, NaN where a cell is missing.

    A table over a matrix gives that matrix, which may be sparse.
    """
    if table.sparse is not None:
        return table.sparse
    if table.matrix is not None:
        return np.asarray(table.matrix, dtype=np.float64)
    values = np.empty(table.shape)
    for j, column in enumerate(table.columns):
        values[:, j] = column.values
        values[column.missing, j] = np.nan
    return values


def join_tables(tables: Sequence[Table]) -> Table:
    """Tables of one schema, one below the other."""
    schema = tables[0].schema
    if all(t.sparse is not None for t in tables):
        from scipy.sparse import vstack

        return Table.of_matrix(vstack([t.sparse for t in tables], format="csr"), schema.names, named=schema.named)
    matrices = [t.matrix for t in tables if t.matrix is not None]
    if len(matrices) == len(tables):
        return Table.of_matrix(np.vstack(matrices), schema.names, named=schema.named)
    # Also where some are over a matrix: whole numbers and floats of one schema come in both ways.
    columns = [_joined_column([t.columns[j] for t in tables]) for j in range(len(schema))]
    return Table.of_columns(columns, n_rows=sum(t.n_rows for t in tables), named=schema.named)


def _joined_column(parts: Sequence[Column]) -> Column:
    """Columns of one kind; of texts each may have a list of its own."""
    first = parts[0]
    if first.schema.kind_name == "text" and any(part.categories != first.categories for part in parts):
        texts = tuple(sorted({text for part in parts for text in part.categories}))
        parts = [part.recoded(texts) for part in parts]
    return Column.like(parts[0], np.concatenate([part.values for part in parts]))


def cells_of(table: Table) -> Array:
    """The cells as a 2-D array: numbers, or objects where there are labels."""
    if not table.schema.all_numeric:
        labels = [c.labels() for c in table.columns]
        return np.array(labels, dtype=object).reshape(table.n_columns, table.n_rows).T
    cells: Array = to_array(table) if table.sparse is None else table.sparse.toarray()
    return cells
