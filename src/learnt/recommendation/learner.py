"""Matrix factorisation: users and items as vectors, a rating as their product."""

from __future__ import annotations

import math
import warnings
from typing import Any, Self

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.recommendation.als import ROUNDS, Penalty, Solution, Task, alternate, half_sweep
from learnt.recommendation.answers import FactorAnswers
from learnt.recommendation.blocks import DiskRatings
from learnt.recommendation.evidence import Reasons
from learnt.recommendation.factors import SideFactors
from learnt.recommendation.folding import folded, read_more
from learnt.recommendation.ratings import MemoryRatings, Scaling, joined_blocks
from learnt.recommendation.reading import Given, read_ratings
from learnt.recommendation.sgd import descend

#: The last word of users, so that reasons add up: exact up to this rank, beyond by many steps.
EXACT_RANK, LAST_STEPS = 64, 30


class MatrixFactorization(FactorAnswers, listed=False):
    """Learn vectors of users and items from ratings; their products are the ratings not yet given.

        r ≈ mean + b_user + c_item + x_user·y_item

    >>> rows = {"user": ["Ann", "Ann", "Bob", "Bob", "Cem", "Cem", "Cem"],
    ...         "item": ["Alien", "Heat", "Alien", "Heat", "Alien", "Heat", "Up"],
    ...         "rating": [5, 1, 4, 2, 5, 1, 2]}
    >>> model = MatrixFactorization(2).fit(rows)
    >>> model.recommend("Ann").items
    ('Up',)
    >>> [item for item, score in model.recommend("somebody new")]
    ['Alien', 'Up', 'Heat']

    A table has a row for each rating: columns called user, item, rating and perhaps weight, or named when fitting, else
    the first three. Ids are texts, numbers, anything. Explicit ratings are standardised, then

        Σ w (t − b_u − c_i − x_u·y_i)² + λ Σ_u (n_u + m) (|x_u|² + b_u²) + λ Σ_i (n_i + m) (|y_i|² + c_i²)

    is made small, m being `prior_count`. Implicit feedback (clicks, plays, sales) says what was liked, never what was
    not: all pairs count, those without rows as 0 with confidence 1, those with rows as 1 with confidence
    1 + `confidence`·Σ w r / (mean of |r|).

    {settings}

    Attributes: `user_factors_`, `item_factors_`, `user_bias_`, `item_bias_` (in units of `scale_`), `mean_`, `scale_`,
    `confidence_` (what a rating of 1 adds), `users_`, `items_`, `objectives_` (after each sweep, never rising),
    `n_iter_`, `converged_`, `n_left_out_`.

    Reference: Y. Koren, R. Bell, C. Volinsky, Matrix factorization techniques for recommender systems, 2009.
    """

    rank: int = setting(Whole(1, 4096), "numbers in each vector", default=32, kw_only=False)
    feedback: str = setting(OneOf("explicit", "implicit"), "what ratings say", default="explicit")
    solver: str = setting(
        OneOf("als", "exact", "sgd"),
        'least squares by turns, by conjugate gradients ("als") or Cholesky ("exact"); gradient descent',
        default="als",
    )
    regularization: float = setting(Real(0, 1e9), "λ", default=0.1)
    by_count: bool = setting(
        Flag(), "multiply λ by n + `prior_count`, n being the weight of a user's or item's ratings", default=True
    )
    prior_count: float = setting(Real(0, 1e9), "m, so that of whom little is known little is said", default=10.0)
    biases: bool = setting(Flag(), "mean and biases beside the factors", default=True)
    nonnegative: bool = setting(Flag(), "factors are not below 0", default=False)
    confidence: float = setting(Real(0), "of implicit feedback: what a mean row adds to the confidence", default=5.0)
    cg_steps: int = setting(Whole(1, 1000), 'steps for each row and sweep of "als"', default=3)
    max_iter: int = setting(Whole(1), "most sweeps", default=100)
    tol: float = setting(
        Real(0), "stop when a sweep lowers the objective by less than this share of the first one's", default=1e-3
    )
    learning_rate: float = setting(
        Real(None, 1e6, above=0), 'of "sgd" at first; it follows the objective', default=0.02
    )
    keep_ratings: bool | None = setting(
        Flag() | OneOf(None),
        "keep ratings to tell seen items and reasons; None: unless they come from a scan",
        default=None,
    )
    precision: str = setting(OneOf("single", "double"), "numbers of 32 bits or 64", default="single")
    random_state: Any = setting(Seed(), "seed of the start", default=0)

    objectives_: Array = attribute()
    converged_: bool = attribute()
    confidence_: float = attribute()
    n_left_out_: int = attribute()
    _roles: tuple[str | None, str | None] = attribute()

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        user: str | None = None,
        item: str | None = None,
        rating: str | None = None,
        weight: str | None = None,
    ) -> Self:
        """Learn from a table of ratings: a frame, an array, a `Table`, or a `scan` of files larger than memory.

        `user`, `item`, `rating`, `weight` name columns. `y` may hold the ratings, `sample_weight` the weights instead.
        Rows without a user, an item or a rating are left out. Ratings of one pair are averaged, implicit ones added.
        """
        self._check_parameters()
        self._check_together()
        told = {"user": user, "item": item, "rating": rating, "weight": weight}
        name, implicit = type(self).__name__, self.feedback == "implicit"
        scaling = Scaling(implicit, confidence=float(self.confidence))
        given = read_ratings(
            X, y, sample_weight, told, scaling, centred=bool(self.biases), real=self._real(), owner=name
        )
        try:
            twin = self._twin(given.schema)
            twin._factorize(given, name)
        finally:
            if isinstance(given.ratings, DiskRatings):
                given.ratings.close()
        return self._become(twin)

    def _check_together(self) -> None:
        wrong = [
            word
            for word, used in (('feedback="implicit"', self.feedback == "implicit"), ("nonnegative", self.nonnegative))
            if used and self.solver == "sgd"
        ]
        if wrong:
            raise ParameterError(
                f'solver="sgd" is for explicit ratings and factors of any sign, not for {wrong[0]}. Use solver="als".'
            )

    def _real(self) -> Any:
        return np.float32 if self.precision == "single" else np.float64

    @property
    def _penalty(self) -> Penalty:
        return Penalty(float(self.regularization), bool(self.by_count), float(self.prior_count))

    def _solver(self) -> tuple[str, int]:
        if self.nonnegative:
            return "nonnegative", ROUNDS
        return ("exact", 1) if self.solver == "exact" else ("cg", int(self.cg_steps))

    def _factorize(self, given: Given, owner: str) -> None:
        ratings, weights = given.ratings, given.ratings.weights
        task = Task(ratings, given.scaling.implicit, self._penalty)
        seed, real = seed_from(self.random_state), self._real()
        rng, sgd = np.random.default_rng(seed), self.solver == "sgd"
        x = SideFactors.zeros(len(weights["user"]), int(self.rank), bool(self.biases), real)
        y = SideFactors.zeros(len(weights["item"]), int(self.rank), bool(self.biases), real)
        if sgd:
            x.draw(rng, 0.1, False)
        y.draw(rng, 0.1 if sgd else 1 / np.sqrt(self.rank), bool(self.nonnegative))
        start, most, tol = Solution(x, y), int(self.max_iter), float(self.tol)
        if sgd:
            found = descend(task, start, float(self.learning_rate), seed, most, tol, owner)
        else:
            solver, steps = self._solver()
            found = alternate(task, start, solver, steps, most, tol, owner)
            solver, steps = self._last_solver()
            half_sweep(task, "user", found.x, found.y, solver, steps)
        self._keep(found, given)
        if not found.converged:
            warnings.warn(
                convergence_warning(
                    f"{owner} stopped after {self.max_iter} sweeps, the last of which still lowered the objective by "
                    f"more than tol={self.tol} of the first one's. Raise max_iter or tol."
                ),
                stacklevel=4,
            )

    def _last_solver(self) -> tuple[str, int]:
        if self.nonnegative:
            return "nonnegative", 4 * ROUNDS
        return ("exact", 1) if self.rank <= EXACT_RANK else ("cg", LAST_STEPS)

    def _keep(self, found: Solution, given: Given) -> None:
        self._keep_sides(found.x, found.y)
        self.mean_, self.scale_ = given.scaling.mean, given.scaling.scale
        self.confidence_ = given.scaling.confidence
        self.objectives_, self.converged_ = np.array(found.objectives), found.converged
        self.n_left_out_ = given.n_left_out
        self._user_weights, self._item_weights = given.ratings.weights["user"], given.ratings.weights["item"]
        self._roles = given.roles.rating, given.roles.weight
        if isinstance(given.ratings, MemoryRatings):
            self._history = None if self.keep_ratings is False else given.ratings.by_user
        else:
            self._history = None
            if self.keep_ratings:
                self._history = joined_blocks([block for _, block in given.ratings.blocks("user")])

    def _keep_sides(self, x: SideFactors, y: SideFactors) -> None:
        self.user_factors_, self.user_bias_ = x.plain, x.bias
        self.item_factors_, self.item_bias_ = y.plain, y.bias

    @property
    def n_iter_(self) -> int:
        """Sweeps, or epochs."""
        self._fitted_schema()
        return len(self.objectives_)

    # More of the same

    def fold_in(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more ratings without fitting again: vectors of their users and of items that are new are solved for,
        all others stay. Columns are called as when fitting.

        Users of the table are solved from all their ratings, which for known ones must have been kept.
        """
        self._fitted_schema()
        return self._become(folded(self._still(), X, y, sample_weight))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² of explicit ratings: the share of their variance that predictions account for."""
        self._fitted_schema()
        if self.feedback == "implicit":
            raise InputError("Implicit feedback has no ratings to be met. Judge lists by score_recommendations.")
        rows, (users, items) = read_more(self, X, y, sample_weight)
        w = np.ones(len(rows.values)) if rows.weights is None else rows.weights
        answer = self.predict(Table.of_columns([users, items], named=self._schema.named))
        # R² has no unit, and in this one no square overflows.
        unit = math.ldexp(1.0, -math.frexp(max(np.abs(rows.values).max(), np.abs(answer).max()))[1] // 2)
        rated, answer = rows.values * unit * unit, answer * unit * unit
        residual = float(np.average((rated - answer) ** 2, weights=w))
        variance = float(np.average((rated - np.average(rated, weights=w)) ** 2, weights=w))
        return 1 - residual / variance if variance > 0 else float(residual == 0)

    # Reasons

    @property
    def _reasons(self) -> Reasons:
        names = self._schema.columns[0].name, self._schema.columns[1].name
        return Reasons(
            self._x, self._y, self._history, self._penalty.of(self._user_weights), self.feedback == "implicit",
            bool(self.nonnegative), self.mean_, self.scale_, names, self._schema.columns[1].categories,
        )  # fmt: skip

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        return (
            f"{self.feedback} ratings of {len(self._user_weights):,} users and {len(self._item_weights):,} items "
            f"in {self.rank} factors{' and biases' if self.biases else ''}, {self.n_iter_} sweeps"
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        _check_parts(self, self._schema)


def _check_parts(model: MatrixFactorization, schema: Schema) -> None:
    """Raise where factors, biases, weights and kept ratings do not fit each other."""
    if len(schema) != 2 or not all(column.kind == "nominal" for column in schema):
        raise SavedModelError("The columns are not those of users and items.")
    users, items = (len(column.categories) for column in schema)
    history = model._history
    sides = (
        (users, model.user_factors_, model.user_bias_, model._user_weights),
        (items, model.item_factors_, model.item_bias_, model._item_weights),
    )
    for n, factors, bias, weights in sides:
        fits = factors.shape == (n, model.rank) and factors.dtype == model._real() and weights.shape == (n,)
        if bias is not None:
            fits = fits and bias.shape == (n,) and bias.dtype == factors.dtype and bool(np.isfinite(bias).all())
        if not fits or (bias is None) == bool(model.biases) or not np.isfinite(factors).all():
            raise SavedModelError("The factors do not fit the users and items.")
    if history is not None and (
        len(history) != users
        or (history.n_ratings and not 0 <= int(history.indices.min()) <= int(history.indices.max()) < items)
    ):
        raise SavedModelError("The ratings do not fit the users and items.")
