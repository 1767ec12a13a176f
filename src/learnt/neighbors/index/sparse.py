"""Neighbours of sparse rows: texts as counts of words, and other tables that are mostly zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.distance.space import Lists, Space, safe_scale
from learnt.distance.sparse_rows import as_csr, cells_of, check_sparse, largest_cells, without_direction
from learnt.errors import InputError
from learnt.neighbors.index.dense import CoordinateIndex
from learnt.neighbors.index.rebuilt import Rebuilt


class SparseIndex(Rebuilt, CoordinateIndex):
    """Every row compared with every query by the cells they store; survivors of a guess measured exactly.

    Distances have the bits they would have if all zeros were written out.
    """

    kind, built = "brute", "_rows"

    def __init__(self, rows: Any, space: Space, why: str):
        check_sparse(space)
        x = as_csr(rows, space)
        self.space, self.why, self.n_rows, self._columns = space, why, x.shape[0], x.shape[1]
        self._nowhere = without_direction(space, x)
        if self._nowhere is not None:  # a direction of their own, in a column more
            x = _with_column(x, self._nowhere)
        self.n_columns = x.shape[1]
        if self.n_rows == 0:
            raise InputError("There are no rows to look among. Give at least one.")
        self._scale = safe_scale(x.data, space)
        self._cells = cells_of(x, self._scale)
        own = rows.sparse if isinstance(rows, Table) else rows
        self._shared = isinstance(getattr(own, "data", None), np.ndarray) and np.may_share_memory(
            self._cells[0], own.data
        )
        self._build()

    def _build(self) -> None:
        kind = _core.SparseRows32 if self._cells[0].dtype == np.float32 else _core.SparseRows64
        self._rows = kind(*self._cells, self.n_columns, self.space.weights)

    @property
    def nbytes(self) -> int:
        own = self._cells[2:] if self._shared else self._cells
        return int(self._rows.bytes()) + sum(part.nbytes for part in own)

    def _encoded(self, X: Any) -> tuple[Any, int]:
        q = as_csr(X, self.space).astype(np.float64, copy=False)
        if q.shape[1] != self._columns:
            raise InputError(f"The rows asked about have {q.shape[1]} columns, those of the index {self._columns}.")
        if self._nowhere is not None:
            q = _with_column(q, np.zeros(q.shape[0], dtype=bool))
        return q, q.shape[0]

    def _without_direction(self, q: Any) -> Array | None:
        return without_direction(self.space, q)

    def _too_far(self, q: Any) -> Array | None:
        far: Array = self._largest(q) > self._farthest
        return far if far.any() else None

    def _largest(self, q: Any) -> Array:
        return largest_cells(q)

    def _for_far(self, q: Any) -> SparseIndex:
        index = object.__new__(SparseIndex)
        index.__dict__.update(self.__dict__)
        index._scale = safe_scale(q.data, self.space)
        index._cells = (self._cells[0].astype(np.float64) * (index._scale / self._scale), *self._cells[1:])
        index._build()
        return index

    def _ask(self, q: Any, skip: Array | None, distances: Array, rows: Array) -> None:
        self._rows.nearest(*cells_of(q, 1.0), skip, distances, rows)

    def _ask_within(self, q: Any, radii: Array, skip: Array | None) -> Lists:
        return self._rows.within(*cells_of(q, 1.0), skip, radii)


def _with_column(x: Any, ones: Array) -> Any:
    """Sparse rows with a column more, 1 where told."""
    from scipy.sparse import csr_array, hstack

    return hstack([x, csr_array(ones.astype(x.dtype)[:, None])], format="csr")
