"""Tables as Arrow: what pyarrow itself makes of the same cells."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa

from learnt.data import Table
from learnt.data.convert.arrow_out import arrow_cells, to_arrow


def test_cells_are_those_that_pyarrow_makes_of_the_lists():
    cells = {
        "number": [1.5, None, -2.0],
        "text": ["b", None, "a"],
        "flag": [True, None, False],
        "day": [date(2024, 5, 1), None, date(1969, 1, 1)],
        "moment": [datetime(2024, 5, 1, 12, 30, 15), None, datetime(2000, 1, 1)],
        "length": [timedelta(hours=30), None, timedelta(seconds=1)],
    }
    found = to_arrow(Table(cells))
    assert found.to_pydict() == pa.table(cells).to_pydict()
    assert found.schema.field("day").type == pa.date32()


def test_order_is_told_and_labels_keep_their_type():
    table = Table({"size": ["S", "L"], "floor": [2, 1]}, ordinal={"size": ["S", "M", "L"]}, kinds={"floor": "nominal"})
    size, floor = (arrow_cells(column) for column in table.columns)
    assert size.type.ordered
    assert size.dictionary.to_pylist() == ["S", "M", "L"]
    assert not floor.type.ordered
    assert floor.to_pylist() == [2, 1]


def test_numbers_without_missing_cells_are_not_copied():
    values = np.arange(5.0)
    column = Table({"x": values}).columns[0]
    assert arrow_cells(column).buffers()[1].address == column.values.ctypes.data


def test_rows_without_columns_are_counted():
    assert to_arrow(Table.of_columns([], n_rows=7)).num_rows == 7
