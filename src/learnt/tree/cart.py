"""CART: binary trees by impurity, for classes and for numbers, on any table."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import ParameterError
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Real, Rows
from learnt.show.words import spell
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

    {settings}

    A missing cell goes to the branch where that lowers the impurity most ("learned"), to the heaviest branch
    ("majority"; "class_majority" while growing: the heaviest of the row's class), or with parts of its weight to all
    of them ("fractional"). Cells never seen go the way of missing ones.

    Pruning by "cost_complexity" takes the `ccp_alpha` that errs least in ten-fold cross-validation
    ("cost_complexity_1se": the largest within one standard error of it), "reduced_error" asks a third of the rows, held
    out of growing, "error" C4.5's pessimistic estimate, "mdl" the bits it takes to tell the tree and its errors.

    With `average`, all nodes on the way to a leaf answer together, each by how likely the training rows are under trees
    that end there. `smoothing` is then the prior, by default one row of each class.

    Attributes: `tree_` (arrays of all nodes: `tree_.node_count`, `tree_.children_left`, `tree_.threshold`, …), `cuts_`
    (what was pruned and why), `ccp_alpha_` (as chosen by cross-validation), `classes_`, `feature_importances_`.

    Reference: L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    """

    fit_cost = 10.0
    simplicity = 20.0
    search_space: ClassVar[dict[str, Any]] = {"max_depth": (2, 4, 8, None), "min_samples_leaf": (20, 5, 1)}

    class_weight: Any = setting(
        CLASS_WEIGHT, 'weights by class, or "balanced": all classes weigh the same', default=None, before="ccp_alpha"
    )
    chi2_alpha: float | None = setting(
        OneOf(None) | Real(above=0, below=1),
        "stop where a split has a p-value above it",
        default=None,
        before="feature_costs",
    )
    smoothing: Smoothing = setting(
        SMOOTHING,
        'of leaf probabilities: "laplace", or the m of an m-estimate',
        default=None,
        bounds="≥ 0",
        before="window",
    )
    loss: Any = setting(
        OneOf(None) | Rows(),
        "what answers cost, by (truth, answer) or rows truth, columns answer; predicts the cheapest",
        default=None,
        before="window",
    )

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        if self.loss is not None:
            self._losses()
        if self.class_weight is not None:
            factor = class_factors(self.class_weight, self.classes_, target, weights)[target]
            weights = factor if weights is None else weights * factor
            table, target, weights = without_weightless(table, target, weights)
        return super()._grown_tree(table, target, weights)

    def _held_out(self, target: Array) -> Array:
        return hold_out(target, PARTS)

    def _held_out_cost(self) -> Any:
        return None

    def _stopped_tree(self, tree: TreeArrays) -> Pruned:
        return Pruned(tree, ()) if self.chi2_alpha is None else stop_by_chi2(tree, float(self.chi2_alpha))

    def _pruned_tree(self, tree: TreeArrays, table: Table, target: Array, weights: Array | None) -> Pruned:
        found = self._stopped_tree(tree)
        if self.prune == "error":
            last = prune_error_based(found.tree)
        elif self.prune == "mdl":
            last = prune_mdl(found.tree, self._schema)
        else:
            last = super()._pruned_tree(found.tree, table, target, weights)
        return Pruned(last.tree, found.cuts + last.cuts)

    def _cost_at(self, tree: TreeArrays, nodes: Array, targets: Array) -> Array:
        answers = self._decide_classes(tree.value / tree.value.sum(axis=1, keepdims=True))[nodes]
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

    {settings}

    Missing cells and pruning are as in `DecisionTreeClassifier`. A row is missed, for `window`, if the tree is off by
    more than the spread of the target in the window: its standard deviation, or mean distance from the median.

    Attributes: `tree_` (arrays of all nodes), `cuts_`, `ccp_alpha_`, `feature_importances_`.

    Reference: L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    """

    fit_cost = 10.0
    simplicity = 20.0
    search_space: ClassVar[dict[str, Any]] = {"max_depth": (2, 4, 8, None), "min_samples_leaf": (20, 5, 1)}

    criterion: str = setting(
        OneOf("squared_error", "absolute_error", "mse", "mae"),
        'or "absolute_error"; "mse" and "mae" for short',
        default="squared_error",
    )
    random_state: Any = setting(DOMAINS["random_state"], "seed of drawn columns, tests and folds", default=0)
    missing: Any = setting(
        OneOf("learned", "fractional", "majority"),
        'where missing cells go: "learned", "majority" or "fractional"',
        default="learned",
    )
    prune: Any = setting(
        OneOf(None, "cost_complexity", "cost_complexity_1se", "reduced_error"),
        '"cost_complexity" or "cost_complexity_1se": `ccp_alpha` by cross-validation; "reduced_error"',
        default=None,
    )
    monotonic_cst: Any = setting(
        DOMAINS["monotonic_cst"],
        "by column 1: the prediction never falls as the column rises, −1: never rises",
        default=None,
    )
    window: Any = setting(
        DOMAINS["window"],
        "grow from so many rows (or that share), adding rows the tree misses; takes a `scan`",
        default=None,
    )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.average is not None and self.criterion in ("absolute_error", "mae"):
            raise ParameterError(
                f"{type(self).__name__}: average={spell(self.average)} weighs nodes by the squared errors in them, and "
                f"criterion={spell(self.criterion)} knows absolute ones. Set one of them back."
            )

    def _wrong(self) -> Any:
        return partial(wrong_numbers, absolute=self.criterion in ("absolute_error", "mae"))

    def _cost_at(self, tree: TreeArrays, nodes: Array, targets: Array) -> Array:
        gap: Array = np.abs(targets - tree.value[nodes, 0])
        return gap if self.criterion in ("absolute_error", "mae") else gap**2
