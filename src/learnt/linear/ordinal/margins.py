"""How far a step of proportional odds moves rows towards their own classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.logistic.problem import View
from learnt.linear.ordinal.passes import BLOCK_ROWS, Point
from learnt.linear.separation import Margins, joined_margins, margins_of


class TakeOrdinalMargins(Pass):
    """Along a direction of thresholds and coefficients: a row lies between two thresholds, and gains where the upper
    one moves up from it, or the lower one down. Rows without weight do not count."""

    whole: ClassVar[bool] = False

    def __init__(self, design: Design, view: View, direction: Point):
        self.design, self.view, self.direction = design, view, direction

    def summarize(self, batch: Batch) -> Margins:
        return joined_margins(self._parts(batch), batch.n_rows)

    def _parts(self, batch: Batch) -> Iterator[Margins]:
        thresholds, coef = self.direction.thresholds, self.direction.coef * self.view.scale
        k = len(thresholds)
        for start in range(0, max(batch.n_rows, 1), BLOCK_ROWS):
            part = batch.rows(start, start + BLOCK_ROWS)
            assert part.target is not None
            x, codes = self.design.encode(part.table), part.target
            if part.weights is not None:
                x, codes = x[part.weights > 0], codes[part.weights > 0]
            along: Array = x @ coef - self.view.shift @ coef  # never (x − shift), which would not stay sparse
            below, above = codes < k, codes > 0
            up = thresholds[codes[below]] - along[below]
            low = thresholds[codes[above] - 1] - along[above]
            yield margins_of((up, -low), x, codes, k + 1)
