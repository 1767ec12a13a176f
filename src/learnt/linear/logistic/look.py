"""The first look at the rows: how they become a matrix, and where its columns lie."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.linear.least_squares.cross_products import CrossProducts, plain_design
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
    """One pass. Matrices of numbers are hoped to have no missing cell: if one has, the sums show it, and a second
    pass looks closer."""
    quick: Seen | None = None
    if n_classes == 2 and factors is None and _is_narrow_matrix(training):
        quick = yield from _by_products(training, intercept)
    elif isinstance(training.source, Table) and training.source.sparse is not None:
        quick = yield from _by_sums(training)
    if quick is not None:
        return quick
    survey: Survey = yield TakeSurvey()
    survey.check_finite()
    design = Design.of(survey, drop_reference=intercept)
    mean, variance = design.moments(survey)
    if not np.isfinite(variance).all():
        raise InputError(TOO_LARGE)
    matrix = isinstance(training.source, Table) and training.source.matrix is not None
    return Seen(design, mean, variance, design.plain and matrix and not survey.missing.any())


def _is_narrow_matrix(training: Training) -> bool:
    table = training.source
    return isinstance(table, Table) and table.matrix is not None and table.n_columns <= min(NARROW, table.n_rows)


def _by_products(training: Training, intercept: bool) -> Generator[Pass, Any, Seen | None]:
    """Two classes: cross products hold the first step of Newton's method too."""
    products: CrossProducts = yield TakeClassProducts()
    if not products.finite:
        return None
    mean = products.mean[:-1]
    variance = np.maximum(np.diagonal(products.products)[:-1], 0) / products.weight
    first = Curvature.at_zero(products, intercept) if 0 < products.mean[-1] < 1 else None
    return Seen(plain_design(training, mean), mean, variance, True, first)


def _by_sums(training: Training) -> Generator[Pass, Any, Seen | None]:
    (weight,), sums, squares = (yield TakeSparseMoments()).arrays
    mean = sums / weight
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.maximum(squares / weight - mean**2, 0)
    if not np.isfinite(sums).all():
        return None
    if not np.isfinite(variance).all():
        raise InputError(TOO_LARGE)
    # What two sums leave of a column that does not vary is rounding.
    variance[variance <= 1e-13 * squares / weight] = 0
    return Seen(plain_design(training, mean), mean, variance, False)
