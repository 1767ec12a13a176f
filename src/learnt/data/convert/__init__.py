"""Anything with rows and columns becomes a Table, anything with one value per row a Column."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.convert.numpy import (
    column_of_array,
    table_of_array,
    table_of_sparse,
    unnamed_table,
    wrong_dimensions,
)
from learnt.data.convert.objects import column_of_objects
from learnt.data.schema import KindName, Label
from learnt.data.table import Column, Table
from learnt.errors import InputError, KindError
from learnt.show.words import spell

_ACCEPTED = (
    "a pandas or polars frame, an Arrow table, a 2-D NumPy array, a SciPy sparse matrix, "
    "a dict of columns, a list of dicts or a list of rows"
)


def to_table(
    data: Any,
    *,
    kinds: Mapping[str, KindName] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
) -> Table:
    """`data` as a Table; `kinds` and `ordinal` override what its types say."""
    table = table_of_array(data) if type(data) is np.ndarray else _table_of(data)
    if kinds is None and ordinal is None:
        return table
    from learnt.data.override import with_kinds

    return with_kinds(table, kinds or {}, ordinal or {})


def _table_of(data: Any) -> Table:
    if isinstance(data, Table):
        return data
    if isinstance(data, Column):
        return Table.of_columns([data])
    if is_a(data, "narwhals", "LazyFrame"):
        data = data.collect()
    if is_a(data, "narwhals", "DataFrame"):
        return _table_of(data.to_native())
    if is_a(data, "pandas", "DataFrame"):
        from learnt.data.convert.frames import table_of_pandas

        return table_of_pandas(data)
    if is_a(data, "polars", "LazyFrame"):
        data = data.collect()
    if is_a(data, "polars", "DataFrame"):
        from learnt.data.convert.frames import table_of_polars

        return table_of_polars(data)
    if is_a(data, "pandas", "Series") or is_a(data, "polars", "Series"):
        return _table_of_dict({data.name: data})
    if is_a(data, "scipy.sparse", "spmatrix") or is_a(data, "scipy.sparse", "sparray"):
        return table_of_sparse(data)
    if "dask" in sys.modules:
        from learnt.data.dask.kinds import refuse_collection

        refuse_collection(data)  # which would offer itself as an array, and fill the memory
    if isinstance(data, Mapping):
        return _table_of_dict(data)
    if isinstance(data, np.ndarray):
        return _table_of_odd_array(data)
    if isinstance(data, (list, tuple)):
        return _table_of_rows(data)
    if is_a(data, "pyarrow", "Array") or is_a(data, "pyarrow", "ChunkedArray"):
        raise wrong_dimensions(1, data)
    if type(data).__module__.partition(".")[0] == "dask":
        raise KindError(
            f"A {_type_name(data)} is not in memory. Expected {_ACCEPTED}. Bring its rows into memory by compute()."
        )
    arrow = _arrow_table(data)
    if arrow is not None:
        from learnt.data.convert.arrow import table_of_arrow

        return table_of_arrow(arrow)
    if hasattr(data, "__array__"):
        return to_table(np.asarray(data))
    raise KindError(f"A {_type_name(data)} is not a table. Expected {_ACCEPTED}. Convert it to one of these.")


def is_a(data: Any, module: str, name: str) -> bool:
    """Whether `data` is an instance of a class of a package that is not imported to find out."""
    home = sys.modules.get(module)
    cls = getattr(home, name, None)
    return cls is not None and isinstance(data, cls)


def _type_name(data: Any) -> str:
    home = type(data).__module__
    return type(data).__name__ if home == "builtins" else f"{home}.{type(data).__name__}"


def _table_of_odd_array(array: Any) -> Table:
    """Subclasses of ndarray: masked arrays by column, all others as plain arrays."""
    if isinstance(array, np.ma.MaskedArray) and array.ndim == 2:
        columns = [column_of_array(f"x{j}", array[:, j]) for j in range(array.shape[1])]
        return unnamed_table(columns, n_rows=len(array))
    return table_of_array(np.asarray(array))


def _table_of_dict(data: Mapping[Any, Any]) -> Table:
    from learnt.data.convert.frames import names_of

    names = names_of(data)
    if names is None:
        columns = [to_vector(cells, f"x{j}") for j, cells in enumerate(data.values())]
        return unnamed_table(columns, n_rows=len(columns[0]))
    return Table.of_columns([to_vector(cells, name) for name, cells in zip(names, data.values(), strict=True)])


def _table_of_rows(rows: Sequence[Any]) -> Table:
    """A list of dicts, of lists or tuples, or of arrays."""
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        table = _table_of_dict({name: [row.get(name) for row in rows] for name in names})
        return table if names else Table.of_columns([], n_rows=len(rows))
    if rows and all(isinstance(row, np.ndarray) for row in rows) and len({row.shape for row in rows}) == 1:
        return table_of_array(np.stack(rows))
    if rows and all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        widths = [len(row) for row in rows]
        uneven = next((i for i, width in enumerate(widths) if width != widths[0]), None)
        if uneven is not None:
            raise InputError(
                f"Row {uneven} has {widths[uneven]} cells, but row 0 has {widths[0]}. "
                "All rows of a table have the same number of cells. Fill the gaps with None."
            )
        columns = [column_of_objects(f"x{j}", cells) for j, cells in enumerate(zip(*rows, strict=True))]
        return unnamed_table(columns, n_rows=len(rows))
    if any(isinstance(row, (Mapping, list, tuple, np.ndarray)) for row in rows):
        odd = next(i for i, row in enumerate(rows) if type(row) is not type(rows[0]))
        raise InputError(
            f"Row {odd} is a {_type_name(rows[odd])}, but row 0 is a {_type_name(rows[0])}. "
            "All rows of a list are dicts, or all are lists. Make them alike."
        )
    raise wrong_dimensions(1, rows if len(rows) < 10 else f"[{str(rows[:10])[1:-1]}, …]")


def _arrow_table(data: Any) -> Any:
    """`data` as a pyarrow table when it speaks Arrow's or the older dataframe protocol; None otherwise."""
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        import pyarrow as pa

        try:
            return pa.table(data) if hasattr(data, "__arrow_c_stream__") else pa.record_batch(data)
        except (pa.ArrowException, TypeError) as error:
            raise KindError(
                f"The Arrow data of a {_type_name(data)} is not a table ({error}). "
                "Expected a struct with one field per column. Give it as one column of a dict."
            ) from error
    if hasattr(data, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(data)
    return None


def to_vector(data: Any, what: str = "y") -> Column:
    """One value per row as a Column called `what`, by the same kind rules as tables."""
    if type(data) is np.ndarray:
        return column_of_array(what, data)
    if isinstance(data, Column):
        return data.renamed(what)
    if is_a(data, "narwhals", "Series"):
        data = data.to_native()
    if is_a(data, "pandas", "Series") or is_a(data, "pandas", "Index"):
        from learnt.data.convert.frames import column_of_pandas

        return column_of_pandas(what, data)
    if is_a(data, "polars", "Series"):
        from learnt.data.convert.frames import column_of_polars

        return column_of_polars(what, data)
    if isinstance(data, np.ndarray):
        return column_of_array(what, data)
    if isinstance(data, (list, tuple, range)):
        return column_of_objects(what, data)
    if "dask" in sys.modules:
        from learnt.data.dask.kinds import refuse_collection

        refuse_collection(data)
    if not isinstance(data, Table) and not is_a(data, "pandas", "DataFrame"):
        arrow = _arrow_array(data)
        if arrow is not None:
            from learnt.data.convert.arrow import column_of_arrow

            return column_of_arrow(what, arrow)
        if hasattr(data, "__array__"):
            return column_of_array(what, np.asarray(data))
    raise KindError(
        f"{spell(what)} is a {_type_name(data)}. Expected one value per row: a list, a 1-D array or a series. "
        "Convert it to one of these."
    )


def _arrow_array(data: Any) -> Any:
    """`data` as a pyarrow array when it speaks Arrow, None otherwise."""
    if is_a(data, "pyarrow", "Array") or is_a(data, "pyarrow", "ChunkedArray"):
        return data
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        import pyarrow as pa

        return pa.chunked_array(data) if hasattr(data, "__arrow_c_stream__") else pa.array(data)
    return None
