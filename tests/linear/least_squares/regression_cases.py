"""Regressions on real data: a table for learnt, and the same design written out for others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import learnt
from learnt import LinearRegression, Table


@dataclass(frozen=True)
class Case:
    table: Table
    target: str
    weights: np.ndarray | None = None

    @property
    def y(self) -> np.ndarray:
        return self.table[self.target].values

    @property
    def features(self) -> Table:
        return self.table.drop(self.target)

    def fit(self, **settings) -> LinearRegression:
        return LinearRegression(**settings).fit(self.table, self.target, self.weights)

    def written_out(self, model: LinearRegression) -> np.ndarray:
        """A column of ones and, per coefficient, its column or the indicator its name speaks of."""
        frame = {name: np.array(self.table[name].labels(), dtype=object) for name in self.features.names}
        columns = [np.ones(self.table.n_rows)] if model.fit_intercept else []
        for name in model.coefficient_names_:
            column, _, level = name.partition("=")
            columns.append((frame[column] == level) if level else frame[column])
        return np.column_stack(columns).astype(float)


@cache
def case(name: str) -> Case:
    if name == "cpu":  # six numbers
        return Case(learnt.datasets.load("cpu"), "class")
    if name == "iris":  # numbers and a nominal column
        return Case(learnt.datasets.load("iris"), "sepallength")
    if name == "glass":  # oxides that add up to nearly 100 %: nearly collinear; and six kinds
        glass = learnt.datasets.load("glass").to_dict()  # by way of labels: one declared kind has no rows
        return Case(Table(glass), "RI")
    if name == "weighted":
        rng = np.random.default_rng(3)
        return Case(learnt.datasets.load("cpu"), "class", rng.integers(1, 5, 209).astype(float))
    raise KeyError(name)


REAL = ("cpu", "iris", "glass")
