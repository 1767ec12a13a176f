"""Oblique trees for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.whole import InMemory, unpacked
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.tree.averaging import AVERAGE, AVERAGE_WORDS
from learnt.tree.base import TreeClassifier, TreeLearner, TreeRegressor, without_weightless
from learnt.tree.grow.cart import CRITERIA
from learnt.tree.grow.exact import GrowOptions
from learnt.tree.importance import impurity_importance
from learnt.tree.oblique.combinations import Combinations
from learnt.tree.oblique.explaining import in_columns
from learnt.tree.oblique.growing import ObliqueSettings, grow_oblique
from learnt.tree.prune.cost_complexity import prune_cost_complexity
from learnt.tree.prune.error_based import prune_error_based
from learnt.tree.prune.pruned import Pruned
from learnt.tree.reach import leaves_of, path_matrix
from learnt.tree.settings import CLASS_WEIGHT, SHARE_OR_COUNT, class_factors, least_weight
from learnt.tree.smoothing import SMOOTHING, Smoothing

#: Cells of combinations that are worked out at once when predicting.
CELLS_AT_ONCE = 1 << 22


class ObliqueTree(TreeLearner, abstract=True):
    """What both share: combinations are columns behind those of the table, and tests ask about any of them."""

    whole = InMemory("sorts the rows for an exact tree", "grow CART or C4.5 from a part of the rows with window=")
    fit_cost = 60.0
    simplicity = 25.0
    search_space: ClassVar[dict[str, Any]] = {"max_terms": (2, 3, 5), "min_samples_leaf": (1, 5, 20)}

    max_depth: int | None = setting(OneOf(None) | Whole(1), "most tests on the way to a leaf", default=None)
    min_samples_leaf: Any = setting(
        SHARE_OR_COUNT, "least weight of each branch, or its share of all", default=1, bounds="≥ 1, or (0, 1)"
    )
    max_terms: int = setting(Whole(1), "most columns in a sum; 1: tests of single columns only", default=3)
    preference: float = setting(
        Real(0), "a sum must gain more than one column by this share for each term beyond the first", default=0.1
    )
    ccp_alpha: float = setting(Real(0), "prune tests that take away less impurity than this per leaf", default=0.0)
    average: Any = setting(AVERAGE, AVERAGE_WORDS, default=None)

    combinations_: Combinations = attribute()

    # Fitting

    def _written_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        found = self._grown_tree(unpacked(table), target, weights)
        return Pruned(found.tree, found.cuts, found.tree.threshold)

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        total = float(table.n_rows if weights is None else weights.sum())
        leaf = least_weight(self.min_samples_leaf, total, free=1)
        criterion = getattr(self, "criterion", "squared_error")
        options = GrowOptions(
            criterion=CRITERIA.get(criterion, criterion),  # type: ignore[arg-type]
            max_depth=None if self.max_depth is None else int(self.max_depth),
            min_samples_split=max(2 * leaf, 0.0),
            min_samples_leaf=leaf,
        )
        settings = ObliqueSettings(int(self.max_terms), float(self.preference))
        tree, sums = grow_oblique(table, target, weights, options, settings, len(getattr(self, "classes_", ())))
        found = self._pruned_tree(Pruned(tree, ()))
        p = table.n_columns
        used = np.unique(found.tree.feature[found.tree.feature >= p]) - p
        place = np.full(len(sums) + 1, -1, np.int32)
        place[used] = np.arange(len(used))
        self.combinations_ = Combinations.of([sums.sums[k] for k in used.tolist()])
        feature = found.tree.feature
        feature = np.where(feature >= p, p + place[np.maximum(feature - p, -1)], feature)
        return Pruned(found.tree.changed(feature=feature), found.cuts)

    def _pruned_tree(self, found: Pruned) -> Pruned:
        if self.ccp_alpha > 0:
            last = prune_cost_complexity(found.tree, float(self.ccp_alpha))
            return Pruned(last.tree, found.cuts + last.cuts)
        return found

    def _check_fitted_state(self) -> None:
        if isinstance(self.__dict__.get("combinations_"), Combinations):
            self.combinations_.check_columns(self._schema)
        super()._check_fitted_state()

    # Where rows go

    @property
    def _wide_schema(self) -> Schema:
        return self.combinations_.schema_behind(self._schema)

    def _tree_schema(self) -> Schema:
        return self._wide_schema

    def with_combinations(self, X: Any) -> Table:
        """The table with a column for each sum that the tree tests, as rules and `tree_` speak of them."""
        self._fitted_schema()
        return self.combinations_.spread(unpacked(self._matched(X)), self._wide_schema)

    def _in_blocks(self, table: Table, hook: Callable[[Table], Array]) -> Array:
        """What `hook` says of the rows with their combinations, a part of them at a time."""
        sums, schema = self.combinations_, self._wide_schema
        size = max(1000, CELLS_AT_ONCE // max(len(sums), 1))
        if not len(sums):
            return hook(table)
        parts = [table.rows(i, min(i + size, table.n_rows)) for i in range(0, table.n_rows, size)]
        return np.concatenate([hook(sums.spread(unpacked(part), schema)) for part in parts])

    def apply(self, X: Any) -> Array:
        """The leaf each row comes to, by its number in `tree_`."""
        still = self._still()
        still._fitted_schema()

        def hook(table: Table) -> Array:
            return still._in_blocks(table, lambda part: leaves_of(still.tree_, part))

        leaves: Array = still._over(X, hook)
        return leaves

    def decision_path(self, X: Any) -> Any:
        """Which nodes each row passes, as a SciPy CSR matrix, rows × nodes."""
        tree = self._fitted_tree()
        return path_matrix(tree, self.with_combinations(X))

    # Looking at it

    @property
    def feature_importances_(self) -> Array:
        """How much of the impurity each column's tests take away; of a sum, divided by the deviations of its terms."""
        tree, p = self._fitted_tree(), self.n_features_in_
        found = impurity_importance(tree, p + len(self.combinations_))
        shares: Array = found[:p] + found[p:] @ self.combinations_.scale_shares(p)
        return shares

    def _told_in_columns(self, table: Table, explain: Callable[[Table], Explanations]) -> Explanations:
        return in_columns(self.combinations_, unpacked(table), self._wide_schema, explain)

    def _explain(self, table: Table) -> Explanations:
        return self._told_in_columns(table, super()._explain)

    def _attribute(self, table: Table) -> Explanations:
        return self._told_in_columns(table, super()._attribute)


