"""The rows a model was fitted on, looked at again: residuals, leverages, and the middle of robust covariances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.engine.encoded_rows import dense
from learnt.engine.passes import Batch
from learnt.engine.training import prepare
from learnt.errors import InputError, ParameterError
from learnt.linear.inference.footing import Footing
from learnt.linear.least_squares.residual_sums import weighted_sums
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.linear.inference.inferring import InferringRegressor

Robust = Literal["HC0", "HC1", "HC2", "HC3"]
ROBUST = ("HC0", "HC1", "HC2", "HC3")
#: Cells of the design matrix that exist at a time.
CELLS = 2_000_000
#: A leverage this near to 1 leaves the row no residual of its own.
FULL = 1 - 1e-10


@dataclass(frozen=True, eq=False)
class FittedRows:
    """Of each row: target, answer, weight (None: all 1), and the leverage of one copy, or of the whole row if weights
    are precisions."""

    footing: Footing
    target: Array
    answer: Array
    weights: Array | None
    leverage: Array

    @property
    def residual(self) -> Array:
        return self.target - self.answer

    @property
    def scaled_residual(self) -> Array:
        """Of equal variance under the model: times √w where weights are precisions."""
        return self.residual * np.sqrt(self.weights) if self.weights is not None and self.precise else self.residual

    @property
    def precise(self) -> bool:
        return self.footing.precision

    @property
    def copies(self) -> Array:
        """How often each row counts."""
        ones = np.ones(len(self.target))
        return ones if self.weights is None else (self.weights > 0) * ones if self.precise else self.weights

    def quantiles(self, shares: Array) -> Array:
        """Quantiles of the scaled residuals, as if each copy stood there; interpolated as NumPy does."""
        e, w = self.scaled_residual, self.copies
        order = np.argsort(e, kind="stable")
        order = order[w[order] > 0]
        e, ends = e[order], np.cumsum(w[order])
        place = shares * max(ends[-1] - 1, 0)
        whole = np.floor(place)
        last = len(e) - 1
        below = e[np.minimum(np.searchsorted(ends, whole, "right"), last)]
        above = e[np.minimum(np.searchsorted(ends, whole + 1, "right"), last)]
        found: Array = below + (place - whole) * (above - below)
        return found


def design_chunks(model: InferringRegressor, batch: Batch) -> Iterator[tuple[Any, Batch]]:
    """The design matrix of a batch in the model's own columns, dense or CSR, some rows at a time."""
    table = model._matched(batch.table)
    chunk = max(256, CELLS // max(model._design.n_columns, 1))
    for start in range(0, table.n_rows, chunk):
        yield model._design.encode(table.rows(start, start + chunk)), batch.rows(start, start + chunk)


def fitted_rows(
    model: InferringRegressor, X: Any, y: Any, sample_weight: Any, robust: Robust | None = None
) -> tuple[FittedRows, Array | None]:
    """The rows again, and with `robust` the middle M of the covariance G·M·Gᵀ.

    M = Σ w e² f(h) u uᵀ,   u = (1, x)·G;   f = 1, n/(n − k), 1/(1 − h), 1/(1 − h)²  for HC0 … HC3
    """
    if robust not in (None, *ROBUST):
        raise ParameterError(f"robust={robust!r} is not allowed. Expected None, {', '.join(map(repr, ROBUST))}.")
    footing = model._need_footing()
    training = prepare(X, y, sample_weight, "numbers", type(model).__name__, check_cells=True)
    k = footing.n_coefficients
    middle = np.zeros((k, k))
    parts: list[tuple[Array, Array, Array, Array]] = []
    with one_blas_thread():
        for batch in training.batches():
            for x, part in design_chunks(model, batch):
                assert part.target is not None
                w = np.ones(part.n_rows) if part.weights is None else part.weights
                answer = weighted_sums(x, model.coef_, model.intercept_)
                u = np.full((part.n_rows, 1), np.nan) if footing.root is None else footing.coordinates(dense(x))
                h = (u**2).sum(axis=1) * (w if footing.precision else 1.0)
                if robust is not None and footing.root is not None:
                    middle += _robust_middle(footing, u, part.target - answer, w, h, robust)
                parts.append((part.target, answer, w, h))
    target, answer, w, h = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    rows = FittedRows(footing, target, answer, None if training.weights is None else w, h)
    _check_same_rows(rows, w)
    return rows, middle if robust is not None else None


def _robust_middle(footing: Footing, u: Array, e: Array, w: Array, h: Array, robust: Robust) -> Array:
    square = w * e**2 * (w if footing.precision else 1.0)
    if robust == "HC1":
        square *= footing.n / footing.freedom if footing.freedom > 0 else math.nan
    elif robust != "HC0":
        room = np.where(h < FULL, 1 - h, np.inf)  # a row that decides its own answer has no residual either
        square = square / (room if robust == "HC2" else room**2)
    middle: Array = (u * square[:, None]).T @ u
    return middle


def _check_same_rows(rows: FittedRows, w: Array) -> None:
    """Errors and influences are those of the fitted rows; others would give numbers that mean nothing."""
    footing = rows.footing
    weight, residual = float(w.sum()), float(w @ rows.residual**2)
    slack = 1e-6 * residual + 1e-9 * footing.total + 1e-20 * footing.weight * footing.level**2
    if not math.isclose(weight, footing.weight, rel_tol=1e-9) or abs(residual - footing.residual) > slack:
        raise InputError(
            f"These are not the rows that were fitted: their weight is {number(weight)} and their squared residuals "
            f"add up to {number(residual)}; fitting saw {number(footing.weight)} and {number(footing.residual)}. "
            "Give the same X, y and sample_weight as to fit."
        )
