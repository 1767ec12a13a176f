"""An alternating tree as flat arrays: what predicts, explains, prints and is saved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import SavedModelError
from learnt.storable import Codes, FiniteNumbers, Numbers, storable
from learnt.tree.show.conditions import Among, Between, Condition


@storable
@dataclass(frozen=True, eq=False)
class AlternatingTree:
    """Prediction nodes and the tests below them. Node 0 is the root; test t leads to the nodes 2t + 1 and 2t + 2.

    A cell up to the threshold, or of the category, goes to the first of the two, any other known one to the second, a
    missing one to neither.

    | field | meaning |
    |---|---|
    | `above` | of each test: the prediction node it hangs below |
    | `column` | of each test: the column it asks about |
    | `threshold`, `code` | of each test: where a number is cut, or the code of the category; NaN and −1 for the other |
    | `gain` | of each test: by how much it lowered the bound of the training error, as a share of it |
    | `value` | of each prediction node: what it adds to the score |
    | `weight` | of each prediction node: the training weight that reached it |
    """

    above: Codes
    column: Codes
    threshold: Numbers
    code: Codes
    gain: FiniteNumbers
    value: FiniteNumbers
    weight: FiniteNumbers

    def __post_init__(self) -> None:
        n = len(self.above)
        per_test = (self.column, self.threshold, self.code, self.gain)
        fits = all(a.shape == (n,) for a in per_test) and all(
            a.shape == (2 * n + 1,) for a in (self.value, self.weight)
        )
        if not fits or np.any(self.above < 0) or np.any(self.above > 2 * np.arange(n)) or np.any(self.column < 0):
            raise ValueError("The tests of the alternating tree do not fit together.")
        if np.any(np.isnan(self.threshold) != (self.code >= 0)):
            raise ValueError("A test of the alternating tree has neither a threshold nor a category, or both.")

    @property
    def n_tests(self) -> int:
        return len(self.above)

    def reached(self, table: Table) -> Array:
        """Which prediction nodes each row reaches, nodes × rows, as booleans."""
        reach = np.zeros((len(self.value), table.n_rows), dtype=bool)
        reach[0] = True
        cells: dict[int, tuple[Array, Array]] = {}
        for t, j in enumerate(self.column.tolist()):
            if j not in cells:
                cells[j] = _known_cells(table.columns[j])
            values, known = cells[j]
            yes = values == self.code[t] if self.code[t] >= 0 else values <= self.threshold[t]
            here = reach[self.above[t]] & known
            np.logical_and(here, yes, out=reach[2 * t + 1])
            np.logical_and(here, ~yes, out=reach[2 * t + 2])
        return reach

    def scores(self, table: Table) -> Array:
        """The sum of the nodes each row reaches, added in their order: a row's bits do not depend on its neighbours."""
        total = np.zeros(table.n_rows)
        for value, here in zip(self.value.tolist(), self.reached(table), strict=True):
            total += np.where(here, value, 0.0)
        return total

    def condition(self, t: int, schema: Schema, *, second: bool) -> Condition:
        """What a cell must be to reach the first or the second node of a test."""
        column = schema.columns[self.column[t]]
        if self.code[t] >= 0:
            return Among(column.name, (column.categories[self.code[t]],), negated=second)
        cut = float(self.threshold[t])
        end = cut if column.kind == "numeric" else column.categories[int(np.floor(cut))]
        low, high = (end, None) if second else (None, end)
        return Between(column.name, low, high, form=column.form if column.kind == "numeric" else None)

    def tests_below(self) -> list[list[int]]:
        """Per prediction node the tests that hang below it."""
        below: list[list[int]] = [[] for _ in self.value]
        for t, i in enumerate(self.above.tolist()):
            below[i].append(t)
        return below

    def check_columns(self, schema: Schema) -> None:
        """Refuse tests of columns, or categories, that `schema` does not have."""
        for j, code, cut in zip(self.column.tolist(), self.code.tolist(), self.threshold.tolist(), strict=True):
            if j >= len(schema):
                raise SavedModelError("The alternating tree asks about a column that is not there.")
            column = schema.columns[j]
            nominal, size = column.kind in ("nominal", "boolean"), len(column.categories)
            ordinal = column.kind not in ("nominal", "boolean", "numeric")
            if nominal != (code >= 0) or code >= size or (ordinal and not 0 <= cut < size):
                raise SavedModelError("A test of the alternating tree does not fit its column.")


def _known_cells(column: Column) -> tuple[Array, Array]:
    return column.values, ~column.missing