class ObliqueTreeClassifier(ObliqueTree, TreeClassifier):
    """Ask about sums of a few columns where one column alone mixes the classes more.

        b₁·x₁ + b₂·x₂ + … ≤ t        chosen if gain ≥ (1 + (terms − 1)·preference) · gain of one column

    >>> table = {"width": [1, 2, 3, 4, 5, 6] * 6, "height": [1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3] * 3}
    >>> large = ["large" if w + h > 5 else "small" for w, h in zip(table["width"], table["height"])]
    >>> print(ObliqueTreeClassifier().fit(table, large))
    width + 0.7 · height ≤ 4.9: small (18)
    width + 0.7 · height > 4.9: large (18)

    At every node least squares finds the few columns that tell the classes (or groups of them) apart together; then
    single coefficients are moved to where the impurity is least. Tests of one column are kept where they are nearly as
    good, and in nodes of fewer than 30 rows.

    {settings}

    Categories of nominal columns are terms of 0 or 1. In a sum a missing cell counts as the column's mean; a row that
    has none of the cells, and a missing cell tested alone, goes where that lowered the impurity most.

    Attributes: `tree_` (arrays of all nodes), `combinations_` (the sums: columns behind those of the table), `cuts_`,
    `classes_`, `feature_importances_`.

    References: S. Murthy, S. Kasif, S. Salzberg, A system for induction of oblique decision trees, 1994; C. Brodley,
    P. Utgoff, Multivariate decision trees, 1995.
    """

    criterion: str = setting(
        OneOf("gini", "entropy", "log_loss", "gain_ratio", "misclassification"),
        'or "entropy" (also called "log_loss"), "gain_ratio", "misclassification"',
        default="gini",
        before="max_depth",
    )
    prune: Any = setting(OneOf(None, "error"), '"error": by C4.5\'s pessimistic estimate', default="error")
    class_weight: Any = setting(
        CLASS_WEIGHT, 'weights by class, or "balanced": all classes weigh the same', default=None
    )
    smoothing: Smoothing = setting(
        SMOOTHING, 'of leaf probabilities: "laplace", or the m of an m-estimate', default=None, bounds="≥ 0"
    )

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        if self.class_weight is not None:
            factor = class_factors(self.class_weight, self.classes_, target, weights)[target]
            weights = factor if weights is None else weights * factor
            table, target, weights = without_weightless(table, target, weights)
        return super()._grown_tree(table, target, weights)

    def _pruned_tree(self, found: Pruned) -> Pruned:
        if self.prune == "error":
            last = prune_error_based(found.tree)
            found = Pruned(last.tree, found.cuts + last.cuts)
        return super()._pruned_tree(found)

    def _probabilities(self, table: Table) -> Array:
        return self._in_blocks(table, super()._probabilities)

    def _class_numbers(self, table: Table) -> Array:
        return self._in_blocks(table, super()._class_numbers)

    def _class_parts(self, row: Table) -> ClassParts | None:
        row = unpacked(row)
        told = super()._class_parts(self.combinations_.spread(row, self._wide_schema))
        if told is None:
            return None
        p = row.n_columns
        return ClassParts(told.base, told.parts[:p] + self.combinations_.shares(row).T @ told.parts[p:], told.scale)


class ObliqueTreeRegressor(ObliqueTree, TreeRegressor):
    """Ask about sums of a few columns where the numbers behind one column alone lie further apart.

        b₁·x₁ + b₂·x₂ + … ≤ t        chosen if gain ≥ (1 + (terms − 1)·preference) · gain of one column

    >>> table = {"width": [1, 2, 3, 4, 5, 6] * 6, "height": [1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3] * 3}
    >>> price = [9.0 if w + h > 5 else 2.0 for w, h in zip(table["width"], table["height"])]
    >>> print(ObliqueTreeRegressor().fit(table, price))
    width + 0.7 · height ≤ 4.9: 2 (18)
    width + 0.7 · height > 4.9: 9 (18)

    As `ObliqueTreeClassifier`, with the squared error as impurity; a leaf predicts the mean of its rows.

    {settings}

    Attributes: `tree_` (arrays of all nodes), `combinations_` (the sums: columns behind those of the table), `cuts_`,
    `feature_importances_`.

    Reference: S. Murthy, S. Kasif, S. Salzberg, A system for induction of oblique decision trees, 1994.
    """

    min_samples_leaf: Any = setting(
        SHARE_OR_COUNT, "least weight of each branch, or its share of all", default=5, bounds="≥ 1, or (0, 1)"
    )

    def _predict(self, table: Table) -> Array:
        return self._in_blocks(table, super()._predict)
