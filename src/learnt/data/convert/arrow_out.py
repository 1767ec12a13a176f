"""A table as a pyarrow table: the way out that other libraries read, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.moments import numpy_moments
from learnt.data.table import Column, Table
from learnt.lazy import optional_package


def to_arrow(table: Table) -> Any:
    """A pyarrow Table with a dictionary per nominal or ordinal column, long texts as strings; null where a cell is
    missing."""
    pa = optional_package("pyarrow")

    if not table.n_columns:  # a pyarrow table of no columns has no rows either, unless it is told
        return pa.table({"": pa.nulls(table.n_rows)}).select([])
    return pa.table([arrow_cells(c) for c in table.columns], names=list(table.names))


def arrow_cells(column: Column) -> Any:
    """One column as a pyarrow array. Numbers are not copied where none is missing."""
    pa = optional_package("pyarrow")

    missing = column.missing
    mask = missing if missing.any() else None
    if column.form is not None and column.form.temporal:
        return _moments(column, pa)
    if column.kind == "numeric":
        return pa.array(np.ascontiguousarray(column.values), mask=mask)
    if column.kind == "boolean":
        return pa.array(column.values == 1, mask=mask)
    if column.schema.kind_name == "text":
        return pa.array(column.labels(), pa.large_string())
    codes = pa.array(column.values, mask=mask)
    labels = _labels(column, pa)
    return pa.DictionaryArray.from_arrays(codes, labels, ordered=column.kind == "ordinal")


def _moments(column: Column, pa: Any) -> Any:
    """Dates, timestamps, times and durations as Arrow's own."""
    assert column.form is not None
    form = column.form
    moments = numpy_moments(column.values, form)
    gone = np.isnat(moments)
    mask = gone if gone.any() else None
    if form.sort == "date":
        return pa.array(moments.astype("M8[D]"), pa.date32(), mask=mask)
    if form.sort == "timestamp":
        return pa.array(moments, pa.timestamp("us", "UTC" if form.zoned else None), mask=mask)
    if form.sort == "duration":
        return pa.array(moments, pa.duration("us"), mask=mask)
    return pa.array(moments.astype(np.int64), pa.int64(), mask=mask).cast(pa.time64("us"))


def _labels(column: Column, pa: Any) -> Any:
    kinds = {type(label) for label in column.categories}
    if kinds <= {str} or kinds in ({int}, {float}, {bool}):
        return pa.array(list(column.categories), type=None if kinds else pa.string())
    if kinds <= {int, float}:
        return pa.array([float(label) for label in column.categories])
    return pa.array([str(label) for label in column.categories])
