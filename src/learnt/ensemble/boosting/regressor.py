"""Numbers by gradient boosting."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, ClassVar, Literal

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.ensemble.boosting.explain import explain_numbers
from learnt.ensemble.boosting.learner import GradientBoosting
from learnt.ensemble.boosting.losses import Loss, numbers_of
from learnt.ensemble.boosting.settings import DOMAINS
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real

_LOSSES = {
    "squared_error": "squared",
    "absolute_error": "absolute",
    "huber": "huber",
    "quantile": "quantile",
    "poisson": "poisson",
}


class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Add up small trees, each grown to lower the loss that those before it have left.

        F(x) = F₀ + Σ_t f_t(x)      f_t at a leaf: −η Σg / (Σh + λ)

    with g and h the first and second derivative of the loss at the rows of the leaf; of the squared error their
    residuals' mean, drawn to 0 by λ rows.

    >>> table = {"rooms": [1, 2, 3, 4], "town": ["Bern", "Bern", "Basel", None]}
    >>> model = GradientBoostingRegressor(min_samples_leaf=1).fit(table, [500.0, 700.0, 900.0, 1300.0])
    >>> model.predict({"rooms": [4], "town": [None]}).round().tolist()
    [1297.0]

    Numbers are put into at most `max_bins` bins first; categories are split into two sets; missing cells go to the
    side where they lower the loss most; categories never seen go where missing cells go. A `scan` of files larger than
    memory gives the same trees.

    {settings}

    Attributes: `trees_`; `n_iter_`; `train_score_` and `validation_score_`, minus the mean loss before the first round
    and after each; `feature_importances_`.

    Reference: J. H. Friedman, Greedy function approximation: a gradient boosting machine, 2001.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 60.0
    simplicity = 80.0
    search_space: ClassVar[dict[str, Any]] = {
        "learning_rate": (0.03, 0.1),
        "max_leaf_nodes": (7, 31),
        "min_samples_leaf": (5, 20),
        "l2_regularization": (1.0, 10.0),
    }

    loss: str = setting(
        OneOf(*_LOSSES),
        'for the mean; "absolute_error": the median; "huber": between the two; "quantile"; "poisson": '
        "counts, as the exponential of the sum of trees",
        default="squared_error",
    )
    quantile: float = setting(Real(above=0, below=1), 'which quantile, with loss="quantile"', default=0.5)
    huber_width: float | None = setting(
        OneOf(None) | Real(above=0),
        'with loss="huber", errors beyond it count by their size, no longer by their square; None: where '
        "a tenth of the targets lies farther from their median",
        default=None,
    )
    learning_rate: float = setting(DOMAINS["learning_rate"], "η, the part of each step that is taken", default=0.1)
    max_iter: int = setting(DOMAINS["max_iter"], "rounds, at most", default=100)
    growth: Literal["leaf", "depth"] = setting(
        DOMAINS["growth"], 'split the leaf that gains most, or "depth": level by level', default="leaf"
    )
    max_leaf_nodes: int | None = setting(
        DOMAINS["max_leaf_nodes"], "leaves of a tree, at most; None: no limit", default=31
    )
    max_depth: int | None = setting(DOMAINS["max_depth"], "tests on the way to a leaf, at most", default=None)
    min_samples_leaf: int | None = setting(
        DOMAINS["min_samples_leaf"],
        "least rows of a leaf, counted by weight; None: 20, of fewer than 200 rows a tenth of them",
        default=None,
    )
    l2_regularization: float = setting(
        DOMAINS["l2_regularization"],
        "λ: leaves of few rows take small steps; not where they take quantiles",
        default=1.0,
    )
    max_features: float = setting(DOMAINS["max_features"], "the share of columns drawn for each test", default=1.0)
    subsample: float = setting(DOMAINS["subsample"], "the share of rows drawn for each round", default=1.0)
    sampling: str = setting(
        DOMAINS["sampling"],
        'which rows those are, or "gradient": two thirds of them those of the largest gradients, the others '
        "drawn to stand for all the rest",
        default="uniform",
    )
    max_bins: int = setting(DOMAINS["max_bins"], "bins of a column", default=255)
    monotonic_cst: Any = setting(
        DOMAINS["monotonic_cst"], "by column 1: predictions never fall as it rises, −1: never rise", default=None
    )
    interaction_cst: Any = setting(
        DOMAINS["interaction_cst"],
        'groups of columns that may stand on a way to a leaf; "pairwise", "no_interactions"',
        default=None,
    )
    early_stopping: Any = setting(
        DOMAINS["early_stopping"],
        'hold out rows and stop when they gain no more; "auto": of more than 10 000 rows',
        default="auto",
    )
    validation_fraction: float = setting(DOMAINS["validation_fraction"], "the share held out", default=0.1)
    n_iter_no_change: int = setting(
        DOMAINS["n_iter_no_change"],
        "rounds without gain after which it stops; trees up to the best round are kept",
        default=10,
    )
    tol: float = setting(DOMAINS["tol"], "what counts as a gain", default=1e-7)
    warm_start: bool = setting(
        DOMAINS["warm_start"], "whether `fit` goes on with the trees of the last one", default=False
    )
    random_state: Any = setting(DOMAINS["random_state"], "seed of what is drawn, held out and rounded", default=0)

    _link: str = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        parameter = {"quantile": self.quantile, "huber": self.huber_width or 0.0}.get(self.loss, 0.0)
        self._link = "log" if self.loss == "poisson" else "identity"
        yield from self._boosted(training, self._task(training, Loss(_LOSSES[self.loss], 1, float(parameter))))

    # Using

    def _predict(self, table: Table) -> Array:
        return numbers_of(self._raw(table)[:, 0], self._link)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round."""
        still = self._still()
        return (numbers_of(raw[:, 0], still._link) for raw in still._staged_raw(X))

    def _explain(self, table: Table) -> Explanations:
        return explain_numbers(self.trees_, self._start, table, self._link)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if len(self._start) != 1 or self._link not in ("identity", "log"):
            raise SavedModelError("A regressor has one score, and the link is 'identity' or 'log'.")
