"""The first look at the rows: how they become a matrix, and where its columns lie."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.sizes import squares_overflow
from learnt.engine.training import Training
from learnt.linear.encoded import SparseSums
from learnt.linear.least_squares.cross_products import CrossProducts
from learnt.linear.logistic.passes import Curvature, TakeClassProducts, TakeSparseMoments

#: Cross products are taken of at most this many columns.
NARROW = 500


@dataclass(frozen=True, eq=False)
class MatrixLook:
    """Mean and variance are of the matrix columns; `plain` says that tables are matrices without missing cells.

    `first` is the curvature where all coefficients are 0, if the look happened to bring it.
    """

    design: Design
    mean: Array
    variance: Array
    plain: bool
    first: Curvature | None = None


def look(
    training: Training, intercept: bool, n_classes: int, factors: Array | None
) -> Generator[Pass, Any, MatrixLook]:
    """One pass, or two where a matrix of numbers has missing cells."""
    quick: Pass | None = TakeSparseMoments() if training.is_sparse else None
    if training.is_matrix and len(training.schema) <= min(NARROW, training.n_rows or 0):
        # Of two classes, cross products hold the first step of Newton's method too.
        quick = TakeClassProducts() if n_classes == 2 and factors is None else None
    found = yield from first_look(training, drop_reference=intercept, quick=quick, trusted=_has_no_gaps)
    mean, variance = found.moments
    if not np.isfinite(variance).all():
        raise squares_overflow("A column")
    if found.survey is not None:
        plain = found.design.plain and training.is_matrix and not found.survey.missing.any()
        return MatrixLook(found.design, mean, variance, plain)
    sums: SparseSums | CrossProducts = found.quick
    if isinstance(sums, SparseSums):
        return MatrixLook(found.design, mean, variance, False)
    first = Curvature.at_zero(sums, intercept) if 0 < sums.mean[-1] < 1 else None
    return MatrixLook(found.design, mean, variance, True, first)


def _has_no_gaps(found: SparseSums | CrossProducts) -> bool:
    return bool(np.isfinite(found.sums).all()) if isinstance(found, SparseSums) else found.finite
