"""Which rows conditions cover, for many conditions on one table: the rows of a category are found without a search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from learnt.data.schema import Label
from learnt.data.table import Array, Column, Table
from learnt.tree.show.conditions import Among, Condition

MOST_KEPT = 1 << 26  # bytes of answers kept for conditions that come again


class TestedCells:
    """A table whose conditions are tested again and again."""

    __test__ = False  # no test class, whatever its name begins with

    def __init__(self, table: Table):
        self.table = table
        self._by_code: dict[str, RowsByCode] = {}
        self._kept: dict[Condition, Array] = {}

    def covered(self, conditions: Sequence[Condition]) -> Array:
        """The rows that fulfil all conditions, in rising order."""
        first = next((c for c in conditions if self._is_listed(c)), None)
        rows = np.arange(self.table.n_rows) if first is None else self._listed(first)
        for condition in conditions:
            if condition is not first:
                rows = rows[self.test(condition)[rows]]
        return rows

    def test(self, condition: Condition) -> Array:
        """Which rows fulfil a condition, as booleans."""
        if condition in self._kept:
            return self._kept[condition]
        if self._is_listed(condition):
            fits = np.zeros(self.table.n_rows, dtype=bool)
            fits[self._listed(condition)] = True
            return fits
        fits = condition.test(self.table)
        if (len(self._kept) + 1) * self.table.n_rows <= MOST_KEPT:
            self._kept[condition] = fits
        return fits

    @staticmethod
    def _is_listed(condition: Condition) -> bool:
        """Whether its rows are those of some categories."""
        return isinstance(condition, Among) and bool(condition.labels) and not condition.negated

    def _listed(self, condition: Condition) -> Array:
        assert isinstance(condition, Among)
        if condition.column not in self._by_code:
            self._by_code[condition.column] = RowsByCode(self.table[condition.column])
        return self._by_code[condition.column].rows(condition.labels, condition.missing)


class RowsByCode:
    """The rows of a column sorted by their category, missing cells first."""

    def __init__(self, column: Column):
        self.codes = {label: code for code, label in enumerate(column.categories)}
        self.values = column.values

    @cached_property
    def order(self) -> Array:
        return np.argsort(self.values, kind="stable")

    @cached_property
    def starts(self) -> Array:
        places: Array = np.searchsorted(self.values[self.order], np.arange(-1, len(self.codes) + 1))
        return places

    def rows(self, labels: Sequence[Label], missing: bool) -> Array:
        """The rows of these categories, in rising order; labels that the column does not have are nowhere."""
        codes = [self.codes[label] for label in labels if label in self.codes] + ([-1] if missing else [])
        parts = [self.order[self.starts[code + 1] : self.starts[code + 2]] for code in codes]
        return parts[0] if len(parts) == 1 else np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
