"""M5 and M5': trees whose leaves are linear models."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.sizes import check_columns
from learnt.engine.survey import check_finite
from learnt.engine.whole import WholeTable
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Whole, check_parameters
from learnt.tree.base import TreeRegressor
from learnt.tree.grow.thresholds import written_thresholds
from learnt.tree.model_tree.arranging import kept_nodes, tree_of
from learnt.tree.model_tree.explaining import explain_models
from learnt.tree.model_tree.growing import GrowSettings, grow_nodes
from learnt.tree.model_tree.leaf_models import LeafModels
from learnt.tree.model_tree.linear_models import constant_model
from learnt.tree.model_tree.pruning import ModelSettings, fit_nodes, smoothed_models
from learnt.tree.model_tree.ranked_cells import RankedCells, too_large
from learnt.tree.model_tree.splitting import Criterion, Rows
from learnt.tree.reach import leaves_of

#: Squares of larger cells, added, may overflow.
LARGEST = 1e140


class ModelTreeRegressor(TreeRegressor):
    """Ask questions as a decision tree does, then answer with the linear model of the leaf: M5.

        reduction = sd(T) − Σ_b |T_b|/|T| · sd(T_b)        estimated error = rmse · (n + v)/(n − v)
        smoothing, from the leaf up: p ← (n·p + k·q)/(n + k)

    >>> x = [float(i) for i in range(20)]
    >>> y = [3 * a if a < 10 else 100 - a for a in x]
    >>> print(ModelTreeRegressor(smoothing=0, terms="path").fit({"x": x}, y))
    x ≤ 9.5: LM1 (10/0 %)
    x > 9.5: LM2 (10/0 %)
    <BLANKLINE>
    LM1 = 0 + 3 · x
    LM2 = 100 − 1 · x

    Every node has a linear model of v coefficients for its n rows, from which terms are left out as long as the
    estimated error does not rise. A subtree gives way to the model of its root if that is estimated to err no more.
    Models above a leaf are mixed into it by `smoothing`, so that neighbouring leaves do not contradict each other.

    {settings}

    A nominal column of k categories is taken as k − 1 columns of 0 and 1: categories stand in the order of their mean
    target, and a test, or a term of a model, asks which are at or above a place in it; those of less weight than
    `min_samples_leaf` share a place. Missing cells go to the heavier branch, and count in linear models as the mean or
    the most frequent category, as categories never seen do.

    `variant="weka"` makes the trees of Weka's M5P: splits by the fifth root of the variance with at least a fifth of
    the rows on each side, nodes of fewer than `min_samples_leaf` rows are not split, terms are left out by Akaike's
    criterion, errors are estimated by (n + 2v)/(n − v), missing cells are filled before anything else.

    Attributes: `tree_` (arrays of all nodes; `value` is the mean prediction of a node), `models_` (the smoothed linear
    models of the leaves), `cuts_` (what was pruned and why), `feature_importances_`.

    References: J. R. Quinlan, Learning with continuous classes, 1992; Y. Wang, I. H. Witten, Induction of model trees
    for predicting continuous classes, 1997.
    """

    fit_cost = 40.0
    simplicity = 30.0
    search_space: ClassVar[dict[str, Any]] = {"min_samples_leaf": (4, 10, 25), "smoothing": (0.0, 15.0)}

    variant: str = setting(OneOf("m5", "weka"), '"weka": the choices of Weka\'s M5P', default="m5")
    criterion: str = setting(
        OneOf("deviation", "line"),
        'splits by the spread of the target, or around a straight line on each side ("line"; not of "weka")',
        default="deviation",
    )
    terms: str | None = setting(
        OneOf("below", "path", "all", None),
        'columns of a node\'s model: tested below it, also above it ("path"), all numbers ("all"), or None: constants',
        default="below",
    )
    min_samples_leaf: float = setting(Real(1), "least weight of a leaf", default=4)
    min_deviation: float = setting(
        Real(0, high=1), "no split where the target deviates by less than this share of its deviation", default=0.05
    )
    max_depth: int | None = setting(OneOf(None) | Whole(0), "tests on the longest path", default=None)
    prune: bool = setting(Flag(), "replace subtrees by linear models that are estimated to err no more", default=True)
    smoothing: float = setting(Real(0), "k: what the model above counts for, in rows; 0: nothing", default=15.0)

    models_: LeafModels = attribute()
    _cells: RankedCells = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        whole = rows.of_positive_weight().unpacked()
        table, y = whole.table, np.asarray(whole.target, dtype=np.float64)
        check_finite(table)
        w = np.ones(len(y)) if whole.weights is None else np.asarray(whole.weights, dtype=np.float64)
        weka = self.variant == "weka"
        cells = RankedCells.of(table, y, w, fewest=0.0 if weka else float(self.min_samples_leaf), fill_first=weka)
        raw, filled = (cells.numbers(table, filled=f) for f in (weka, True))
        _check_sizes(table, filled, w)
        data = Rows(raw, cells.nominal, y, w)
        deviation = constant_model(y, w).rmse
        criterion: Criterion = "weka" if weka else "line" if self.criterion == "line" else "deviation"
        nodes = grow_nodes(
            data,
            GrowSettings(
                criterion,
                float(self.min_samples_leaf),
                float(self.min_deviation) * deviation,
                self.max_depth,
                cells.fill if weka else None,
            ),
        )
        terms: Any = self.terms
        models, leaf, cuts = fit_nodes(data, filled, nodes, ModelSettings(terms, weka, bool(self.prune)))
        mixed = smoothed_models(nodes, models, leaf, float(self.smoothing))
        kept = kept_nodes(nodes, leaf)
        found = LeafModels.of([mixed[i] for i in kept if leaf[i]], deviation)
        leaf_of_row = np.zeros(len(y), np.int64)
        for m, i in enumerate(i for i in kept if leaf[i]):
            leaf_of_row[nodes[i].rows] = m
        answers = found.predict(filled, leaf_of_row)
        if not math.isfinite(float(answers.sum())):
            raise InputError("The linear models overflow. Scale the columns down first.")
        value = np.array([np.average(answers[nodes[i].rows], weights=w[nodes[i].rows]) for i in kept])
        self.tree_ = tree_of(data, cells, nodes, leaf, kept, value)
        self.cuts_ = cuts
        self._written = written_thresholds(self.tree_, table)
        self._cells = cells
        self.models_ = replace(found, center=found.centers(filled, leaf_of_row, w))

    # Predicting

    def _predict(self, table: Table) -> Array:
        check_finite(table)
        tree = self.tree_
        numbers = (np.cumsum(tree.is_leaf) - 1)[leaves_of(tree, table)]
        return self.models_.predict(self._cells.numbers(table, filled=True), numbers)

    def explain(self, X: Any, *, kind: Literal["path", "attribution"] = "path") -> Explanations:
        """The way to the leaf, then the terms of its linear model, added per column: they add up to the prediction.

        There is no other `kind`: Shapley values of a tree are those of constant leaves.
        """
        check_parameters(f"{type(self).__name__}.explain", {"kind": OneOf("path")}, {"kind": kind})
        return Regressor.explain(self, X)

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        return explain_models(self.tree_, table, self._shown_tree(self.tree_), self._cells, self.models_)

    # Showing

    def _answers(self) -> Array | None:
        from learnt.tree.model_tree.model_text import leaf_names

        return leaf_names(self.tree_)

    def __str__(self) -> str:
        if "tree_" not in self.__dict__:
            return repr(self)
        from learnt.tree.model_tree.model_text import model_tree_text

        return model_tree_text(self._shown_tree(self.tree_), self._schema, self._cells, self.models_)

    def to_rules(self) -> Any:
        """One rule per leaf, those of most rows first: what leads there, and the linear model that answers."""
        from learnt.tree.model_tree.model_rules import rules_of_models

        return rules_of_models(self._shown_tree(self._fitted_tree()), self._schema, self._cells, self.models_)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        n = len(self._schema)
        if self._cells.schema != self._schema or len(self.models_.intercept) != self.tree_.n_leaves:
            raise SavedModelError("The linear models do not fit the tree.")
        if self.tree_.cuts_rows or np.any(self.models_.column >= n):
            raise SavedModelError("The linear models do not fit the columns.")


def _check_sizes(table: Table, cells: Array, w: Array) -> None:
    for name, column in zip(table.names, cells, strict=True):
        if np.abs(column).max(initial=0.0) > LARGEST:
            raise InputError(too_large(name))
    if len(w) > 1:
        mean = np.average(cells, axis=1, weights=w)
        check_columns(table.names, mean, np.average((cells - mean[:, None]) ** 2, axis=1, weights=w))
