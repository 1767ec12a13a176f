"""Condensing: as few rows as tell the class of all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.row_keys import cells_of as all_cells
from learnt.data.row_keys import row_keys
from learnt.data.table import Array, Table
from learnt.learner.fields import setting
from learnt.neighbors.extent import Extent, cells_of
from learnt.neighbors.selection.instance_based import scaling
from learnt.neighbors.selection.row_selector import RowSelector
from learnt.watch import report


class CondensedNeighbors(RowSelector):
    """Keep a few rows whose nearest neighbours tell the class of all others, then fit a learner to them.

        go through the rows again and again; keep one if the nearest row kept is of another class;
        stop when a pass keeps none

    >>> table = {"x": [0.0, 0.1, 0.2, 0.8, 0.9, 1.0]}
    >>> CondensedNeighbors().select(table, ["a", "a", "a", "b", "b", "b"]).tolist()
    [True, False, False, True, False, False]

    The nearest of the rows kept then gets every row right, but for those that equal rows of another class, of which the
    class of most weight counts. Noise is kept too, all of it: edit
    first (`EditedNeighbors(CondensedNeighbors())`). What is kept depends on the order of the rows. `select` gives the
    mask of the rows, for any learner; `fit` fits `learner` to them; `fit_resample` gives the rows themselves.

    {settings}

    Attributes: `rows_`, the numbers of the rows kept; `n_kept_`, `n_seen_`; `learner_`, fitted.

    Reference: P. E. Hart, The condensed nearest neighbor rule, 1968.
    """

    learner: Any = setting(
        RowSelector.domains["learner"],
        "the classifier fitted to the rows kept; None: the nearest of them answers",
        default=None,
        kw_only=False,
    )

    def _chosen(self, table: Table, target: Array, weights: Array | None) -> Array:
        cells, labels = cells_of(table), np.ascontiguousarray(target, np.int32)
        measured = scaling(Extent.of(table).measure(table.schema))
        kept, out = np.zeros(0, np.int64), ~contradicted_rows(table, target, weights)
        for number in range(table.n_rows):
            before, none = len(kept), np.zeros(len(kept), np.int64)
            seen = np.zeros(int(labels.max()) + 1)
            kept, _, _ = _core.show_instances(
                cells, labels, *measured, "ib2", np.flatnonzero(out), 0, 0, seen, kept, none, none
            )
            out[kept] = False
            report("pass", learner=type(self).__name__, iteration=number + 1, kept=len(kept))
            if len(kept) == before:
                break
        return np.sort(kept)


def contradicted_rows(table: Table, target: Array, weights: Array | None) -> Array:
    """Which rows equal others in all cells that are, by weight, more often of another class: nothing tells them apart,
    so that one of them is wrong whatever is kept. Of equal weights the first class counts."""
    _, row = np.unique(row_keys(all_cells(table)), return_inverse=True)
    row = row.reshape(-1)
    weight = np.zeros((int(row.max(initial=-1)) + 1, int(target.max(initial=-1)) + 1))
    np.add.at(weight, (row, target), 1.0 if weights is None else weights)
    other: Array = weight.argmax(axis=1)[row] != target
    return other
