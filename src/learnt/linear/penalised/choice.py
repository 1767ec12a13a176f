"""The penalty that predicts unseen rows best, by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.errors import InputError
from learnt.linear.least_squares.cross_products import CrossProducts, TakeCrossProducts
from learnt.show.numbers import number
from learnt.statistics.sample import hash_rows
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class PenaltyChoice:
    """The mean squared error on the rows of each fold (rows of `errors`) for each of `alphas`, and what it led to.

    `mean` and `standard_error` are over the folds, each counting by the weight of its rows. "min" takes the alpha of
    the smallest mean; "1se" the largest alpha whose mean lies within one standard error of it: the simplest model
    that is not clearly worse.
    """

    alphas: Array
    errors: Array
    fold_weights: Array
    rule: str

    def __post_init__(self) -> None:
        if self.errors.shape != (len(self.fold_weights), len(self.alphas)) or not len(self.alphas):
            raise ValueError("A choice needs an error per fold and alpha.")

    @property
    def mean(self) -> Array:
        average: Array = np.average(self.errors, axis=0, weights=self.fold_weights)
        return average

    @property
    def standard_error(self) -> Array:
        away = self.errors - self.mean
        unit = np.abs(away).max() or 1.0  # squares of squared errors overflow where those do not
        spread = np.average((away / unit) ** 2, axis=0, weights=self.fold_weights)
        error: Array = unit * np.sqrt(spread / (len(self.errors) - 1))
        return error

    @property
    def best(self) -> int:
        """The place of the smallest mean error."""
        return int(self.mean.argmin())

    @property
    def chosen(self) -> int:
        """The place of the alpha the rule takes."""
        if self.rule == "min":
            return self.best
        good = self.mean <= self.mean[self.best] + self.standard_error[self.best]
        return int(np.flatnonzero(good)[0])  # alphas fall

    @property
    def alpha(self) -> float:
        return float(self.alphas[self.chosen])

    def __str__(self) -> str:
        lines = [f"{len(self.errors)}-fold cross-validation over {len(self.alphas)} penalties, rule {self.rule!r}"]
        for word, at in (("smallest error", self.best), ("chosen", self.chosen)):
            error = f"{number(self.mean[at])} ± {number(self.standard_error[at])}"
            lines.append(f"  {word:<14}  alpha {number(self.alphas[at]):<10}  squared error {error}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """The error of each alpha with its standard error; returns the matplotlib axes."""
        from learnt.plot.linear import plot_choice

        return plot_choice(self, ax)


def folds_of(first_row: int, n_rows: int, n_folds: int) -> Array:
    """The fold of each row: of every `n_folds` rows in a run one for each fold, in an order drawn by row number."""
    first, last = first_row // n_folds * n_folds, first_row + n_rows
    drawn = hash_rows(0, first, -(-(last - first) // n_folds) * n_folds)
    folds = drawn.reshape(-1, n_folds).argsort(axis=1).ravel()
    return folds[first_row - first : last - first]


@dataclass(frozen=True)
class FoldProducts(Statistic):
    """Cross products of each fold by itself."""

    rows: int
    folds: tuple[CrossProducts, ...]

    def _shape(self) -> tuple[int, ...]:
        return (len(self.folds),)

    def _merge(self, other: FoldProducts) -> FoldProducts:
        return FoldProducts(self.rows + other.rows, tuple(a + b for a, b in zip(self.folds, other.folds, strict=True)))

    def without(self, fold: int) -> CrossProducts:
        return added_products([f for k, f in enumerate(self.folds) if k != fold])


class TakeFoldProducts(Pass):
    """Cross products by fold in one pass; `design` as for `TakeCrossProducts`."""

    def __init__(self, design: Design | None, n_folds: int):
        self.design, self.n_folds = design, n_folds

    def summarize(self, batch: Batch) -> FoldProducts:
        assert batch.target is not None
        take = TakeCrossProducts(self.design)
        folds = folds_of(batch.first_row, batch.n_rows, self.n_folds)
        parts = []
        for k in range(self.n_folds):
            rows = np.flatnonzero(folds == k)
            weights = None if batch.weights is None else batch.weights[rows]
            parts.append(take.summarize(Batch(batch.table.take(rows), 0, batch.target[rows], weights)))
        return FoldProducts(batch.n_rows, tuple(parts))


def added_products(parts: Sequence[CrossProducts]) -> CrossProducts:
    total = parts[0]
    with np.errstate(invalid="ignore", over="ignore"):  # the caller asks `finite`
        for part in parts[1:]:
            total = total + part
    return total


def squared_error(test: CrossProducts, coef: Array, intercept: float) -> float:
    """The mean of w (y − b₀ − b·x)² over the rows of a fold, from their cross products alone."""
    b = np.append(-coef, 1.0)  # y − b·x is a weighted sum of (x, y)
    spread = max(float(b @ test.products @ b), 0.0) / test.weight
    return spread + (float(b @ test.mean) - intercept) ** 2


def check_folds(weights: Sequence[float], n_folds: int) -> None:
    if min(weights) <= 0:
        raise InputError(
            f"alpha='cv' with folds={n_folds} leaves a fold without a row of positive weight. "
            "Give more rows, fewer folds, or a number for alpha."
        )
