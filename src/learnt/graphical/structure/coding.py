"""Columns as codes: categories as they are, numbers by the interval that holds them, −1 where a cell is missing."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.notes import Note
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.engines import Request
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, TakeWhole, WholeTable
from learnt.prepare import Ends, FindEnds, equal_width, find_cuts, interval_labels
from learnt.show.words import list_of

#: How numeric columns may be cut, as a `Discretizer` does.
STRATEGIES = ("width", "frequency", "mdl")

SORTS = InMemory("sorts numeric columns to cut them", "cut them by bins='width'")


def find_edges(
    training: Training, strategy: str, n_bins: int, n_classes: int, owner: str
) -> Generator[Request, Any, dict[str, Array]]:
    """Smallest cell, cuts and largest cell of each numeric column; nothing of one without cells."""
    numeric = [c.name for c in training.schema if c.kind == "numeric"]
    if not numeric:
        return {}
    if strategy != "width":
        SORTS.check(training.source, f"{owner} with bins={strategy!r}")
    found: Ends = yield FindEnds()
    ends = [pair[np.isfinite(pair)] for pair in found.ends]
    if strategy == "width":
        cuts = [equal_width(pair, n_bins) for pair in ends]
    else:
        rows: WholeTable = yield TakeWhole()
        cuts = find_cuts(rows.batch, strategy, n_bins, n_classes)
    return {
        name: np.concatenate([pair[:1], cut, pair[1:]]).astype(np.float64)
        for name, pair, cut in zip(numeric, ends, cuts, strict=True)
    }


def column_states(column: ColumnSchema, edges: Mapping[str, Array]) -> tuple[Any, ...]:
    """The labels of a column's codes."""
    return column.categories if column.coded else interval_labels(edges[column.name][1:-1], column.form)


def count_states(schema: Schema, edges: Mapping[str, Array]) -> Array:
    """How many states each column has; one without a single cell counts as constant."""
    return np.array([max(len(column_states(c, edges)), 1) for c in schema], np.int32)


def column_codes(column: Column, edges: Array | None) -> Array:
    """The code of each cell, int32, −1 for a missing one."""
    if column.kind != "numeric":
        return column.values
    assert edges is not None
    codes = np.searchsorted(edges[1:-1], column.values).astype(np.int32)
    codes[np.isnan(column.values)] = -1
    return codes


def table_codes(table: Table, edges: Mapping[str, Array], target: Array | None = None) -> Array:
    """Codes as columns × rows, int32, those of the target last."""
    codes = np.empty((table.n_columns + (target is not None), table.n_rows), np.int32)
    for j, column in enumerate(table.columns):
        codes[j] = column_codes(column, edges.get(column.name))
    if target is not None:
        codes[-1] = target
    return codes


def cutting_notes(names: Sequence[str], strategy: str, n_bins: int) -> tuple[Note, ...]:
    """What was done to numeric columns, in a sentence."""
    if not names:
        return ()
    how = {
        "width": f"up to {n_bins} intervals of equal width",
        "frequency": f"up to {n_bins} intervals of equally many rows",
        "mdl": "intervals where the class changes",
    }[strategy]
    which = f"Column {names[0]!r} is" if len(names) == 1 else f"Columns {list_of([repr(n) for n in names], most=6)} are"
    return (Note(None, f"{which} cut into {how}, as by a Discretizer."),)
