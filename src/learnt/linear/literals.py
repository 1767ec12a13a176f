"""A table as true and false: what each cell says, for learners that count only which statements hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.lazy import cached_property
from learnt.storable import storable
from learnt.wording import number


@storable
@dataclass(frozen=True, eq=False)
class Literals(Design):
    """One statement per column or category, which holds in a row or not; a missing cell makes none of them hold.

    | kind | statement |
    |---|---|
    | boolean | the cell is true |
    | nominal | the cell is this category, one statement each |
    | numeric, ordinal | the cell, or the rank of its category, is above `center` |
    """

    @classmethod
    def of_bounds(cls, schema: Schema, low: Array, high: Array, mean: Array) -> Literals:
        """Numbers are cut at 0; where they all lie on one side of it, at their mean."""
        m = len(schema)
        numeric = np.array([c.kind in ("numeric", "ordinal") for c in schema], dtype=bool)
        one_sided = numeric & ((low > 0) | (high < 0))
        boolean = np.array([c.kind == "boolean" for c in schema], dtype=bool)
        fill = np.where(numeric, 0.0, -1.0)
        reference = np.where(boolean, 0, -1).astype(np.int32)
        return cls(schema, fill, np.where(one_sided, mean, 0.0), np.ones(m), reference, sparse=True)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """`owned`, `town=Bern`, `age>37`."""
        names: list[str] = []
        for column, cut in zip(self.schema, self.center.tolist(), strict=True):
            if column.kind == "boolean":
                names += [f"{column.name}={column.categories[1]}"] if len(column.categories) > 1 else []
            elif column.kind == "nominal":
                names += [f"{column.name}={label}" for label in column.categories]
            else:
                names.append(f"{column.name}>{number(cut)}")
        return tuple(names)

    def encode(self, table: Table) -> Any:
        """Which statements hold in each row: CSR of ones."""
        from scipy.sparse import csr_matrix

        shape = (table.n_rows, self.n_columns)
        if table.sparse is not None:  # a column with a cell that is not stored is cut at 0
            x = table.sparse
            full = np.flatnonzero(self.center < 0)  # where a cell that is not stored, a 0, holds too
            held = x.data > self.center[x.indices]  # NaN is above nothing
            if not len(full):
                ends = np.append(0, np.cumsum(held))[x.indptr]
                columns = x.indices[held]
                return csr_matrix((np.ones(len(columns)), columns, ends.astype(x.indptr.dtype)), shape=shape)
            rows, columns = np.repeat(np.arange(table.n_rows), np.diff(x.indptr))[held], x.indices[held]
            zeros = (x[:, full].toarray() == 0).nonzero()
            return _ones(np.append(rows, zeros[0]), np.append(columns, full[zeros[1]]), shape)
        rows_of, columns_of = [], []
        for j, column in enumerate(table.columns):
            start, kind = int(self.starts[j]), column.kind
            if kind == "boolean":
                held, at = column.values == 1, start
            elif kind == "nominal":
                held = column.values >= 0
            else:
                held, at = column.values > self.center[j], start  # a missing cell is NaN or −1
                held &= ~column.missing
            where = np.flatnonzero(held)
            rows_of.append(where)
            columns_of.append(start + column.values[where] if kind == "nominal" else np.full(len(where), at))
        if not rows_of:
            return csr_matrix(shape)
        return _ones(np.concatenate(rows_of), np.concatenate(columns_of), shape)


def _ones(rows: Array, columns: Array, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_matrix

    found = csr_matrix((np.ones(len(rows)), (rows, columns.astype(np.int32))), shape=shape)
    found.sort_indices()
    return found
