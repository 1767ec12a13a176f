"""Classes by least squares: one regression per class, on whether a row is of it."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.engines import Plan, Request
from learnt.engine.first_look import first_look
from learnt.engine.passes import Batch, Pass
from learnt.engine.training import Training
from learnt.errors import InputError, convergence_warning
from learnt.explain import Explanation
from learnt.learner.fields import attribute
from learnt.linear.least_squares.coefficients import Fit, by_cholesky, by_singular_values
from learnt.linear.least_squares.conjugate_gradients import by_conjugate_gradients
from learnt.linear.least_squares.cross_products import CrossProducts, rows_with_target
from learnt.linear.least_squares.linear_regression import WIDE
from learnt.linear.least_squares.triangle import Triangle
from learnt.linear.several.retarget import retargeted
from learnt.linear.weighted_sum import LinearClassifier
from learnt.statistics.products import products_of
from learnt.statistics.triangle import shrink_rows


class MultiResponseClassifier(LinearClassifier):
    """Regress the membership in each class, 1 or 0, on the columns, and answer with the highest.

        f_c = argmin_f Σ_i w_i ([y_i = c] − f(x_i))²,   f(x) = b₀ + b·x

    >>> model = MultiResponseClassifier().fit({"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist()
    ([[-0.4], [0.4]], [1.5, -0.5])
    >>> model.predict_proba({"x": [2.0]}).round(3).tolist()
    [[0.7, 0.3]]

    The memberships of a row add up to 1, and may lie outside 0 to 1; its probabilities are the nearest ones that do
    not (the Euclidean projection on the simplex), so that memberships that are probabilities stay as they are.
    Columns enter as in `LinearRegression`; collinear ones share their effect.

    Cost: one pass, O(n·(p + k)²), for all classes together; sparse designs wider than 1,000 columns take conjugate
    gradients, class by class.

    It has no settings. Attributes: `coef_` and `intercept_`, a row and a number per class; `coefficient_names_`;
    `rank_`; `converged_`.

    Reference: T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning, 2009, section 4.2. Where
    three classes lie on a line, that in the middle may never be highest ("masking"); see `DiscriminantClassifier`.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    fit_cost = 3.0
    simplicity = 15.0

    rank_: int = attribute()
    converged_: bool = attribute()

    _score_words = "lead"

    def _plan(self, training: Training) -> Plan:
        look = yield from first_look(training, drop_reference=True, reads_left=1)
        design, mean, k = look.design, look.moments[0], len(self.classes_)
        fits: list[Fit] = []
        converged = True
        if k == 1:
            pass  # of which every row is a member
        elif design.n_columns > WIDE and (design.sparse or training.is_sparse):
            fits, converged = yield from _class_by_class(design, k)
        else:
            fits = yield from _all_classes(design, k, mean, look.surveyed.rows)
        if not converged:
            warnings.warn(convergence_warning("Conjugate gradients stopped before they converged."), stacklevel=2)
        self.rank_, self.converged_ = fits[0].rank if fits else 0, converged
        # Memberships add up to 1, so the last class has what the others leave.
        coef = np.array([fit.coef for fit in fits]).reshape(len(fits), design.n_columns)
        base = np.array([fit.intercept for fit in fits])
        coef = np.vstack([coef, 0.0 - coef.sum(axis=0)])
        self._keep_coefficients(design, coef, np.append(base, 1 - base.sum()), mean)

    def decision_function(self, X: Any) -> Array:
        """The membership of each class, rows × classes; of two classes the lead of the second over the first."""
        still = self._still()
        scores: Array = still._over(X, still._scores)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _probabilities(self, table: Table) -> Array:
        return nearest_probabilities(self._scores(table))

    def _explain_row(self, row: Table) -> Explanation:
        return replace(super()._explain_row(row), kind="score")


def nearest_probabilities(scores: Array) -> Array:
    """The point of the simplex nearest to each row: max(s − τ, 0) with τ such that the sum is 1. Keeps the order.

    Found relative to the highest score, which changes nothing but that huge scores, infinite ones included, are told
    apart.
    """
    k, top = scores.shape[1], scores.max(axis=1, keepdims=True)
    if np.isnan(top).any():
        raise InputError(
            f"Row {int(np.flatnonzero(np.isnan(top))[0])} holds values so large that its scores overflow. "
            "Expected cells like those fitted."
        )
    with np.errstate(invalid="ignore"):
        apart = np.maximum(np.where(scores == top, 0.0, scores - top), -1.0)  # 1 below the top is nothing
    falling = -np.sort(-apart, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, k + 1)
    kept = (falling > excess).sum(axis=1)
    found = np.maximum(apart - excess[np.arange(len(apart)), kept - 1][:, None], 0.0)
    shares: Array = found / found.sum(axis=1, keepdims=True)
    return shares


def _all_classes(design: Design, k: int, mean: Array, rows: int) -> Generator[Pass, Any, list[Fit]]:
    """The regressions of all classes but the last, from one pass; a second where columns are nearly collinear."""
    p = design.n_columns
    places = [np.append(np.arange(p), p + c) for c in range(k - 1)]
    if rows > p:
        products: CrossProducts = yield TakeMemberships(design, k)
        if not products.finite:
            raise InputError("A column holds values so large that their squares overflow. Scale it down first.")
        with one_blas_thread():
            fits = [by_cholesky(_of_class(products, place), intercept=True) for place in places]
        if all(fit is not None for fit in fits):
            return [fit for fit in fits if fit is not None]
    shift = np.append(mean, np.full(k - 1, 1 / k))
    triangle: Triangle = yield TakeMembershipTriangle(design, k, shift)
    with one_blas_thread():
        return [
            by_singular_values(replace(triangle, r=triangle.r[:, [0, *(place + 1)]]), shift[place], intercept=True)
            for place in places
        ]


def _of_class(products: CrossProducts, place: Array) -> CrossProducts:
    return replace(products, mean=products.mean[place], products=products.products[np.ix_(place, place)])


def _class_by_class(design: Design, k: int) -> Generator[Request, Any, tuple[list[Fit], bool]]:
    fits, converged = [], True
    for code in range(k - 1):
        plan = by_conjugate_gradients(design, intercept=True)
        fit, done = yield from retargeted(plan, (np.arange(k) == code).astype(np.float64))
        fits.append(fit)
        converged = converged and done
    return fits, converged


class TakeMemberships(Pass):
    """Cross products of (x, memberships): `CrossProducts` with a last column per class but the last."""

    def __init__(self, design: Design, k: int):
        self.design, self.k = design, k

    def summarize(self, batch: Batch) -> CrossProducts:
        blocks = with_memberships(batch, self.design, self.k, ENCODED_ROWS)
        return CrossProducts(batch.n_rows, *products_of(blocks, _first_rows))


def _first_rows(x: Array, y: Array | None, w: Array | None) -> Array:
    """The mean of the first rows; memberships need no shift."""
    some = x[:256] if w is None else x[w > 0][:256]
    mean = some.mean(axis=0, dtype=np.float64) if len(some) else np.zeros(x.shape[1])
    return np.append(np.where(np.isfinite(mean), mean, 0.0), 0.0)


class TakeMembershipTriangle(Pass):
    """The orthogonal triangle of (1, x − shift, memberships): `Triangle` with a last column per class but the last."""

    whole: ClassVar[bool] = False  # LAPACK does not thread inside; blocks run side by side

    def __init__(self, design: Design, k: int, shift: Array):
        self.design, self.k, self.shift = design, k, shift

    def summarize(self, batch: Batch) -> Triangle:
        width = len(self.shift) + 1
        total = Triangle(0, np.zeros((0, width)), 0.0)
        for x, y, w in with_memberships(batch, self.design, self.k, max(4096, 2 * width)):
            rows = np.empty((len(x), width), order="F")
            rows[:, 0], rows[:, 1:-1], rows[:, -1] = 1.0, x - self.shift[:-1], y - self.shift[-1]
            if w is not None:
                rows *= np.sqrt(w)[:, None]
            total += Triangle(len(x), shrink_rows(rows), float(len(x) if w is None else w.sum()))
        return total


def with_memberships(batch: Batch, design: Design, k: int, n_rows: int) -> Iterator[tuple[Array, Array, Array | None]]:
    """Encoded rows, memberships and weights, `n_rows` at a time; the membership in the last class needs no column.

    The kernel takes one target: all others stand as columns beside those of the design.
    """
    for x, codes, w in rows_with_target(batch, design, n_rows):
        others = (codes[:, None] == np.arange(k - 2)).astype(x.dtype)
        yield np.hstack([x, others]) if k > 2 else x, (codes == k - 2).astype(np.float64), w
