"""How far a step of logistic regression moves rows towards their own classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.logistic.problem import Problem
from learnt.linear.separation import Margins, joined_margins, margins_of


class TakeMargins(Pass):
    """Along a direction of coefficients and intercepts. Rows without weight do not count, nor classes without rows."""

    def __init__(self, problem: Problem, there: Array, coef: Array, intercept: Array):
        self.problem, self.there, self.coef, self.intercept = problem, there, coef, intercept

    def summarize(self, batch: Batch) -> Margins:
        return joined_margins(self._parts(batch), batch.n_rows)

    def _parts(self, batch: Batch) -> Iterator[Margins]:
        for x, codes, weights in self.problem.blocks(batch):
            if weights is not None:
                x, codes = x[weights > 0], codes[weights > 0]
            scores = x @ self.coef.T + self.intercept
            if scores.shape[1] == 1:
                scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
            rows = np.arange(len(x))
            own = scores[rows, codes]
            others = np.broadcast_to(self.there, scores.shape).copy()
            others[rows, codes] = False
            nearest = scores.max(axis=1, where=others, initial=-np.inf)
            farthest = scores.min(axis=1, where=others, initial=np.inf)
            yield margins_of((own - nearest, own - farthest), x, codes, len(self.there))
