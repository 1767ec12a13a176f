"""The linear models of a tree's leaves as flat arrays: what predicts, explains and is saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from learnt.data.table import Array
from learnt.lazy import cached_property
from learnt.storable import Codes, FiniteNumbers, storable
from learnt.tree.model_tree.growing import Term
from learnt.tree.model_tree.pruning import NodeModel


@storable
@dataclass(frozen=True, eq=False)
class LeafModels:
    """One model per leaf, in the order of the leaves.

    | field | meaning |
    |---|---|
    | `start` | where each model's terms begin, and at the end their number |
    | `column`, `rank` | of each term: the table's column; 0 for its number, or the rank that its category reaches |
    | `coef`, `center` | of each term: its coefficient, and the mean of its cells in the leaf |
    | `intercept`, `rmse` | of each model; `rmse` is of the training rows, before smoothing |
    | `deviation` | the standard deviation of the whole target |
    """

    start: Codes
    column: Codes
    rank: Codes
    coef: FiniteNumbers
    center: FiniteNumbers
    intercept: FiniteNumbers
    rmse: FiniteNumbers
    deviation: float

    def __post_init__(self) -> None:
        n, t = len(self.intercept), len(self.coef)
        fits = self.start.shape == (n + 1,) and self.rmse.shape == (n,) and n > 0
        fits = fits and all(a.shape == (t,) for a in (self.column, self.rank, self.coef, self.center))
        if not fits or self.start[0] != 0 or self.start[-1] != t or np.any(np.diff(self.start) < 0):
            raise ValueError("The terms of the linear models do not fit together.")
        if np.any(self.column < 0) or np.any(self.rank < 0):
            raise ValueError("A term of a linear model has no column.")

    @classmethod
    def of(cls, models: list[NodeModel], deviation: float) -> Self:
        terms: list[Term] = []
        coef: list[float] = []
        start = [0]
        for model in models:
            terms += sorted(model.coef)
            coef += [model.coef[term] for term in sorted(model.coef)]
            start.append(len(terms))
        pairs = np.array(terms, np.int32).reshape(-1, 2)
        return cls(
            np.array(start, np.int32),
            np.ascontiguousarray(pairs[:, 0]),
            np.ascontiguousarray(pairs[:, 1]),
            np.array(coef, np.float64),
            np.zeros(len(coef)),
            np.array([model.intercept for model in models], np.float64),
            np.array([model.rmse for model in models], np.float64),
            float(deviation),
        )

    @cached_property
    def _widths(self) -> Array:
        return np.diff(self.start)

    def predict(self, cells: Array, leaf: Array) -> Array:
        """For filled cells (columns × rows) and the number of each row's leaf.

        Term by term, each row by itself: its bits do not depend on its neighbours.
        """
        out: Array = self.intercept[leaf]
        for rows, entries, values in self._entries(cells, leaf):
            out[rows] += self.coef[entries] * values
        return out

    def centers(self, cells: Array, leaf: Array, weights: Array) -> Array:
        """The mean of each term over the rows of its leaf."""
        weight, total = np.zeros(len(self.coef)), np.zeros(len(self.coef))
        for rows, entries, values in self._entries(cells, leaf):
            weight += np.bincount(entries, weights[rows], len(weight))
            total += np.bincount(entries, weights[rows] * values, len(weight))
        return total / np.where(weight > 0, weight, 1.0)

    def _entries(self, cells: Array, leaf: Array) -> list[tuple[Array, Array, Array]]:
        """The first terms of all rows' models, then the second ones, …: rows, terms, and their cells."""
        found, width = [], self._widths[leaf]
        for t in range(int(width.max(initial=0))):
            rows = np.flatnonzero(width > t)
            entries = self.start[leaf[rows]] + t
            values, rank = cells[self.column[entries], rows], self.rank[entries]
            found.append((rows, entries, np.where(rank > 0, values >= rank, values)))
        return found
