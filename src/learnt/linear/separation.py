"""Separated classes: without a penalty the likelihood has no maximum, and coefficients would grow for ever.

Whether they are is seen at the steps of Newton's method. Where the likelihood has a maximum, they become as short as
one likes; where it has none, they go on for ever along a direction that moves no row away from its own class, and some
rows by about 1 in log-odds each time. So a search has ended only when a step moves no row by more than `STANDING`,
however few rows those are and however little they add to the likelihood. A direction that all rows agree to is a proof.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Statistic
from learnt.show.numbers import number
from learnt.show.words import label

#: Rows that a step moves by less than this part of what it moves others are not moved by it.
STILL = 1e-3
#: Log-odds by which a last step may still move a row.
STANDING = 0.05
#: Steps beyond the end of a search, most, to see whether rows stand still or go on.
MORE_STEPS = 25


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
    def reach(self) -> float:
        """How far the row is moved that is moved most."""
        return max(self.most, -self.least)

    @property
    def kind(self) -> str | None:
        """ "complete" where every row moves to its class, "quasi" where some stay, None where one moves away."""
        if not self.most > 0 or self.least < -STILL * self.most:
            return None
        return "complete" if self.least > STILL * self.most else "quasi"


def reach_of(intercept: float, coef: Array, rows: float) -> float:
    """More than a step of standardised coefficients can move any row that weighs as much as the others.

    None is farther than √rows deviations from the mean; without a limit where weights differ.
    """
    if not np.isfinite(rows):
        return float("inf")
    return 2 * (float(intercept) + float(np.sqrt(rows)) * float(coef.sum()))


def margins_of(gains: Iterable[Array], x: Any, codes: Array, n_classes: int) -> Margins:
    """Of rows, dense or CSR: `gains` are by how much a direction moves each to its own class and away from others."""
    low, high = np.full((n_classes, x.shape[1]), np.inf), np.full((n_classes, x.shape[1]), -np.inf)
    least, most = np.inf, -np.inf
    for gain in gains:
        least, most = min(least, float(gain.min(initial=np.inf))), max(most, float(gain.max(initial=-np.inf)))
    for c in range(n_classes):
        of_class = x[codes == c]
        if of_class.shape[0]:
            ends = of_class.min(axis=0), of_class.max(axis=0)
            low[c], high[c] = (end if isinstance(end, np.ndarray) else end.toarray().ravel() for end in ends)
    return Margins(len(codes), least, most, low, high)


def joined_margins(parts: Iterable[Margins], n_rows: int) -> Margins:
    """Of all rows of a batch, those without weight counted; at least one part, which may be empty."""
    total = reduce(operator.add, parts)
    return Margins(n_rows, total.least, total.most, total.low, total.high)


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
