"""Ranking: the score that puts the better row of a pair first."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.table import Array, Table, unknown_column
from learnt.engine.blas import one_blas_thread
from learnt.engine.first_look import look_at
from learnt.engine.sizes import check_sizes, refused_overflow
from learnt.engine.training import Training, prepare
from learnt.engine.whole import InMemory
from learnt.errors import InputError, ParameterError
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain
from learnt.learner.settings import clone
from learnt.learner.text.counting import with_words
from learnt.linear.logistic.problem import View
from learnt.linear.several.row_pairs import Pairs, pairs_of, query_codes, with_ranks
from learnt.linear.weighted_sum import LinearRegressor

#: Most cells of a table of differences, which only a given learner needs.
_CELLS = 1 << 27


class LinearPair(Domain):
    words = "None or a classifier of learnt with coefficients, such as LogisticRegression or LinearSVC"

    def __contains__(self, value: object) -> bool:
        return value is None or (isinstance(value, Classifier) and "text" not in value.abilities)


class PairwiseRanker(LinearRegressor, listed=False):
    """Score rows so that in each query the better rows come first: learnt from pairs, as a choice between two rows.

        b = argmin Σ_{i better than j, same query} log(1 + e^{−b·(z_i − z_j)}) + ½‖b‖²

    >>> cars = {"speed": [120.0, 150.0, 180.0, 90.0, 140.0], "price": [10.0, 20.0, 60.0, 5.0, 12.0]}
    >>> model = PairwiseRanker().fit(cars, [2, 3, 1, 1, 2], groups=["anna", "anna", "anna", "bert", "bert"])
    >>> model.rank(cars, groups=["anna", "anna", "anna", "bert", "bert"]).tolist()
    [2, 1, 3, 2, 1]

    `fit(X, y, groups=)`: `y` says how good a row is, as numbers or ordered labels, and is compared only within a
    query; `groups` names the query of each row (an array, or a column of `X`); without it all rows are of one. z are
    standardised columns, encoded as in `LinearRegression`; coefficients are those of the columns as they are.

    {settings}

    With `learner` a support vector machine this is RankSVM.

    Attributes: `coef_`, `coefficient_names_`, `intercept_` (such that the average row scores 0), `n_pairs_`. `predict`
    gives scores, the higher the better; `rank` places within a query; `score` the mean of Kendall's τ over queries.

    Reference: T. Joachims, Optimizing Search Engines using Clickthrough Data, KDD 2002.
    """

    task = "ranking"
    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    fit_cost = 12.0
    simplicity = 14.0
    takes_groups: ClassVar[bool] = True
    rows_stand_alone = False

    learner: Any = setting(
        LinearPair(),
        "a linear classifier, fitted on differences of rows; None: as above, without such a table",
        default=None,
        kw_only=False,
    )

    n_pairs_: int = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn from the pairs of rows within each query whose `y` differ."""
        self._check_parameters()
        training, queries = self._prepared_pairs(X, y, sample_weight, groups)
        assert isinstance(training.source, Table)
        rows, target, weights = training.source, training.target, training.weights
        if weights is not None and not weights.all():  # a row of weight 0 is in no pair
            there = np.flatnonzero(weights)
            rows, target, weights, queries = rows.take(there), target[there], weights[there], queries[there]
        if rows.sparse is None:
            check_sizes(rows, weights)
        look = look_at(rows, weights, drop_reference=True)
        design, (mean, variance) = look.design, look.moments
        view = View.of(mean, variance, intercept=True)
        pairs = pairs_of(target, queries, weights)
        if not len(pairs):
            raise InputError(
                "No query has two rows that differ in y, so that there is nothing to compare. "
                "Give groups= of several rows, and y that tells the better ones."
            )
        twin = self._twin(training.schema, words=training.words)
        with one_blas_thread(), refused_overflow():
            x = design.encode(rows)
            fitted = _by_likelihood if self.learner is None else self._by_learner
            coef = fitted(x, view, pairs) * view.scale
        twin._keep_coefficients(design, coef, -float(mean @ coef), mean)
        twin.n_pairs_ = len(pairs)
        return self._become(twin)

    def _prepared_pairs(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Training, Array]:
        InMemory("compares the rows of a query in pairs").check(X, type(self).__name__)
        table = X if isinstance(X, Table) else Table(X)
        table, y = with_ranks(table, y)
        queries = groups
        if isinstance(groups, str):
            if groups not in table:
                raise InputError(f"groups={groups!r} names a column. {unknown_column(groups, table.names)}")
            queries, table = table[groups], table.drop(groups)
        name = type(self).__name__
        training = prepare(table, y, sample_weight, "numbers", name, check_cells=True)
        training = with_words(training, self.takes_text, name)
        for _ in training.batches():  # looks for infinite cells
            pass
        return training, query_codes(queries, table.n_rows)

    def _by_learner(self, x: Any, view: View, pairs: Pairs) -> Array:
        """The coefficients a classifier gives differences; every other one is turned, for it needs two classes."""
        if len(pairs) * x.shape[1] > _CELLS and isinstance(x, np.ndarray):
            raise InputError(
                f"{len(pairs):,} pairs of {x.shape[1]} columns make too large a table of differences. "
                "Leave learner out: the ranker's own fit needs no such table."
            )
        sign = np.where(np.arange(len(pairs)) % 2 == 0, 1.0, -1.0)
        if isinstance(x, np.ndarray):
            table = (x[pairs.better] - x[pairs.worse]) * (sign[:, None] * view.scale)
        else:
            from scipy.sparse import diags_array

            table = (diags_array(sign) @ (x[pairs.better] - x[pairs.worse]) @ diags_array(view.scale)).tocsr()
        settings = {"fit_intercept": False} if "fit_intercept" in self.learner.get_params() else {}
        model = clone(self.learner).set_params(**settings)
        model.fit(table, sign > 0, None if (pairs.weights == 1).all() else pairs.weights)
        coef = np.atleast_2d(getattr(model, "coef_", np.zeros((1, 0))))
        if coef.shape[1] != x.shape[1]:  # none, or those of statements about differences
            raise ParameterError(
                f"PairwiseRanker: learner={self.learner!r} has no coefficient for each column, so that its answers on "
                "pairs make no score of a row. Expected a linear classifier, such as LogisticRegression."
            )
        found: Array = coef[-1] if len(coef) == 1 else coef[1] - coef[0]  # of two scores, the lead of the second
        return found

    def rank(self, X: Any, groups: Any = None) -> Array:
        """The place of each row in its query, 1 for the best; equal scores share the better place."""
        scores, queries = self._scored_rows(X, groups)
        order = np.lexsort((-scores, queries))
        q, s = queries[order], scores[order]
        at = np.arange(len(order))
        first = np.maximum.accumulate(np.where(np.append(True, q[1:] != q[:-1]), at, 0))
        equal = np.maximum.accumulate(np.where(np.append(True, (q[1:] != q[:-1]) | (s[1:] != s[:-1])), at, 0))
        places = np.empty(len(order), np.int64)
        places[order] = equal - first + 1
        return places

    def _scored_rows(self, X: Any, groups: Any) -> tuple[Array, Array]:
        table = X if isinstance(X, Table) else Table(X)
        queries = table[groups] if isinstance(groups, str) and groups in table else groups
        scores = self.predict(X)
        return scores, query_codes(queries, len(scores))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> float:
        """Kendall's τ_b between score and `y`, averaged over the queries that order anything; 1 at best.

        A query counts by the weight of its rows. NaN where no query has rows that differ in `y`.
        """
        from scipy.stats import kendalltau

        training, _ = self._prepared_pairs(X, y, sample_weight, groups)
        scores, queries = self._scored_rows(X, groups)
        weights = np.ones(len(scores)) if training.weights is None else training.weights
        found, sizes = [], []
        for rows in np.split(np.argsort(queries, kind="stable"), np.cumsum(np.bincount(queries))[:-1]):
            rows = rows[weights[rows] > 0]
            if len(rows) and np.ptp(training.target[rows]) > 0:
                tied = np.ptp(scores[rows]) == 0
                found.append(0.0 if tied else float(kendalltau(training.target[rows], scores[rows]).statistic))
                sizes.append(float(weights[rows].sum()))
        return float(np.average(found, weights=sizes)) if found else float("nan")


