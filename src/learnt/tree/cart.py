"""CART: binary trees by impurity, for classes and for numbers, on any table."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.learner.parameters import Domain, OneOf, Real, Rows
from learnt.tree.arrays import TreeArrays
from learnt.tree.base import TreeClassifier, TreeRegressor, without_weightless, wrong_numbers
from learnt.tree.grow.cart import DOMAINS, PARTS, Cart
from learnt.tree.grow.chi2 import stop_by_chi2
from learnt.tree.prune.error_based import prune_error_based
from learnt.tree.prune.mdl import prune_mdl
from learnt.tree.prune.pruned import Pruned
from learnt.tree.prune.reduced_error import hold_out
from learnt.tree.settings import CLASS_WEIGHT, class_factors
from learnt.tree.smoothing import SMOOTHING, Smoothing


class DecisionTreeClassifier(Cart, TreeClassifier):
    """Ask one question at a time, each chosen so that the classes are mixed least behind it.

        gini = 1 − Σ_c p_c²        entropy = −Σ_c p_c·log₂ p_c        gain = i(S) − Σ_b |S_b|/|S| · i(S_b)

    >>> table = {"age": [22, 25, 47, 52], "town": ["Bern", "Basel", "Bern", "Basel"]}
    >>> print(DecisionTreeClassifier().fit(table, ["no", "no", "yes", "yes"]))
    age ≤ 36: no (2)
    age > 36: yes (2)

    Settings known from scikit-learn mean the same here, single-precision numbers give the same tree; counts of rows
    count weight.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `criterion` | "gini" | or "entropy" (also called "log_loss"), "gain_ratio", "misclassification" | |
    | `splitter` | "best" | the best test of each column, or "random": of each column one drawn test | |
    | `max_depth` | None | most tests on the way to a leaf | ≥ 1 |
    | `min_samples_split` | 2 | least weight of a node that is split, or its share of all | ≥ 2, or (0, 1] |
    | `min_samples_leaf` | 1 | least weight of each branch, or its share of all | ≥ 1, or (0, 1) |
    | `min_weight_fraction_leaf` | 0 | the same as a share | [0, ½] |
    | `max_features` | None | columns drawn at each node: a number, a share, "sqrt" or "log2"; all for None | |
    | `random_state` | 0 | seed of drawn columns, tests, folds and windows | |
    | `max_leaf_nodes` | None | grow the most useful node first, up to so many leaves | ≥ 2 |
    | `min_impurity_decrease` | 0 | least gain, times the node's share of all weight | ≥ 0 |
    | `class_weight` | None | weights by class, or "balanced": all classes weigh the same | |
    | `ccp_alpha` | 0 | prune tests that take away less impurity than this per leaf | ≥ 0 |
    | `nominal` | "subset" | categories in two sets, "equals": one against the others, "multiway": a branch each | |
    | `missing` | "learned" | where missing cells go, see below | |
    | `prune` | None | "cost_complexity", "cost_complexity_1se", "reduced_error", "error" or "mdl", see below | |
    | `chi2_alpha` | None | stop where a split has a p-value above it | (0, 1) |
    | `feature_costs` | None | costs by column, positive: columns are compared by gain² / cost | |
    | `monotonic_cst` | None | by column 1: the share of the second class never falls as it rises, −1: never rises | |
    | `smoothing` | None | of leaf probabilities: "laplace", or the m of an m-estimate | ≥ 0 |
    | `loss` | None | what answers cost, by (truth, answer) or rows truth, columns answer; predicts the cheapest | |
    | `window` | None | grow from so many rows (or that share), adding rows the tree gets wrong; takes a `scan` | |

    A missing cell goes to the branch where that lowers the impurity most ("learned"), to the heaviest branch
    ("majority"; "class_majority" while growing: the heaviest of the row's class), or with parts of its weight to all
    of them ("fractional"). Cells never seen go the way of missing ones.

    Pruning by "cost_complexity" takes the `ccp_alpha` that errs least in ten-fold cross-validation
    ("cost_complexity_1se": the largest within one standard error of it), "reduced_error" asks a third of the rows, held
    out of growing, "error" C4.5's pessimistic estimate, "mdl" the bits it takes to tell the tree and its errors.

    Attributes: `tree_` (arrays of all nodes: `tree_.node_count`, `tree_.children_left`, `tree_.threshold`, …), `cuts_`
    (what was pruned and why), `ccp_alpha_` (as chosen by cross-validation), `classes_`, `feature_importances_`.

    Reference: L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    """

    fit_cost = 10.0
    simplicity = 20.0
    search_space: ClassVar[dict[str, Any]] = {"max_depth": (2, 4, 8, None), "min_samples_leaf": (20, 5, 1)}
    domains: ClassVar[dict[str, Domain]] = {
        "criterion": OneOf("gini", "entropy", "log_loss", "gain_ratio", "misclassification"),
        **DOMAINS,
        "class_weight": CLASS_WEIGHT,
        "prune": OneOf(None, "cost_complexity", "cost_complexity_1se", "reduced_error", "error", "mdl"),
        "chi2_alpha": OneOf(None) | Real(above=0, below=1),
        "smoothing": SMOOTHING,
        "loss": OneOf(None) | Rows(),
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = 0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        nominal: Any = "subset",
        missing: Any = "learned",
        prune: Any = None,
        chi2_alpha: float | None = None,
        feature_costs: Any = None,
        monotonic_cst: Any = None,
        smoothing: Smoothing = None,
        loss: Any = None,
        window: Any = None,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.nominal = nominal
        self.missing = missing
        self.prune = prune
        self.chi2_alpha = chi2_alpha
        self.feature_costs = feature_costs
        self.monotonic_cst = monotonic_cst
        self.smoothing = smoothing
        self.loss = loss
        self.window = window

    def _grown(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        if self.loss is not None:
            self._losses()
        if self.class_weight is not None:
            factor = class_factors(self.class_weight, self.classes_, target, weights)[target]
            weights = factor if weights is None else weights * factor
            table, target, weights = without_weightless(table, target, weights)
        return super()._grown(table, target, weights)

    def _held_out(self, target: Array) -> Array:
        return hold_out(target, PARTS)

    def _held_out_cost(self) -> Any:
        return None

    def _stopped(self, tree: TreeArrays) -> Pruned:
        return Pruned(tree, ()) if self.chi2_alpha is None else stop_by_chi2(tree, float(self.chi2_alpha))

    def _pruned(self, tree: TreeArrays, table: Table, target: Array, weights: Array | None) -> Pruned:
        found = self._stopped(tree)
        if self.prune == "error":
            last = prune_error_based(found.tree)
        elif self.prune == "mdl":
            last = prune_mdl(found.tree, self._schema)
        else:
            last = super()._pruned(found.tree, table, target, weights)
        return Pruned(last.tree, found.cuts + last.cuts)

    def _cost_at(self, tree: TreeArrays, nodes: Array, targets: Array) -> Array:
        answers = self._decided(tree.value / tree.value.sum(axis=1, keepdims=True))[nodes]
        loss: Array = (answers != targets).astype(np.float64) if self.loss is None else self._losses()[targets, answers]
        return loss


class DecisionTreeRegressor(Cart, TreeRegressor):
    """Ask one question at a time, each chosen so that the numbers behind it lie closest together.

        squared error: i(S) = mean of (y − mean)²        absolute error: i(S) = mean of |y − median|

    A leaf predicts the mean, or with "absolute_error" the median of its rows.

    >>> table = {"rooms": [2, 3, 7, 8], "town": ["Bern", "Basel", "Bern", "Basel"]}
    >>> print(DecisionTreeRegressor(max_depth=1).fit(table, [100.0, 120.0, 250.0, 270.0]))
    rooms ≤ 5: 110 (2/100)
    rooms > 5: 260 (2/100)

    Settings known from scikit-learn mean the same here, single-precision numbers give the same tree; counts of rows
    count weight.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `criterion` | "squared_error" | or "absolute_error"; "mse" and "mae" for short | |
    | `splitter` | "best" | the best test of each column, or "random": of each column one drawn test | |
    | `max_depth` | None | most tests on the way to a leaf | ≥ 1 |
    | `min_samples_split` | 2 | least weight of a node that is split, or its share of all | ≥ 2, or (0, 1] |
    | `min_samples_leaf` | 1 | least weight of each branch, or its share of all | ≥ 1, or (0, 1) |
    | `min_weight_fraction_leaf` | 0 | the same as a share | [0, ½] |
    | `max_features` | None | columns drawn at each node: a number, a share, "sqrt" or "log2"; all for None | |
    | `random_state` | 0 | seed of drawn columns, tests and folds | |
    | `max_leaf_nodes` | None | grow the most useful node first, up to so many leaves | ≥ 2 |
    | `min_impurity_decrease` | 0 | least gain, times the node's share of all weight | ≥ 0 |
    | `ccp_alpha` | 0 | prune tests that take away less impurity than this per leaf | ≥ 0 |
    | `nominal` | "subset" | categories in two sets, "equals": one against the others, "multiway": a branch each | |
    | `missing` | "learned" | where missing cells go: "learned", "majority" or "fractional" | |
    | `prune` | None | "cost_complexity" or "cost_complexity_1se": `ccp_alpha` by cross-validation; "reduced_error" | |
    | `feature_costs` | None | costs by column, positive: columns are compared by gain² / cost | |
    | `monotonic_cst` | None | by column 1: the prediction never falls as the column rises, −1: never rises | |
    | `window` | None | grow from so many rows (or that share), adding rows the tree misses; takes a `scan` | |

    Missing cells and pruning are as in `DecisionTreeClassifier`. A row is missed, for `window`, if the tree is off by
    more than the spread of the target in the window: its standard deviation, or mean distance from the median.

    Attributes: `tree_` (arrays of all nodes), `cuts_`, `ccp_alpha_`, `feature_importances_`.

    Reference: L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    """

    fit_cost = 10.0
    simplicity = 20.0
    search_space: ClassVar[dict[str, Any]] = {"max_depth": (2, 4, 8, None), "min_samples_leaf": (20, 5, 1)}
    domains: ClassVar[dict[str, Domain]] = {
        "criterion": OneOf("squared_error", "absolute_error", "mse", "mae"),
        **DOMAINS,
        "missing": OneOf("learned", "fractional", "majority"),
        "prune": OneOf(None, "cost_complexity", "cost_complexity_1se", "reduced_error"),
    }

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = 0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        nominal: Any = "subset",
        missing: Any = "learned",
        prune: Any = None,
        feature_costs: Any = None,
        monotonic_cst: Any = None,
        window: Any = None,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.nominal = nominal
        self.missing = missing
        self.prune = prune
        self.feature_costs = feature_costs
        self.monotonic_cst = monotonic_cst
        self.window = window

    def _wrong(self) -> Any:
        return partial(wrong_numbers, absolute=self.criterion in ("absolute_error", "mae"))

    def _cost_at(self, tree: TreeArrays, nodes: Array, targets: Array) -> Array:
        gap: Array = np.abs(targets - tree.value[nodes, 0])
        return gap if self.criterion in ("absolute_error", "mae") else gap**2
