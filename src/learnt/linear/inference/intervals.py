"""Intervals: of coefficients, of the mean at a row, and of a new target there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.engine.encoded_rows import dense
from learnt.learner.parameters import Domain, OneOf, Real, check_parameters
from learnt.linear.inference.footing import Footing
from learnt.linear.inference.printed import Grid, Printed
from learnt.show.numbers import figure, percent

IntervalKind = Literal["confidence", "prediction"]
LEVEL: dict[str, Domain] = {"level": Real(above=0, below=1)}


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Printed):
    """Estimates between `low` and `high`; `np.asarray` of them has these two as columns.

    `names` are those of coefficients or row numbers, `title` says what the intervals are of, `cautions` what to mind.
    """

    title: str
    names: tuple[str, ...]
    estimates: Array
    low: Array
    high: Array
    level: float
    cautions: tuple[str, ...] = ()

    def _parts(self) -> list[str | Grid]:
        columns = (self.estimates, self.low, self.high)
        cells = [[figure(v) for v in column.tolist()] for column in columns]
        rows = [list(row) for row in zip(self.names, *cells, strict=True)]
        head = ["", "estimate", f"{percent(self.level)} from", "to"]
        return [self.title, Grid(head, rows), *(f"Mind: {words}" for words in self.cautions)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.column_stack([self.low, self.high]).astype(dtype or np.float64, copy=False)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<{self.title}: {len(self)}>"


def check_level(owner: str, level: float) -> None:
    check_parameters(owner, LEVEL, {"level": level})


def check_kind(owner: str, kind: str) -> None:
    check_parameters(owner, {"kind": OneOf("confidence", "prediction")}, {"kind": kind})


def half_widths(footing: Footing, x: Any, level: float, kind: IntervalKind) -> Array:
    """How far the interval reaches to each side of the answer of each row of a design matrix.

        t · σ · √h  for the mean,   t · σ · √(1 + h)  for a new target,   h = (1, x)·(XᵀWX)⁻¹·(1, x)ᵀ

    Infinite where the fitted rows say nothing about such a row; NaN without degrees of freedom.
    """
    from scipy.special import stdtrit

    if footing.root is None or footing.freedom <= 0:
        return np.full(x.shape[0], math.nan)
    x = dense(x)
    t = -float(stdtrit(footing.freedom, (1 - level) / 2))
    with np.errstate(over="ignore"):  # far enough away nothing is known
        root_h = np.hypot.reduce(footing.coordinates(x), axis=1)
        reach = t * footing.sigma * (np.hypot(1.0, root_h) if kind == "prediction" else root_h)
    widths: Array = np.where(footing.reached(x), reach, np.inf)
    return widths
