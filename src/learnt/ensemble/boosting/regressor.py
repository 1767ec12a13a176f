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
from learnt.learner.parameters import Domain, OneOf, Real

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

    | setting | default | meaning | range |
    |---|---|---|---|
    | `loss` | "squared_error" | for the mean; "absolute_error": the median; "huber": between the two; "quantile"; \
"poisson": counts, as the exponential of the sum of trees | |
    | `quantile` | 0.5 | which quantile, with loss="quantile" | (0, 1) |
    | `huber_width` | None | with loss="huber", errors beyond it count by their size, no longer by their square; None: \
where a tenth of the targets lies farther from their median | > 0 |
    | `learning_rate` | 0.1 | η, the part of each step that is taken | > 0 |
    | `max_iter` | 100 | rounds, at most | ≥ 1 |
    | `growth` | "leaf" | split the leaf that gains most, or "depth": level by level | |
    | `max_leaf_nodes` | 31 | leaves of a tree, at most; None: no limit | ≥ 2 |
    | `max_depth` | None | tests on the way to a leaf, at most | ≥ 1 |
    | `min_samples_leaf` | None | least rows of a leaf, counted by weight; None: 20, of fewer than 200 rows a tenth of \
them | ≥ 1 |
    | `l2_regularization` | 1.0 | λ: leaves of few rows take small steps; not where they take quantiles | ≥ 0 |
    | `max_features` | 1.0 | the share of columns drawn for each test | (0, 1] |
    | `subsample` | 1.0 | the share of rows drawn for each round | (0, 1] |
    | `sampling` | "uniform" | which rows those are, or "gradient": two thirds of them those of the largest slopes, \
the others drawn to stand for all the rest | |
    | `max_bins` | 255 | bins of a column | 2 to 255 |
    | `monotonic_cst` | None | by column 1: predictions never fall as it rises, −1: never rise | |
    | `interaction_cst` | None | groups of columns that may stand on a way to a leaf; "pairwise", "no_interactions" | |
    | `early_stopping` | "auto" | hold out rows and stop when they gain no more; "auto": of more than 10 000 rows | |
    | `validation_fraction` | 0.1 | the share held out | (0, 1) |
    | `n_iter_no_change` | 10 | rounds without gain after which it stops; trees up to the best round are kept | ≥ 1 |
    | `tol` | 1e-7 | what counts as a gain | ≥ 0 |
    | `warm_start` | False | whether `fit` goes on with the trees of the last one | |
    | `random_state` | 0 | seed of what is drawn, held out and rounded | |

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
    domains: ClassVar[dict[str, Domain]] = {
        "loss": OneOf(*_LOSSES),
        "quantile": Real(above=0, below=1),
        "huber_width": OneOf(None) | Real(above=0),
        **DOMAINS,
    }

    _link: str

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        quantile: float = 0.5,
        huber_width: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        growth: Literal["leaf", "depth"] = "leaf",
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int | None = None,
        l2_regularization: float = 1.0,
        max_features: float = 1.0,
        subsample: float = 1.0,
        sampling: str = "uniform",
        max_bins: int = 255,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        early_stopping: Any = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        warm_start: bool = False,
        random_state: Any = 0,
    ):
        self.loss = loss
        self.quantile = quantile
        self.huber_width = huber_width
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.growth = growth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.subsample = subsample
        self.sampling = sampling
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state

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
