"""ID3: a branch for each category, by information gain."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.data.table import Array, Table
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.tree.base import TreeClassifier
from learnt.tree.grow.chi2 import stop_by_chi2
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.prune.pruned import Pruned
from learnt.tree.settings import SHARE_OR_COUNT, least_weight
from learnt.tree.smoothing import SMOOTHING


class ID3Classifier(TreeClassifier):
    """Ask at each node about the column that, on average, leaves the least uncertainty about the class.

        gain(S, A) = H(S) − Σ_b |S_b|/|S| · H(S_b)

    until a node's rows are of one class or no column tells them apart.

    >>> table = {"sky": ["sun", "sun", "rain", "rain"], "wind": ["no", "yes", "no", "yes"], "play": list("yyyn")}
    >>> print(ID3Classifier().fit(table, "play"))
    sky is rain
    |   wind is no: y (1)
    |   wind is yes: n (1)
    sky is sun: y (2)

    Nominal columns get a branch for each category they declare; a category without rows predicts as its
    parent does. Numbers, which ID3 did not know, get thresholds. It does not prune, and prefers columns of many
    categories: `C45Classifier` is its successor.

    {settings}

    A missing cell counts as the most frequent one of the node, with "class_majority" as that of its class there
    (when predicting, of the node), and with "fractional" as all of them in proportion.

    Attributes: `tree_`, and `cuts_`, where the chi² test stopped growing.

    Reference: J. R. Quinlan, Induction of decision trees, 1986.
    """

    fit_cost = 15.0
    simplicity = 22.0
    search_space: ClassVar[dict[str, Any]] = {"max_depth": (2, 4, 8, None), "min_samples_leaf": (20, 5, 1)}

    max_depth: int | None = setting(OneOf(None) | Whole(1), "most tests on the way to a leaf", default=None)
    min_samples_split: float = setting(
        SHARE_OR_COUNT,
        "least weight of a node that is split: a number, or a share of all",
        default=2,
        bounds="≥ 1, or (0, 1)",
    )
    min_samples_leaf: float = setting(
        SHARE_OR_COUNT, "least weight of every branch that has rows", default=1, bounds="≥ 1, or (0, 1)"
    )
    min_impurity_decrease: float = setting(Real(0), "least gain, times the node's share of all rows", default=0.0)
    chi2_alpha: float | None = setting(
        OneOf(None) | Real(above=0, below=1), "stop where a split has a p-value above it", default=None
    )
    chi2_correction: Any = setting(
        OneOf("none", "yates", "exact"), '"yates" for 2 × 2 tables, or Fisher\'s "exact" test', default="none"
    )
    missing: Any = setting(
        OneOf("majority", "class_majority", "fractional"), "of missing cells, see below", default="majority"
    )
    smoothing: Any = setting(
        SMOOTHING, 'of leaf probabilities: "laplace", or the m of an m-estimate', default=None, bounds="≥ 0"
    )

    def _grown_tree(self, table: Table, codes: Array, weights: Array | None) -> Pruned:
        total = float(table.n_rows if weights is None else weights.sum())
        options = GrowOptions(
            criterion="entropy",
            nominal="multiway",
            missing=self.missing,
            max_depth=self.max_depth,
            min_samples_split=least_weight(self.min_samples_split, total, free=2),
            min_samples_leaf=least_weight(self.min_samples_leaf, total, free=1),
            min_impurity_decrease=self.min_impurity_decrease,
        )
        tree = grow(table, codes, weights, options, n_classes=len(self.classes_))
        if self.chi2_alpha is None:
            return Pruned(tree, ())
        return stop_by_chi2(tree, self.chi2_alpha, self.chi2_correction)
