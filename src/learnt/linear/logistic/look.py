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
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.linear.encoded import ColumnSums
from learnt.linear.least_squares.cross_products import CrossProducts
from learnt.linear.logistic.passes import Curvature, TakeClassProducts, TakeSparseMoments
from learnt.linear.penalised.problem import TOO_LARGE

#: Cross products are taken of at most this many columns.
NARROW = 500


@dataclass(frozen=True, eq=False)
class Seen:
    """Mean and variance are of the matrix columns; `plain` says that tables are matrices without missing cells.

    `first` is the curvature where all coefficients are 0, if the look happened to bring it.
    """

    design: Design
    mean: Array
    variance: Array
    plain: bool
    first: Curvature | None = None


def look(training: Training, intercept: bool, n_classes: int, factors: Array | None) -> Generator[Pass, Any, Seen]:
    """One pass, or two where a matrix of numbers has missing cells."""
    if training.is_sparse:
        quick = first_look(training, drop_reference=intercept, quick=TakeSparseMoments(), trusted=_has_no_gaps)
    else:
        # Two classes: cross products hold the first step of Newton's method too.
        few = len(training.schema) <= min(NARROW, training.n_rows or 0)
        narrow = n_classes == 2 and factors is None and training.is_matrix and few
        quick = first_look(training, drop_reference=intercept, quick=TakeClassProducts() if narrow else None)
    found = yield from quick
    mean, variance = found.moments
    if not np.isfinite(variance).all():
        raise InputError(TOO_LARGE)
    if found.survey is not None:
        plain = found.design.plain and training.is_matrix and not found.survey.missing.any()
        return Seen(found.design, mean, variance, plain)
    products: CrossProducts | None = found.quick if training.is_matrix else None
    first = None
    if products is not None and 0 < products.mean[-1] < 1:
        first = Curvature.at_zero(products, intercept)
    return Seen(found.design, mean, variance, training.is_matrix, first)


def _has_no_gaps(found: ColumnSums) -> bool:
    return bool(np.isfinite(found.sums).all())
