"""Separated classes: without a penalty the likelihood has no maximum, and coefficients would grow for ever."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.linear.logistic.problem import Problem
from learnt.show.numbers import number
from learnt.show.words import label

#: Rows that a step moves by less than this part of what it moves others are not moved by it.
STILL = 1e-3


@dataclass(frozen=True)
class Margins(Statistic):
    """How far a direction moves rows towards their own class: least and most; and the ranges of columns by class."""

    rows: int
    least: float
    most: float
    low: Array  # classes × columns
    high: Array

    def _shape(self) -> tuple[int, ...]:
        return self.low.shape[0], self.low.shape[1]

    def _merge(self, other: Margins) -> Margins:
        return Margins(
            self.rows + other.rows,
            min(self.least, other.least),
            max(self.most, other.most),
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )

    @property
    def kind(self) -> str | None:
        """ "complete" where every row moves to its class, "quasi" where some stay, None where one moves away."""
        if not self.most > 0 or self.least < -STILL * self.most:
            return None
        return "complete" if self.least > STILL * self.most else "quasi"


class TakeMargins(Pass):
    """Along a direction of coefficients and intercepts. Rows without weight do not count."""

    def __init__(self, problem: Problem, n_classes: int, coef: Array, intercept: Array):
        self.problem, self.n_classes, self.coef, self.intercept = problem, n_classes, coef, intercept

    def summarize(self, batch: Batch) -> Margins:
        p = self.problem.n_columns
        low, high = np.full((self.n_classes, p), np.inf), np.full((self.n_classes, p), -np.inf)
        least, most = np.inf, -np.inf
        for x, codes, weights in self.problem.blocks(batch):
            if weights is not None:
                x, codes = x[weights > 0], codes[weights > 0]
            if not len(x):
                continue
            scores = x @ self.coef.T + self.intercept
            if scores.shape[1] == 1:
                scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
            rows = np.arange(len(x))
            own = scores[rows, codes].copy()
            scores[rows, codes] = -np.inf
            margin = own - scores.max(axis=1)
            least, most = min(least, float(margin.min())), max(most, float(margin.max()))
            for c in range(self.n_classes):
                of_class = x[codes == c]
                if len(of_class):
                    low[c] = np.minimum(low[c], of_class.min(axis=0))
                    high[c] = np.maximum(high[c], of_class.max(axis=0))
        return Margins(batch.n_rows, least, most, low, high)


def separation_words(margins: Margins, design: Design, classes: list[object], pull: Array) -> str:
    """What separates the classes, in the words of the columns. `pull` is each column's part in the direction."""
    names = design.names
    alone = _one_column(margins, design, classes)
    if alone:
        return alone
    order = [int(j) for j in np.argsort(-pull, kind="stable") if pull[j] > 0.01 * pull.max(initial=0.0)]
    owners = {design.schema.names[design.owner[j]] for j in order}
    if len(owners) == 1 and len(order) > 1:
        return f"The categories of {owners.pop()!r} separate the classes: one of them, or more, has one class alone."
    some = ", ".join(repr(names[j]) for j in order[:5])
    more = f" and {len(order) - 5} more" if len(order) > 5 else ""
    return f"A weighted sum of {some}{more} separates the classes." if order else "The classes are separated."


def _one_column(margins: Margins, design: Design, classes: list[object]) -> str | None:
    """The first column by which alone one class lies on its own side of a threshold."""
    for c in range(len(classes)):
        others = [k for k in range(len(classes)) if k != c]
        low, high = margins.low[others].min(axis=0), margins.high[others].max(axis=0)
        for side, found in (
            ("above", (margins.high[c] > high) & (margins.low[c] >= high)),
            ("below", (margins.low[c] < low) & (margins.high[c] <= low)),
        ):
            if found.any():
                j = int(np.flatnonzero(found)[0])
                where = _where(design, j, side, float(high[j] if side == "above" else low[j]))
                return f"All rows with {where} are {label(classes[c])}, and no row of another class is."
    return None


def _where(design: Design, j: int, side: str, limit: float) -> str:
    """One side of a column of the matrix, in the words of the table."""
    column = design.schema.columns[int(design.owner[j])]
    if column.kind not in ("nominal", "boolean"):
        return f"{column.name!r} {side} {number(limit)}"
    category = design.names[j].removeprefix(f"{column.name}=")
    return f"{column.name!r} {'=' if side == 'above' else '≠'} {category!r}"