def _by_likelihood(x: Any, view: View, pairs: Pairs) -> Array:
    """Newton's method with trust regions; differences of rows are never made, only those of scores.

    With t = X b and d = t[better] − t[worse], the gradient is Xᵀ r for r the sums of −w σ(−d) at the better rows and
    of +w σ(−d) at the worse ones; products with the second derivatives are of the same form.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    n, (better, worse, w) = x.shape[0], (pairs.better, pairs.worse, pairs.weights)

    def along(b: Array) -> Array:
        t: Array = x @ (b * view.scale)
        ahead: Array = t[better] - t[worse]
        return ahead

    def gathered(by_pair: Array) -> Array:
        by_row = np.bincount(better, by_pair, n) - np.bincount(worse, by_pair, n)
        gradient: Array = (x.T @ by_row) * view.scale
        return gradient

    def objective(b: Array) -> tuple[float, Array]:
        d = along(b)
        return float(w @ np.logaddexp(0, -d) + 0.5 * b @ b), gathered(-w * expit(-d)) + b

    def product(b: Array, v: Array) -> Array:
        p = expit(along(b))
        return gathered(w * p * (1 - p) * along(v)) + v

    start = np.zeros(x.shape[1])
    tight = 1e-9 * max(1.0, float(np.linalg.norm(objective(start)[1])))
    coef: Array = minimize(objective, start, jac=True, hessp=product, method="trust-ncg", options={"gtol": tight}).x
    return coef
