"""Arrow arrays become columns; pandas' text and polars' columns come this way too."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.convert.numpy import days_of_ticks
from learnt.data.convert.objects import column_of_objects, labelled_column
from learnt.data.form import DATE, clock_form, moments_form
from learnt.data.long_texts import form_of_texts
from learnt.data.schema import BOOLEAN_CATEGORIES
from learnt.data.table import Array, Column, Table
from learnt.errors import KindError

_TICKS_PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def table_of_arrow(data: Any) -> Table:
    """A table of a pyarrow Table or RecordBatch."""
    columns = [column_of_arrow(name, data.column(j)) for j, name in enumerate(data.schema.names)]
    return Table.of_columns(columns, n_rows=data.num_rows)


def column_of_arrow(name: str, values: Any) -> Column:
    """A column of a pyarrow Array or ChunkedArray; nulls and NaN are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _plain(values)
    t, is_a = values.type, pa.types
    if is_a.is_run_end_encoded(t):
        return column_of_arrow(name, pc.run_end_decode(values))
    if is_a.is_null(t):
        return Column(name, "numeric", np.full(len(values), np.nan))
    if is_a.is_boolean(t):
        codes = _numpy(values.cast(pa.int8()).fill_null(-1)).astype(np.int32)
        return Column(name, "boolean", codes, BOOLEAN_CATEGORIES)
    if is_a.is_floating(t):
        floats = _numpy(values)
        return Column(name, "numeric", floats.astype(np.float32) if floats.dtype == np.float16 else floats)
    if is_a.is_integer(t):
        return Column(name, "numeric", _numpy(values).astype(np.float64, copy=False))
    if is_a.is_decimal(t):
        return Column(name, "numeric", _numpy(values.cast(pa.float64())))
    if is_a.is_temporal(t) and not is_a.is_interval(t):
        return _column_of_moments(name, values)
    if is_a.is_dictionary(t):
        return _column_of_dictionary(name, values)
    if is_a.is_string(t) or is_a.is_large_string(t) or is_a.is_string_view(t):
        return _column_of_text(name, values)
    if is_a.is_nested(t):
        row = next((i for i, valid in enumerate(values.is_valid().to_pylist()) if valid), 0)
        raise KindError(
            f"Column {name!r} holds nested values of Arrow type {t}, first in row {row}. "
            "Cells are numbers, booleans, text, dates or durations. Spread them over columns of their own."
        )
    return column_of_objects(name, values.to_pylist())


def _plain(values: Any) -> Any:
    """One Array instead of a ChunkedArray; a single chunk is not copied."""
    import pyarrow as pa

    if not isinstance(values, pa.ChunkedArray):
        return values
    if values.num_chunks == 1:
        return values.chunk(0)
    if pa.types.is_string(values.type):  # 2³¹ bytes of text and more need wide offsets
        values = values.cast(pa.large_string())
    return values.unify_dictionaries().combine_chunks()


def _numpy(values: Any) -> Array:
    array: Array = values.to_numpy(zero_copy_only=False)  # nulls become NaN
    return array


def _column_of_moments(name: str, values: Any) -> Column:
    import pyarrow as pa

    t, is_a = values.type, pa.types
    if is_a.is_date32(t):
        return Column(name, "numeric", _numpy(values.cast(pa.int32())).astype(np.float64, copy=False), (), DATE)
    per_day = _TICKS_PER_DAY["ms" if is_a.is_date64(t) else t.unit]
    ticks = _numpy(values.cast(pa.int32() if is_a.is_time32(t) else pa.int64()).fill_null(0))
    days = days_of_ticks(ticks, per_day)
    if values.null_count:
        days[_numpy(values.is_null())] = np.nan
    if is_a.is_date64(t):
        return Column(name, "numeric", days, (), DATE)
    if is_a.is_timestamp(t):
        return Column(name, "numeric", days, (), moments_form(ticks, per_day, zoned=t.tz is not None))
    return Column(name, "numeric", days, (), clock_form("time" if is_a.is_time(t) else "duration", ticks, per_day))


def _column_of_text(name: str, values: Any) -> Column:
    """Categories in sorted order, so that row order never matters; Arrow sorts text as Python does."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string_view(values.type):
        values = values.cast(pa.large_string())
    encoded = values.dictionary_encode()
    order = _numpy(pc.array_sort_indices(encoded.dictionary))
    rank = np.full(len(order) + 1, -1, np.int32)  # the last entry serves code −1
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = rank[_numpy(encoded.indices.fill_null(-1))]
    labels = tuple(encoded.dictionary.take(pa.array(order)).to_pylist())
    return Column(name, "nominal", codes, labels, form_of_texts(labels, int((codes >= 0).sum())))


def _column_of_dictionary(name: str, values: Any) -> Column:
    """Declared categories: their order is kept, and levels without rows too."""
    import pyarrow as pa

    indices = values.indices.cast(pa.int64()).fill_null(-1)
    return labelled_column(
        name, _numpy(indices).astype(np.int32), values.dictionary.to_pylist(), ordered=values.type.ordered
    )
