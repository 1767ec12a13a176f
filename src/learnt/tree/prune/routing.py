"""Sending rows down a tree whose tests are moved about: what raising subtrees needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import column_cells, walked_fields

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """Where rows ended: one entry per row and leaf it reached, with the part of its weight that did."""

    leaf: Array
    row: Array
    weight: Array


class Router:
    """Tests of a tree applied to rows of a table.

    A place in the tree may hold the test of another one: `source[i]` says whose test stands at `i`, and
    with it whose children; −1 makes `i` a leaf. Pruning moves tests about by changing `source` alone.
    """

    def __init__(self, tree: TreeArrays, table: Table):
        self.source = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
        cells = [column_cells(column) for column in table.columns]
        self.cuts_rows = _cuts_rows(tree, cells)
        self._sender = _core.RowSender(**walked_fields(tree, table.schema), x=cells, rows=table.n_rows)

    def send(
        self, start: int, row: Array, weight: Array, *, own_shares: bool = False, unknown: Array | None = None
    ) -> Sent:
        """Rows sent from node `start` to the leaves below it: leaves of fewer tests first.

        A row whose cell is missing goes the way the tree says. Where that is to all children, it is cut in
        proportion to the tree's training weights, or with `own_shares` to the rows now sent. `unknown`, one
        number per node, is added the weight that met a test without knowing its cell.
        """
        weight = np.ascontiguousarray(weight, np.float64)
        return Sent(*self._sender.send(self.source, int(start), row, weight, own_shares, unknown))


def merge_entries(row: Array, weight: Array) -> tuple[Array, Array]:
    """Entries of one row made one: rows in order, each with the sum of its weights."""
    rows, place = np.unique(row, return_inverse=True)
    return rows, np.bincount(place, weight, len(rows))


def _cuts_rows(tree: TreeArrays, cells: list[Array]) -> bool:
    """Whether some row may have to be cut up, since its cell is missing where it is tested."""
    spread = np.unique(tree.feature[~tree.is_leaf & (tree.missing < 0)])
    return any(bool(_missing(cells[int(j)]).any()) for j in spread)


def _missing(cells: Array) -> Array:
    absent: Array = cells < 0 if cells.dtype.kind == "i" else np.isnan(cells)
    return absent
