"""Geometric concepts: rays, intervals and boxes, each the tightest around the positive rows, with its guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.concepts.base import ConceptLearner
from learnt.concepts.language import Row
from learnt.data.table import Array, Table
from learnt.errors import InputError, KindError
from learnt.show.numbers import number
from learnt.show.words import count_of


@dataclass(frozen=True)
class Guarantee:
    """With probability 1 − δ the error on new rows is at most ε, if the concept is of the learner's kind."""

    m: int
    sides: int
    delta: float
    holds: bool

    @property
    def epsilon(self) -> float:
        """Each of the sides lies within ε/sides of the true one, or all m rows missed that strip."""
        return min(1.0, self.sides / max(1, self.m) * math.log(self.sides / self.delta))

    def rows_for(self, epsilon: float) -> int:
        """How many rows make the error at most `epsilon` with the same certainty."""
        return math.ceil(self.sides / epsilon * math.log(self.sides / self.delta))

    def __str__(self) -> str:
        if not self.holds:
            return "No guarantee: a negative row lies inside, so that no concept of this kind fits all rows."
        vacuous = " (vacuous)" if self.epsilon >= 1 else ""
        return (
            f"With {count_of(self.m, 'row')}, the error is at most {number(self.epsilon)}{vacuous} with probability "
            f"{number(1 - self.delta)}; an error of 0.05 takes {self.rows_for(0.05):,} rows."
        )


class _TightestFit(ConceptLearner):
    """The least general hypothesis that covers all positive rows."""

    def __init__(self, *, positive: Any = None):
        super().__init__(None, positive=positive)

    def fit(self, X: Any, y: Any = None) -> Any:
        table = Table(X)
        target = y if isinstance(y, str) else table.target if y is None else None
        for column in table.columns:
            if column.name != target and column.kind != "numeric":
                raise KindError(f"Column {column.name!r} is {column.kind}. {type(self).__name__} needs numbers.")
        return super().fit(X, y)

    def _learn(self, rows: list[Row], positive: list[bool]) -> None:
        cells = np.array(rows, dtype=float).reshape(len(rows), len(self.language_.names))
        if np.isnan(cells).any():
            raise InputError(f"Row {int(np.isnan(cells).any(axis=1).argmax())} has a missing cell.")
        if self._columns is not None and cells.shape[1] != self._columns:
            raise InputError(f"{type(self).__name__} learns from one column of numbers. There are {cells.shape[1]}.")
        inside = cells[np.array(positive, bool)]
        none = np.full(cells.shape[1], np.inf)
        self.low_: Array = inside.min(axis=0) if len(inside) else none
        self.high_: Array = inside.max(axis=0) if len(inside) else -none
        self._open_up()
        said = self._covers(cells)
        self.n_rows_ = len(rows)
        self.consistent_ = bool((said == np.array(positive, bool)).all())

    _columns: int | None = None

    def _open_up(self) -> None:
        """Sides that the kind of concept does not have."""

    def _covers(self, cells: Array) -> Array:
        return np.asarray(((cells >= self.low_) & (cells <= self.high_)).all(axis=1))

    def predict(self, X: Any) -> Array:
        """The positive label for rows inside, the other one outside; a missing cell is outside."""
        self._check_fitted()
        cells = np.array(self.language_.rows(X), dtype=float).reshape(-1, len(self.language_.names))
        return self._labels(self._covers(cells).tolist())

    def guarantee(self, delta: float = 0.05) -> Guarantee:
        """What is certain of its error on new rows, for the rows it has seen."""
        self._check_fitted()
        return Guarantee(self.n_rows_, self._n_sides(), delta, self.consistent_)

    def _n_sides(self) -> int:
        return 2 * len(self.low_)

    def __str__(self) -> str:
        if not hasattr(self, "low_"):
            return f"{type(self).__name__}()"
        parts = [
            f"{_end(low)} ≤ {name}" + (f" ≤ {_end(high)}" if math.isfinite(high) else "")
            for name, low, high in zip(self.language_.names, self.low_, self.high_, strict=True)
        ]
        said = " and ".join(parts) if np.isfinite(self.low_).all() else "nothing"
        return f"{self.positive_} where {said}"


class RayLearner(_TightestFit):
    """x ≥ t on a line, t the least positive number.

    >>> model = RayLearner().fit({"age": [12, 17, 18, 30]}, ["no", "no", "yes", "yes"])
    >>> print(model)
    yes where 18 ≤ age
    >>> model.predict({"age": [16, 40]}).tolist()
    ['no', 'yes']
    """

    _columns = 1

    def _open_up(self) -> None:
        if np.isfinite(self.high_).all():
            self.high_ = np.full_like(self.high_, np.inf)

    def _n_sides(self) -> int:
        return 1


class IntervalLearner(_TightestFit):
    """a ≤ x ≤ b on a line, from the least to the largest positive number.

    >>> print(IntervalLearner().fit({"temperature": [10, 20, 24, 35]}, ["no", "yes", "yes", "no"]))
    yes where 20 ≤ temperature ≤ 24
    """

    _columns = 1


class RectangleLearner(_TightestFit):
    """The smallest box with sides along the axes that holds all positive rows, in any number of columns.

    >>> table = {"height": [150, 170, 180, 200], "weight": [50, 65, 80, 120]}
    >>> model = RectangleLearner().fit(table, ["no", "yes", "yes", "no"])
    >>> print(model)
    yes where 170 ≤ height ≤ 180 and 65 ≤ weight ≤ 80
    >>> print(model.guarantee())
    With 4 rows, the error is at most 1 (vacuous) with probability 0.95; an error of 0.05 takes 351 rows.
    """


def _end(value: float) -> str:
    return number(float(value))
