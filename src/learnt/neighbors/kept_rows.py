"""The rows a learner keeps to find neighbours among, as a file can hold them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import SavedModelError
from learnt.lazy import cached_property
from learnt.neighbors.kept_sparse import KeptSparse
from learnt.storable import storable


@storable
@dataclass(frozen=True)
class KeptRows:
    """A copy of the rows that count: one matrix where all columns are numbers, `sparse` if they came so, else an array
    for each column.

    `numbers` are the places of these rows in the table that was fitted, None if they are all of it.
    """

    schema: Schema
    matrix: Array | None
    cells: tuple[Array, ...]
    numbers: Array | None
    n_fitted: int
    sparse: KeptSparse | None = None

    @classmethod
    def of(cls, table: Table, weights: Array | None) -> KeptRows:
        numbers = None if weights is None or weights.all() else np.flatnonzero(weights)
        some = table if numbers is None else table.take(numbers)
        if some.sparse is not None:
            return cls(table.schema, None, (), numbers, table.n_rows, KeptSparse.of(some.sparse))
        if table.schema.all_numeric:
            return cls(table.schema, _matrix(some), (), numbers, table.n_rows)
        # Numbers in one precision: the same cells make the same model, whatever they came in.
        cells = tuple(np.array(c.values, dtype=np.int32 if c.schema.coded else np.float64) for c in some.columns)
        return cls(table.schema, None, cells, numbers, table.n_rows)

    @property
    def n_rows(self) -> int:
        if self.sparse is not None:
            return self.sparse.n_rows
        return len(self.matrix) if self.matrix is not None else len(self.cells[0])

    @cached_property
    def table(self) -> Table:
        whole = self.matrix if self.sparse is None else self.sparse.matrix(len(self.schema))
        if whole is not None:
            return Table.of_matrix(whole, self.schema.names, named=self.schema.named)
        columns = [Column.like(c, v) for c, v in zip(self.schema, self.cells, strict=True)]
        return Table.of_columns(columns, named=self.schema.named)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a cell is missing; of sparse rows none is, or no index takes them."""
        if self.sparse is not None:
            return False
        if self.matrix is not None:
            return bool(np.isnan(self.matrix).any())
        return any(bool(column.missing.any()) for column in self.table.columns)

    def named(self, rows: Array) -> Array:
        """Rows by their numbers in the table that was fitted."""
        return rows if self.numbers is None else self.numbers[rows]

    def check(self, schema: Schema) -> None:
        """Raise if a file holds rows that no table has."""
        parts = self.cells if self.matrix is None else (self.matrix,)
        if self.schema != schema or (self.matrix is None and self.sparse is None) == schema.all_numeric:
            raise SavedModelError("The rows kept are not of the fitted columns.")
        if self.sparse is not None:
            self.sparse.check(len(schema))
            right = self.matrix is None and self.cells == ()
        elif self.matrix is not None:
            right = self.cells == () and self.matrix.shape[1:] == (len(schema),) and self.matrix.ndim == 2
            right = right and self.matrix.dtype in (np.float32, np.float64)
        else:
            right = len(parts) == len(schema) and all(v.shape == parts[0].shape and v.ndim == 1 for v in parts)
            right = right and all(_legal(v, c.coded, len(c.categories)) for v, c in zip(parts, schema, strict=True))
        if not right or self.n_rows == 0 or self.n_rows > self.n_fitted:
            raise SavedModelError("The rows kept do not fit the columns.")
        for values in parts:
            if values.dtype.kind == "f" and np.isinf(values).any():
                raise SavedModelError("The rows kept have infinite cells.")
        if self.numbers is None:
            right = self.n_rows == self.n_fitted
        else:
            right = self.numbers.shape == (self.n_rows,) and self.numbers.dtype == np.int64
            right = right and self.numbers[0] >= 0 and self.numbers[-1] < self.n_fitted
            right = right and bool(np.all(np.diff(self.numbers) > 0))
        if not right:
            raise SavedModelError("The numbers of the rows kept do not fit the rows.")


def _matrix(table: Table) -> Array:
    """The cells, copied: what the user does to an array afterwards does not reach the model."""
    if table.matrix is not None:
        return np.array(
            table.matrix, dtype=np.promote_types(table.matrix.dtype.newbyteorder("="), np.float32), order="C"
        )
    return np.ascontiguousarray(np.column_stack([c.values for c in table.columns]), dtype=np.float64)


def _legal(values: Array, coded: bool, n_categories: int) -> bool:
    if not coded:
        return bool(values.dtype == np.float64)
    return values.dtype == np.int32 and (values.size == 0 or bool(values.min() >= -1 and values.max() < n_categories))
