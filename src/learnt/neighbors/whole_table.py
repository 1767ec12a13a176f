"""All rows of a table at once, for learners that compare rows with each other."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.neighbors.k_neighbors.learner import TakeWhole

Rows = tuple[Table, Array, Array | None, Array]


def take_whole(training: Training, owner: str) -> Generator[Pass, Any, Rows]:
    """The rows that count, their target and weights (None if all are 1), and their numbers in the table."""
    if not training.in_memory:
        raise InputError(whole_table_needed(owner))
    batch = (yield TakeWhole()).batch
    table, y, w = batch.table, batch.target, batch.weights
    if table.sparse is not None:
        table = Table.of_columns(table.columns, named=table.schema.named)
    numbers = np.arange(table.n_rows, dtype=np.int64)
    if w is not None and not w.all():
        numbers = np.flatnonzero(w)
        table, y, w = table.take(numbers), y[numbers], w[numbers]
    return table, y, None if w is None or bool(np.all(w == 1)) else w, numbers


def whole_table_needed(owner: str) -> str:
    return (
        f"{owner} was given a scan. It compares rows with each other, which must be in memory. "
        "Read the files into a table, or a part of them."
    )
