"""Classes by gradient boosting."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.ensemble.boosting.course import Boosted
from learnt.ensemble.boosting.explain import explain_leads
from learnt.ensemble.boosting.learner import GradientBoosting
from learnt.ensemble.boosting.losses import class_loss, shares_of
from learnt.ensemble.boosting.settings import DOMAINS
from learnt.ensemble.trees.forest import Forest
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Classifier
from learnt.learner.class_weights import CLASS_WEIGHTS
from learnt.learner.parameters import Domain


class GradientBoostingClassifier(GradientBoosting, Classifier):
    """Add up small trees, each grown to lower the loss that those before it have left.

        F(x) = F₀ + Σ_t f_t(x)      f_t at a leaf: −η Σg / (Σh + λ)      p(c | x) = softmax F_c(x)

    with g = p − y and h = p (1 − p) over the rows of the leaf. Two classes have one score, the log-odds of the second;
    more have one each, and as many trees a round.

    >>> table = {"age": [22, 25, 47, 52, 46, 56], "town": ["Bern", "Bern", "Basel", "Basel", None, "Bern"]}
    >>> model = GradientBoostingClassifier(min_samples_leaf=1).fit(table, ["no", "no", "yes", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 50], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    Numbers are put into at most `max_bins` bins first; categories are split into two sets; missing cells go to the
    side where they lower the loss most; categories never seen go where missing cells go. A `scan` of files larger than
    memory gives the same trees.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `learning_rate` | 0.1 | η, the part of each step that is taken | > 0 |
    | `max_iter` | 100 | rounds, at most | ≥ 1 |
    | `growth` | "leaf" | split the leaf that gains most, or "depth": level by level | |
    | `max_leaf_nodes` | 31 | leaves of a tree, at most; None: no limit | ≥ 2 |
    | `max_depth` | None | tests on the way to a leaf, at most | ≥ 1 |
    | `min_samples_leaf` | None | least rows of a leaf, counted by weight; None: 20, of fewer than 200 rows a tenth of \
them | ≥ 1 |
    | `l2_regularization` | 1.0 | λ: keeps the steps of leaves small whose rows are all but certain, where Σh is next \
to nothing | ≥ 0 |
    | `max_features` | 1.0 | the share of columns drawn for each test | (0, 1] |
    | `subsample` | 1.0 | the share of rows drawn for each round | (0, 1] |
    | `sampling` | "uniform" | which rows those are, or "gradient": two thirds of them those of the largest slopes, \
the others drawn to stand for all the rest | |
    | `max_bins` | 255 | bins of a column | 2 to 255 |
    | `monotonic_cst` | None | by column 1: the share of the second class never falls as it rises, −1: never rises | |
    | `interaction_cst` | None | groups of columns that may stand on a way to a leaf; "pairwise", "no_interactions" | |
    | `early_stopping` | "auto" | hold out rows and stop when they gain no more; "auto": of more than 10 000 rows | |
    | `validation_fraction` | 0.1 | the share held out | (0, 1) |
    | `n_iter_no_change` | 10 | rounds without gain after which it stops; trees up to the best round are kept | ≥ 1 |
    | `tol` | 1e-7 | what counts as a gain | ≥ 0 |
    | `class_weight` | None | weights by class, or "balanced": all classes weigh the same | |
    | `warm_start` | False | whether `fit` goes on with the trees of the last one | |
    | `random_state` | 0 | seed of what is drawn, held out and rounded | |

    Attributes: `trees_`; `n_iter_`; `train_score_` and `validation_score_`, minus the mean loss before the first round
    and after each; `feature_importances_`.

    Reference: J. H. Friedman, Greedy function approximation: a gradient boosting machine, 2001.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})
    fit_cost = 60.0
    simplicity = 80.0
    search_space: ClassVar[dict[str, Any]] = {
        "learning_rate": (0.03, 0.1),
        "max_leaf_nodes": (7, 31),
        "min_samples_leaf": (5, 20),
        "l2_regularization": (1.0, 10.0),
    }
    domains: ClassVar[dict[str, Domain]] = {**DOMAINS, "class_weight": CLASS_WEIGHTS}

    def __init__(
        self,
        *,
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
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
    ):
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
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        task = self._task(training, class_loss(len(self.classes_)), self.class_weight)
        if len(self.classes_) == 1:
            self._keep(Boosted(Forest.empty(), np.zeros(1), (0.0,), ()))
            return
        yield from self._boosted(training, task)

    # Using

    def _probabilities(self, table: Table) -> Array:
        return self._shares(self._raw(table))

    def _shares(self, raw: Array) -> Array:
        return np.ones((len(raw), 1)) if len(self.classes_) == 1 else shares_of(raw)

    def decision_function(self, X: Any) -> Array:
        """The raw score of each class; of two classes that of the second alone, its log-odds."""
        still = self._still()
        return _narrow(still._over(X, still._raw))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """`decision_function` after each round."""
        return map(_narrow, self._staged_raw(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """`predict_proba` after each round."""
        still = self._still()
        return map(still._shares, still._staged_raw(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round."""
        still = self._still()
        return (still.classes_[shares.argmax(axis=1)] for shares in still.staged_predict_proba(X))

    def _explain(self, table: Table) -> Explanations:
        return explain_leads(self.trees_, self._start, table, self.classes_.tolist())

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        if len(self._start) != (k if k > 2 else 1):
            raise SavedModelError("The scores do not fit the classes.")


def _narrow(raw: Array) -> Array:
    return raw[:, 0] if raw.shape[1] == 1 else raw
