"""The error of ridge on each row when it is left out, for many penalties at once, without fitting again."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.least_squares.cross_products import CrossProducts, rows_with_target
from learnt.statistics.sums import ArraySums

#: Penalties tried, from ten times the largest eigenvalue of the cross products down.
TRIED, LARGEST, SMALLEST = 46, 10.0, 1e-8
#: Rows taken at a time, so that what is made of them stays in the cache.
AT_ONCE = 512


def tried_alphas(largest_eigenvalue: float) -> Array:
    top = min(largest_eigenvalue, np.finfo(np.float64).max / LARGEST) if largest_eigenvalue > 0 else 1.0
    return np.geomspace(top * LARGEST, top * SMALLEST, TRIED)


class Spectrum:
    """Directions in which columns vary, and how far the target goes along with each: X'X = V D Vᵀ."""

    def __init__(self, statistic: CrossProducts, scale: Array, intercept: bool):
        products = statistic.products if intercept else statistic.raw()
        values, vectors = np.linalg.eigh(products[:-1, :-1] * np.outer(scale, scale))
        self.values = np.maximum(values, 0.0)
        self.directions = scale[:, None] * vectors
        self.along = self.directions.T @ products[:-1, -1]
        self.weight, self.intercept = statistic.weight, intercept
        self.mean = statistic.mean if intercept else np.zeros_like(statistic.mean)
        self.alphas = tried_alphas(float(self.values.max(initial=0.0)))


class LeaveEachOut(Pass):
    """Σ w (e/(1 − h))² by penalty: e is the error of a row, h its leverage, 1/W + zᵀ (D + alpha)⁻¹ z.

    Of a row of weight above 1 one copy is left out, so that weights count as copies.
    """

    whole: ClassVar[bool] = False  # BLAS does not thread inside; blocks run side by side

    def __init__(self, design: Design | None, spectrum: Spectrum):
        self.design, self.spectrum = design, spectrum

    def summarize(self, batch: Batch) -> ArraySums:
        s, total = self.spectrum, np.zeros(len(self.spectrum.alphas))
        shrink = 1 / np.maximum(s.values[:, None] + s.alphas, np.finfo(np.float64).tiny)
        coef = s.along[:, None] * shrink
        for x, y, w in rows_with_target(batch, self.design):
            if w is not None and not w.all():  # whatever a row of weight 0 holds
                x, y, w = x[w > 0], y[w > 0], w[w > 0]
            for start in range(0, len(x), AT_ONCE):
                cut = slice(start, start + AT_ONCE)
                z = (x[cut] - s.mean[:-1]) @ s.directions
                error = (y[cut] - s.mean[-1])[:, None] - z @ coef
                lever = z**2 @ shrink + (1 / s.weight if s.intercept else 0.0)
                weight = np.ones(len(z)) if w is None else w[cut]
                left_out = error / np.maximum(1 - np.minimum(weight, 1.0)[:, None] * lever, 1e-12)
                with np.errstate(over="ignore"):  # of no use beside penalties whose errors are numbers
                    total += weight @ left_out**2
        return ArraySums(batch.n_rows, (total,))
