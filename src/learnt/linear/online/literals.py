"""A table as true and false: what each cell says, for learners that count only which statements hold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from learnt.data.convert import to_vector
from learnt.data.design import Design
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.lazy import cached_property
from learnt.linear.online.number_cuts import Cuts
from learnt.prepare import interval_labels
from learnt.show.numbers import number
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class Literals(Design):
    """Statements about the cells of a row, which hold or not; a missing cell makes none of its column hold.

    | kind | statements |
    |---|---|
    | boolean | the cell is true |
    | nominal, ordinal | the cell is this category, one each |
    | numeric | the cell lies in this interval, one each but for the `silent` one |

    `cuts` are those of all numeric columns, one column after the other; `n_cuts` says how many are whose.
    """

    cuts: Array
    n_cuts: Array
    silent: Array  # the number of the interval that says nothing, −1 for none

    def __post_init__(self) -> None:
        super().__post_init__()
        m = len(self.schema)
        if self.n_cuts.shape != (m,) or self.silent.shape != (m,) or self.cuts.shape != (int(self.n_cuts.sum()),):
            raise ValueError("Statements about numbers need one count of cuts and one silent interval per column.")
        if np.any(self.n_cuts < 0) or np.any(self.silent < -1) or np.any(self.silent > self.n_cuts):
            raise ValueError("A silent interval is out of range.")
        sizes = np.array([len(c.categories) for c in self.schema], dtype=np.int64)
        numeric = np.array([c.kind == "numeric" for c in self.schema], dtype=bool)
        boolean = np.array([c.kind == "boolean" for c in self.schema], dtype=bool)
        numbers = self.n_cuts + 1 - (self.silent >= 0)
        widths = np.where(numeric, numbers, np.where(boolean, np.maximum(sizes - 1, 0), sizes))
        object.__setattr__(self, "_widths", widths.astype(np.int64))

    @classmethod
    def of(cls, schema: Schema, found: list[Cuts | None]) -> Literals:  # type: ignore[override]
        """With the cuts of each numeric column, None for the others."""
        m = len(schema)
        numeric = np.array([c.kind in ("numeric", "ordinal") for c in schema], dtype=bool)
        boolean = np.array([c.kind == "boolean" for c in schema], dtype=bool)
        given = [cuts for cuts in found if cuts is not None]
        return cls(
            schema,
            np.where(numeric, 0.0, -1.0),
            np.zeros(m),
            np.ones(m),
            np.where(boolean, 0, -1).astype(np.int32),
            sparse=True,
            cuts=np.concatenate([c.at for c in given]) if given else np.zeros(0),
            n_cuts=np.array([0 if c is None else len(c.at) for c in found], np.int64),
            silent=np.array([-1 if c is None else c.silent for c in found], np.int64),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """`owned=True`, `town=Bern`, `age in (30, 40]`, `rooms>0`."""
        names: list[str] = []
        for j, column in enumerate(self.schema):
            if column.kind == "boolean":
                names += [f"{column.name}={label}" for label in column.categories[1:]]
            elif column.kind != "numeric":
                names += [f"{column.name}={label}" for label in column.categories]
            else:
                names += self._interval_names(column, self._cuts_of(j), int(self.silent[j]))
        return tuple(names)

    @staticmethod
    def _interval_names(column: ColumnSchema, cuts: Array, silent: int) -> list[str]:
        name = column.name
        if silent < 0:
            return [f"{name} in {interval}" for interval in interval_labels(cuts, column.form)]
        below = [f"{name}<0"] if silent else []  # see `Cuts`: what is silent is 0, or the smaller of two values
        return below + [f"{name}>{number(cut)}" for cut in cuts[silent:].tolist()]

    @cached_property
    def _first_cut(self) -> tuple[int, ...]:
        return tuple(accumulate(self.n_cuts.tolist(), initial=0))

    def _cuts_of(self, j: int) -> Array:
        return self.cuts[self._first_cut[j] : self._first_cut[j + 1]]

    def encode(self, table: Table) -> Any:
        """Which statements hold in each row: CSR of ones."""
        if table.sparse is not None:
            return self._of_sparse(table)
        parts = [self._held_statements(j, column.values, column.missing) for j, column in enumerate(table.columns)]
        return self._ones(parts, table.n_rows)

    def _held_statements(self, j: int, values: Array, missing: Array) -> tuple[Array, Array]:
        """The rows in which a statement about column j holds, and which one."""
        start, kind = int(self.starts[j]), self.schema.columns[j].kind
        if kind == "numeric":
            interval, silent = np.searchsorted(self._cuts_of(j), values), int(self.silent[j])
            rows = np.flatnonzero((interval != silent) & ~missing)
            place = interval[rows]
            return rows, start + place - ((place > silent) if silent >= 0 else 0)
        first = int(kind == "boolean")  # of which false says nothing
        rows = np.flatnonzero(values >= first)
        return rows, start + values[rows] - first

    def statement(self, j: int, cell: Any) -> int | None:
        """The statement that a cell of column j, as the user sees it, makes true."""
        column = self.schema.columns[j]
        if column.kind == "numeric":
            value = to_vector([cell], column.name).values.astype(np.float64)  # a date, say
        else:
            labels = list(column.categories)
            value = np.array([labels.index(cell) if cell in labels else -1])
        held = self._held_statements(j, value, np.isnan(value))[1]
        return int(held[0]) if len(held) else None

    def _of_sparse(self, table: Table) -> Any:
        """Columns whose zeros say nothing by what is stored; the others, which hold few zeros, as dense ones."""
        x = table.sparse
        assert x is not None
        numbers = np.arange(len(self.schema))
        negative = np.bincount(np.repeat(numbers, self.n_cuts), self.cuts < 0, len(numbers))
        quiet = (negative == self.silent) & (self.n_cuts <= 2)
        first = np.asarray(self._first_cut[:-1])
        low, high = (
            np.where(self.n_cuts > k, np.append(self.cuts, np.inf)[np.minimum(first + k, len(self.cuts))], np.inf)
            for k in (0, 1)
        )
        at = x.indices
        interval = (x.data > low[at]).astype(np.int64) + (x.data > high[at])
        held = np.flatnonzero((interval != self.silent[at]) & quiet[at] & ~np.isnan(x.data))
        rows = np.repeat(np.arange(table.n_rows), np.diff(x.indptr))[held]
        column, place = at[held], interval[held]
        parts = [(rows, self.starts[column] + place - (place > self.silent[column]))]
        loud = np.flatnonzero(~quiet)
        for j, cells in zip(loud.tolist(), x[:, loud].toarray().T if len(loud) else (), strict=True):
            parts.append(self._held_statements(j, cells, np.isnan(cells)))
        return self._ones(parts, table.n_rows)

    def _ones(self, parts: list[tuple[Array, Array]], n_rows: int) -> Any:
        from scipy.sparse import csr_matrix

        shape = (n_rows, self.n_columns)
        if not parts:
            return csr_matrix(shape)
        rows, columns = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        found = csr_matrix((np.ones(len(rows)), (rows, columns.astype(np.int32))), shape=shape)
        found.sort_indices()
        return found
