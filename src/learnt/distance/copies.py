"""Rows and their copies: 0 apart, also where a metric puts a row with missing cells at a distance from itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.row_keys import cells_of, row_keys
from learnt.data.table import Array, Table


def groups_of_copies(table: Table) -> list[Array]:
    """The places of rows that stand there more than once and have missing cells, copies together."""
    gappy = np.flatnonzero(_gappy(table))
    if len(gappy) < 2:
        return []
    _, group = np.unique(row_keys(cells_of(table.take(gappy))), return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    groups = np.split(gappy[order], np.flatnonzero(np.diff(group.reshape(-1)[order])) + 1)
    return [rows for rows in groups if len(rows) > 1]


def _gappy(table: Table) -> Any:
    if table.sparse is not None:
        return np.zeros(table.n_rows, bool)
    if table.matrix is not None:
        return np.isnan(table.matrix).any(axis=1)
    return np.any([column.missing for column in table.columns], axis=0)
