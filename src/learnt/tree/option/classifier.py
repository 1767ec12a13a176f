"""Option trees: decision trees that do not decide between tests that are about as good."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.whole import unpacked
from learnt.explain import Explanation, Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.tree.arrays import TreeArrays
from learnt.tree.base import TreeClassifier, without_weightless
from learnt.tree.grow.cart import CRITERIA
from learnt.tree.grow.exact import GrowOptions
from learnt.tree.importance import impurity_importance
from learnt.tree.option.growing import OptionGrowth, OptionSettings
from learnt.tree.prune.error_based import prune_error_based
from learnt.tree.prune.pruned import Pruned
from learnt.tree.reach import leaves_of, path_matrix
from learnt.tree.settings import CLASS_WEIGHT, SHARE_OR_COUNT, class_factors, least_weight
from learnt.tree.smoothing import SMOOTHING, Smoothing


class OptionTreeClassifier(TreeClassifier):
    """Ask as a decision tree does; where several tests are about as good, ask all of them and average the answers.

        p(c | x) = mean over the ways of x of n_c / n at their leaves

    >>> table = {"a": [1, 2, 3, 4, 5, 6], "b": [1, 2, 3, 4, 6, 5], "c": [0, 1, 0, 1, 0, 1]}
    >>> print(OptionTreeClassifier().fit(table, ["no", "no", "no", "yes", "yes", "yes"]))
    option is 1
    |   a ≤ 3.5: no (3)
    |   a > 3.5: yes (3)
    option is 2
    |   b ≤ 3.5: no (3)
    |   b > 3.5: yes (3)

    An option node stands where the best tests of several columns gain nearly as much as the best of all: a tree of one
    of them would be as good, and they err on different rows. Options are most useful near the root, and the tree
    grows by their number at each level, so that `option_depth` levels have them and the subtrees below have none. No
    row has more than 128 ways.

    {settings}

    A missing cell goes to the branch where that lowers the impurity most. Cells never seen go the way of missing ones.

    Attributes: `tree_` (arrays of all nodes; option nodes test the column behind those of the table, of which all rows
    lack the cell), `classes_`, `feature_importances_`.

    Reference: R. Kohavi, C. Kunz, Option decision trees with majority votes, 1997.
    """

    fit_cost = 40.0
    simplicity = 40.0
    search_space: ClassVar[dict[str, Any]] = {"max_options": (2, 3, 5), "option_depth": (1, 2, 3)}

    criterion: str = setting(
        OneOf("gini", "entropy", "log_loss", "gain_ratio", "misclassification"),
        'or "entropy" (also called "log_loss"), "gain_ratio", "misclassification"',
        default="gini",
    )
    max_options: int = setting(Whole(1), "most tests of an option node; 1: a plain tree", default=3)
    option_depth: int = setting(Whole(0), "levels of tests that may have options", default=2)
    tolerance: float = setting(
        Real(0, high=1), "an option gains at least 1 − this times as much as the best test", default=0.3
    )
    max_depth: int | None = setting(OneOf(None) | Whole(1), "most tests on the way to a leaf", default=None)
    min_samples_leaf: Any = setting(
        SHARE_OR_COUNT, "least weight of each branch, or its share of all", default=1, bounds="≥ 1, or (0, 1)"
    )
    min_weight_fraction_leaf: float = setting(Real(0, 0.5), "the same as a share", default=0.0)
    prune: Any = setting(
        OneOf(None, "error"), '"error": subtrees below the options by C4.5\'s pessimistic estimate', default="error"
    )
    class_weight: Any = setting(
        CLASS_WEIGHT, 'weights by class, or "balanced": all classes weigh the same', default=None
    )
    smoothing: Smoothing = setting(
        SMOOTHING, 'of leaf probabilities: "laplace", or the m of an m-estimate', default=None, bounds="≥ 0"
    )

    # Fitting

    def _written_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        tree = self._grown_tree(unpacked(table), target, weights).tree
        return Pruned(tree, (), tree.threshold)

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        if self.class_weight is not None:
            factor = class_factors(self.class_weight, self.classes_, target, weights)[target]
            weights = factor if weights is None else weights * factor
            table, target, weights = without_weightless(table, target, weights)
        total = float(table.n_rows if weights is None else weights.sum())
        leaf = least_weight(self.min_samples_leaf, total, free=1)
        leaf = max(leaf, least_weight(float(self.min_weight_fraction_leaf), total, free=0))
        options = GrowOptions(
            criterion=CRITERIA.get(self.criterion, self.criterion),  # type: ignore[arg-type]
            max_depth=None if self.max_depth is None else int(self.max_depth),
            min_samples_split=2 * leaf,
            min_samples_leaf=leaf,
        )
        settings = OptionSettings(int(self.max_options), int(self.option_depth), float(self.tolerance))
        growth = OptionGrowth(table, target, weights, options, settings, len(self.classes_), self._pruned)
        return Pruned(growth.run(), ())

    def _pruned(self, tree: TreeArrays) -> Pruned:
        return prune_error_based(tree) if self.prune == "error" else Pruned(tree, ())

    # Where rows go

    @property
    def _wide_schema(self) -> Schema:
        name = "option"
        while name in self._schema.names:
            name += "′"
        here = self.tree_.feature == len(self._schema)  # the settings may have been changed since
        ways = tuple(str(k + 1) for k in range(int(self.tree_.n_children[here].max(initial=1))))
        return Schema((*self._schema.columns, ColumnSchema(name, "nominal", ways)), self._schema.named)

    def _tree_schema(self) -> Schema:
        return self._wide_schema

    def _with_options(self, table: Table) -> Table:
        """The table with the column of the options, which is missing in all rows."""
        column = self._wide_schema.columns[-1]
        nothing = Column(column.name, "nominal", np.full(table.n_rows, -1, np.int32), column.categories)
        return Table.of_columns([*unpacked(table).columns, nothing], named=self._schema.named)

    def apply(self, X: Any) -> Array:
        """The leaf each row comes to by the first of all options, by its number in `tree_`."""
        still = self._still()
        still._fitted_schema()
        leaves: Array = still._over(X, lambda table: leaves_of(still.tree_, still._with_options(table)))
        return leaves

    def decision_path(self, X: Any) -> Any:
        """The part of each row that passes each node, as a SciPy CSR matrix, rows × nodes."""
        tree = self._fitted_tree()
        return path_matrix(tree, self._with_options(self._matched(X)))

    def _probabilities(self, table: Table) -> Array:
        return super()._probabilities(self._with_options(table))

    def _class_numbers(self, table: Table) -> Array:
        return super()._class_numbers(self._with_options(table))

    # Explaining

    def _without_options(self, table: Table, told: Explanations) -> Explanations:
        """Options are ways, not columns: nothing changes at them."""

        def explain_row(i: int) -> Explanation:
            one = told[i]
            return replace(one, evidence=one.evidence[: table.n_columns])

        return Explanations(table.n_rows, explain_row)

    def _explain(self, table: Table) -> Explanations:
        return self._without_options(table, super()._explain(self._with_options(table)))

    def _attribute(self, table: Table) -> Explanations:
        return self._without_options(table, super()._attribute(self._with_options(table)))

    def _class_parts(self, row: Table) -> ClassParts | None:
        told = super()._class_parts(self._with_options(row))
        return None if told is None else ClassParts(told.base, told.parts[: row.n_columns], told.scale)

    # Looking at it

    @property
    def feature_importances_(self) -> Array:
        """How much of the impurity each column's tests take away, those of options in parts: shares that sum to 1."""
        tree, p = self._fitted_tree(), self.n_features_in_
        part, parents = np.ones(tree.node_count), tree.parents()
        for i in range(1, tree.node_count):  # parents come first
            above = int(parents[i])
            part[i] = part[above] / (int(tree.n_children[above]) if tree.feature[above] == p else 1)
        return impurity_importance(tree.changed(weight=tree.weight * part), p + 1)[:p]
