"""What the settings of CART come to: how its trees are grown and cut by cost complexity."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import ParameterError
from learnt.learner.fields import setting
from learnt.learner.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.show.words import spell
from learnt.tree.arrays import TreeArrays
from learnt.tree.averaging import AVERAGE, AVERAGE_WORDS
from learnt.tree.base import TreeLearner
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.prune.cost_complexity import PruningPath, chosen_alpha, cost_complexity_path, prune_cost_complexity
from learnt.tree.prune.pruned import Pruned
from learnt.tree.prune.reduced_error import hold_out_numbers, prune_reduced_error
from learnt.tree.settings import (
    COSTS,
    DIRECTIONS,
    MISSING,
    NOMINAL,
    SHARE_OR_COUNT,
    SPLIT,
    TRIED,
    WINDOW,
    column_costs,
    column_directions,
    columns_tried,
    least_weight,
)

PARTS = 3  # "reduced_error": one part of the rows prunes, the others grow

#: How the grower calls the criteria that have two names.
CRITERIA = {"log_loss": "entropy", "squared_error": "mse", "absolute_error": "mae"}

DOMAINS: dict[str, Domain] = {
    "splitter": OneOf("best", "random"),
    "max_depth": OneOf(None) | Whole(1),
    "min_samples_split": SPLIT,
    "min_samples_leaf": SHARE_OR_COUNT,
    "min_weight_fraction_leaf": Real(0, 0.5),
    "max_features": TRIED,
    "random_state": Seed(),
    "max_leaf_nodes": OneOf(None) | Whole(2),
    "min_impurity_decrease": Real(0),
    "ccp_alpha": Real(0),
    "nominal": NOMINAL,
    "missing": MISSING,
    "feature_costs": COSTS,
    "monotonic_cst": DIRECTIONS,
    "window": WINDOW,
}


class Cart(TreeLearner, abstract=True):
    """What both kinds of trees share: what their settings mean."""

    criterion: str = setting(
        OneOf("gini", "entropy", "log_loss", "gain_ratio", "misclassification"),
        'or "entropy" (also called "log_loss"), "gain_ratio", "misclassification"',
        default="gini",
    )
    splitter: str = setting(
        DOMAINS["splitter"], 'the best test of each column, or "random": of each column one drawn test', default="best"
    )
    max_depth: int | None = setting(DOMAINS["max_depth"], "most tests on the way to a leaf", default=None)
    min_samples_split: Any = setting(
        DOMAINS["min_samples_split"],
        "least weight of a node that is split, or its share of all",
        default=2,
        bounds="≥ 2, or (0, 1]",
    )
    min_samples_leaf: Any = setting(
        DOMAINS["min_samples_leaf"],
        "least weight of each branch, or its share of all",
        default=1,
        bounds="≥ 1, or (0, 1)",
    )
    min_weight_fraction_leaf: float = setting(DOMAINS["min_weight_fraction_leaf"], "the same as a share", default=0.0)
    max_features: Any = setting(
        DOMAINS["max_features"],
        'columns drawn at each node: a number, a share, "sqrt" or "log2"; all for None',
        default=None,
    )
    random_state: Any = setting(DOMAINS["random_state"], "seed of drawn columns, tests, folds and windows", default=0)
    max_leaf_nodes: int | None = setting(
        DOMAINS["max_leaf_nodes"], "grow the most useful node first, up to so many leaves", default=None
    )
    min_impurity_decrease: float = setting(
        DOMAINS["min_impurity_decrease"], "least gain, times the node's share of all weight", default=0.0
    )
    ccp_alpha: float = setting(
        DOMAINS["ccp_alpha"], "prune tests that take away less impurity than this per leaf", default=0.0
    )
    nominal: Any = setting(
        DOMAINS["nominal"],
        'categories in two sets, "equals": one against the others, "multiway": a branch each',
        default="subset",
    )
    missing: Any = setting(DOMAINS["missing"], "where missing cells go, see below", default="learned")
    prune: Any = setting(
        OneOf(None, "cost_complexity", "cost_complexity_1se", "reduced_error", "error", "mdl"),
        '"cost_complexity", "cost_complexity_1se", "reduced_error", "error" or "mdl", see below',
        default=None,
    )
    feature_costs: Any = setting(
        DOMAINS["feature_costs"], "costs by column, positive: columns are compared by gain² / cost", default=None
    )
    average: Any = setting(AVERAGE, AVERAGE_WORDS, default=None)
    monotonic_cst: Any = setting(
        DOMAINS["monotonic_cst"],
        "by column 1: the share of the second class never falls as it rises, −1: never rises",
        default=None,
    )
    window: Any = setting(
        DOMAINS["window"],
        "grow from so many rows (or that share), adding rows the tree gets wrong; takes a `scan`",
        default=None,
    )

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        if self.prune != "reduced_error":
            return self._pruned_tree(self._raw(table, target, weights), table, target, weights)
        held = self._held_out(target)
        grow_by, prune_by = (None if weights is None else weights[rows] for rows in (~held, held))
        stopped = self._stopped_tree(self._raw(table.take(~held), target[~held], grow_by))
        last = prune_reduced_error(stopped.tree, table.take(held), target[held], prune_by, self._held_out_cost())
        return Pruned(last.tree, stopped.cuts + last.cuts)

    def _held_out(self, target: Array) -> Array:
        """Which rows only prune, as booleans: a third of them, with targets like those of the others."""
        return hold_out_numbers(target, PARTS)

    def _held_out_cost(self) -> Any:
        """What rows held out cost at a node; None counts wrong classes."""
        return self._cost_at

    def _stopped_tree(self, tree: TreeArrays) -> Pruned:
        """The tree as far as a test would have let it grow; classifiers have one."""
        return Pruned(tree, ())

    def _raw(self, table: Table, target: Array, weights: Array | None) -> TreeArrays:
        """The tree as it is grown. Of equally good columns it tests the first."""
        total = float(table.n_rows if weights is None else weights.sum())
        n_classes = len(getattr(self, "classes_", ()))
        return grow(table, target, weights, self._grow_options(total), n_classes=n_classes)

    def _grow_options(self, total: float) -> GrowOptions:
        whole = self.missing != "fractional"  # parts of rows must weigh something, or they are cut up without end
        leaf = least_weight(self.min_samples_leaf, total, free=1 if whole else 0)
        leaf = max(leaf, least_weight(float(self.min_weight_fraction_leaf), total, free=0))
        return GrowOptions(
            criterion=CRITERIA.get(self.criterion, self.criterion),  # type: ignore[arg-type]
            nominal=self.nominal,
            missing=self.missing,
            max_depth=None if self.max_depth is None else int(self.max_depth),
            min_samples_split=max(least_weight(self.min_samples_split, total, free=2 if whole else 0), 2 * leaf),
            min_samples_leaf=leaf,
            min_impurity_decrease=float(self.min_impurity_decrease),
            max_leaf_nodes=None if self.max_leaf_nodes is None else int(self.max_leaf_nodes),
            max_features=columns_tried(self.max_features, self.n_features_in_),
            seed=seed_from(self.random_state) if self.splitter == "random" or self.max_features is not None else 0,
            random_cuts=self.splitter == "random",
            monotonic=self._directions(),
            feature_costs=column_costs(self.feature_costs, self._schema, type(self).__name__),
        )

    def _directions(self) -> Array | None:
        owner = type(self).__name__
        directions = column_directions(self.monotonic_cst, self._schema, owner)
        if directions is None:
            return None
        classes = getattr(self, "classes_", ())
        if len(classes) > 2:
            raise ParameterError(
                f"{owner}: monotonic_cst is for two classes or for numbers, but there are {len(classes)} classes: no "
                "order of them is known. Leave it out, or ask for one class against the others."
            )
        for name, value in (("missing", "fractional"), ("nominal", "multiway")):
            if getattr(self, name) == value:
                raise ParameterError(
                    f"{owner}: monotonic_cst does not go with {name}={spell(value)}. Set another {name}."
                )
        if self.average is not None:
            raise ParameterError(
                f"{owner}: average mixes the answers above a leaf into it, more in some leaves than in others, which "
                "may turn round an order that monotonic_cst asks for. Set one of them to None."
            )
        if getattr(self, "smoothing", None) is not None:
            raise ParameterError(
                f"{owner}: smoothing moves the shares of small leaves most, which may turn round an order that "
                "monotonic_cst asks for. Set one of them to None."
            )
        return directions

    def _pruned_tree(self, tree: TreeArrays, table: Table, target: Array, weights: Array | None) -> Pruned:
        alpha = float(self.ccp_alpha)
        if self.prune in ("cost_complexity", "cost_complexity_1se"):
            best = chosen_alpha(
                cost_complexity_path(tree),
                (table, target, weights),
                self._raw,
                self._cost_at,
                np.random.default_rng(seed_from(self.random_state)),
                one_standard_error=self.prune == "cost_complexity_1se",
                learner=type(self).__name__,
            )
            self.ccp_alpha_ = alpha = max(alpha, best)
        return prune_cost_complexity(tree, alpha) if alpha > 0 else Pruned(tree, ())

    def _cost_at(self, tree: TreeArrays, nodes: Array, targets: Array) -> Array:
        """What it costs that rows of these targets end at these nodes."""
        raise NotImplementedError

    def cost_complexity_pruning_path(self, X: Any, y: Any = None, sample_weight: Any = None) -> PruningPath:
        """The `ccp_alphas` at which the tree of these rows loses another test, and the `impurities` that leaves."""
        bare = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight)
        return cost_complexity_path(bare.tree_)
