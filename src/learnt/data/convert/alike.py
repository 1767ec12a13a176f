"""A table as the kind of frame that another came in: its index, and the types of its columns where they pass."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from learnt.data.convert.arrow_out import arrow_cells, to_arrow
from learnt.data.convert.out import pandas_cells, polars_cells, to_pandas, to_polars
from learnt.data.table import Column, Table
from learnt.lazy import optional_package


def frame_of(kind: str, table: Table, model: Any = None, passed: Collection[str] = ()) -> Any:
    """`table` as a frame of "pandas", "polars" or "arrow".

    `model`, if given, is a frame of that kind with the same rows. It lends its index; labels are plain text where they
    were plain text in its column of the same name; and columns named in `passed` are taken from it as they are.
    """
    if kind == "pandas":
        return _like_pandas(table, model, passed)
    if kind == "polars":
        return _like_polars(table, model, passed)
    return _like_arrow(table, model, passed)


def _like_pandas(table: Table, model: Any, passed: Collection[str]) -> Any:
    pd = optional_package("pandas")

    index = None if model is None else model.index
    if not isinstance(model, pd.DataFrame):
        return to_pandas(table, index)
    if table.schema.all_numeric and not passed:
        frame = to_pandas(table, index)
    else:
        given = {str(name): j for j, name in enumerate(model.columns)}

        def cells(column: Column) -> Any:
            if column.name not in given:
                return pandas_cells(column)
            old = model.iloc[:, given[column.name]]
            if column.name in passed:
                return old
            made = pandas_cells(column)
            plain = column.kind == "nominal" and (old.dtype == object or isinstance(old.dtype, pd.StringDtype))
            return made.astype(old.dtype) if plain else made

        frame = pd.DataFrame({c.name: cells(c) for c in table.columns}, index=index, columns=list(table.names))
    if list(table.names) == [f"x{j}" for j in range(model.shape[1])] and not any(
        isinstance(name, str) for name in model.columns
    ):
        frame.columns = model.columns  # numbered columns keep their numbers
    return frame


def _like_polars(table: Table, model: Any, passed: Collection[str]) -> Any:
    pl = optional_package("polars")

    if not isinstance(model, pl.DataFrame):
        return to_polars(table)

    def cells(column: Column) -> Any:
        if column.name not in model.columns:
            return polars_cells(column)
        if column.name in passed:
            return model[column.name]
        made = polars_cells(column)
        return made.cast(pl.String) if column.kind == "nominal" and model[column.name].dtype == pl.String else made

    return pl.DataFrame([cells(c) for c in table.columns])


def _like_arrow(table: Table, model: Any, passed: Collection[str]) -> Any:
    pa = optional_package("pyarrow")

    if model is None or not table.n_columns:
        return to_arrow(table)
    types = dict(zip(model.schema.names, model.schema.types, strict=True))

    def cells(column: Column) -> Any:
        if column.name in passed:
            return model.column(column.name)
        made, old = arrow_cells(column), types.get(column.name)
        text = old is not None and (pa.types.is_string(old) or pa.types.is_large_string(old))
        return made.cast(old) if text and column.kind == "nominal" else made

    return pa.table([cells(c) for c in table.columns], names=list(table.names))
