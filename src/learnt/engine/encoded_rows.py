"""Rows as a matrix, a block at a time: the matrix of a mixed table never exists as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch

#: Rows encoded at a time.
ENCODED_ROWS = 16_384


def encoded_rows(batch: Batch, design: Design | None, n_rows: int = ENCODED_ROWS) -> Iterator[tuple[Any, Batch]]:
    """The matrix, dense or CSR, of some rows, and those rows; at least one block, if only an empty one.

    `design` None takes the matrix of numbers that is there already, at once and unchecked.
    """
    if design is None:
        assert batch.table.matrix is not None
        yield batch.table.matrix, batch
        return
    for start in range(0, max(batch.n_rows, 1), n_rows):
        part = batch.rows(start, start + n_rows)
        yield design.encode(part.table), part


def dense(x: Any) -> Array:
    """A matrix with all its zeros."""
    array: Array = x if isinstance(x, np.ndarray) else x.toarray()
    return array
