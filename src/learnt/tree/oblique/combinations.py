"""Sums of a few columns as columns of their own, which a tree tests like any other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import SavedModelError
from learnt.lazy import cached_property
from learnt.show.numbers import MINUS, number
from learnt.show.words import printable
from learnt.storable import Codes, FiniteNumbers, storable
from learnt.tree.show.conditions import word


@dataclass(frozen=True, slots=True)
class Term:
    """A number, or with `code` whether a cell is of that category (1 or 0); `fill` stands for a missing cell."""

    column: int
    code: int
    fill: float
    scale: float  # the standard deviation

    def cells(self, column: Column) -> tuple[Array, Array]:
        """The term without its coefficient, and which cells are missing."""
        missing = column.missing
        values = (column.values == self.code).astype(np.float64) if self.code >= 0 else column.values
        return np.where(missing, self.fill, values), missing

    def name(self, schema: Schema) -> str:
        """`age`, or `[town is Bern]`."""
        column = schema.columns[self.column]
        name = printable(column.name)
        return f"[{name} is {word(column.categories[self.code])}]" if self.code >= 0 else name


@storable
@dataclass(frozen=True, eq=False)
class Combinations:
    """Σ coef · term, for each combination.

    | field | meaning |
    |---|---|
    | `start` | where the terms of each combination begin, and at the end their number |
    | `column`, `code` | of each term: the table's column; the category that it asks for, or −1 for its number |
    | `coef` | of each term: what it is multiplied by |
    | `fill`, `scale` | of each term: its mean over the training rows, for missing cells, and its deviation |
    """

    start: Codes
    column: Codes
    code: Codes
    coef: FiniteNumbers
    fill: FiniteNumbers
    scale: FiniteNumbers

    def __post_init__(self) -> None:
        n = len(self.coef)
        fits = all(a.shape == (n,) for a in (self.column, self.code, self.coef, self.fill, self.scale))
        fits = fits and self.start.ndim == 1 and len(self.start) > 0 and self.start[0] == 0 and self.start[-1] == n
        if not fits or np.any(np.diff(self.start) < 1) or np.any(self.column < 0):
            raise ValueError("The terms of the combinations do not fit together.")

    @classmethod
    def of(cls, sums: list[tuple[tuple[Term, float], ...]]) -> Self:
        terms = [term for one in sums for term, _ in one]
        return cls(
            np.cumsum([0, *(len(one) for one in sums)]).astype(np.int32),
            np.array([term.column for term in terms], np.int32),
            np.array([term.code for term in terms], np.int32),
            np.array([coef for one in sums for _, coef in one], np.float64),
            np.array([term.fill for term in terms], np.float64),
            np.array([term.scale for term in terms], np.float64),
        )

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def sums(self) -> list[tuple[tuple[Term, float], ...]]:
        """Per combination its terms with their coefficients."""
        fields = (self.column.tolist(), self.code.tolist(), self.fill.tolist(), self.scale.tolist())
        terms = list(zip(map(Term, *fields), self.coef.tolist(), strict=True))
        return [tuple(terms[a:b]) for a, b in zip(self.start[:-1].tolist(), self.start[1:].tolist(), strict=True)]

    def schema_behind(self, schema: Schema) -> Schema:
        """The columns of a table, and behind them the combinations, named by their formulas."""
        names = list(schema.names)
        for one in self.sums:
            name = formula(one, schema)
            while name in names:
                name += "′"
            names.append(name)
        added = tuple(ColumnSchema(name, "numeric") for name in names[len(schema) :])
        return Schema((*schema.columns, *added), schema.named)

    def spread(self, table: Table, schema: Schema) -> Table:
        """The table with a column for each combination; `schema` is that of `schema_behind`."""
        if not len(self):
            return table
        columns = table.columns
        added = [
            Column(entry.name, "numeric", sum_values(one, columns))
            for entry, one in zip(schema.columns[len(columns) :], self.sums, strict=True)
        ]
        return Table.of_columns([*columns, *added], named=schema.named)

    def shares(self, row: Table) -> Array:
        """How what a combination does is divided among the columns, combinations × columns: by the sizes of its terms
        in a table's only row, each against its mean; equally where all are at their means."""
        out = np.zeros((len(self), row.n_columns))
        for k, one in enumerate(self.sums):
            size = np.array([abs(b * (float(t.cells(row.columns[t.column])[0][0]) - t.fill)) for t, b in one])
            size = size / size.sum() if size.sum() > 0 else np.full(len(one), 1 / len(one))
            np.add.at(out[k], [term.column for term, _ in one], size)
        return out

    def scale_shares(self, n_columns: int) -> Array:
        """The same by the deviations of the terms: how much they count over all rows."""
        out = np.zeros((len(self), n_columns))
        for k, one in enumerate(self.sums):
            size = np.array([abs(b * term.scale) for term, b in one])
            np.add.at(out[k], [term.column for term, _ in one], size / size.sum())
        return out

    def check_columns(self, schema: Schema) -> None:
        """Refuse terms that `schema` does not have."""
        for one in self.sums:
            for term, b in one:
                if term.column >= len(schema):
                    raise SavedModelError("A combination speaks of a column that is not there.")
                column = schema.columns[term.column]
                number_, size = column.kind == "numeric", len(column.categories)
                if number_ != (term.code < 0) or term.code >= max(size, 1) or not abs(b) * term.scale > 0:
                    raise SavedModelError("A combination does not fit its columns.")


def sum_values(one: tuple[tuple[Term, float], ...], columns: tuple[Column, ...]) -> Array:
    """Term by term, each row by itself. Missing cells count as the mean of their column; a row that has none of the
    cells is missing."""
    total, nothing = np.zeros(len(columns[0])), np.ones(len(columns[0]), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for term, coef in one:
            values, missing = term.cells(columns[term.column])
            total += coef * values
            nothing &= missing
    total[nothing | np.isnan(total)] = np.nan
    return np.clip(total, -np.finfo(np.float64).max, np.finfo(np.float64).max)


def formula(one: tuple[tuple[Term, float], ...], schema: Schema) -> str:
    """`petallength + 0.521 · petalwidth − 1.2 · [town is Bern]`."""
    text = ""
    for term, coef in one:
        factor = "" if abs(coef) == 1 else f"{number(abs(coef))} · "
        sign = MINUS if coef < 0 else "+"
        text += (f" {sign} " if text else MINUS if coef < 0 else "") + factor + term.name(schema)
    return text
