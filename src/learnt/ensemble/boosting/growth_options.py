"""How trees are grown from gradients over bins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from learnt import _core
from learnt.data.table import Array


@dataclass(frozen=True)
class GrowthOptions:
    """How trees are grown.

    | field | meaning |
    |---|---|
    | `max_leaf_nodes`, `max_depth` | 0: no limit |
    | `growth` | "leaf": the leaf that gains most first; "depth": level by level |
    | `min_samples_leaf` | least rows in a leaf (weight, if gradients are float64 and weights are given); None: a \
tenth of all, at most `most_in_least_leaf` |
    | `min_child_weight` | least second derivative in a leaf |
    | `l1`, `l2`, `min_gain` | penalties on leaf values; what a test must gain |
    | `monotonic` | by column −1, 0, 1: the score falls or rises with it |
    | `interactions` | sets of columns; a path tests columns of one set only |
    | `max_features`, `max_features_tree` | shares of the columns looked at, drawn by node and by tree |
    | `one_hot_up_to` | up to so many categories are tried one by one; more are sorted, and cut in two |
    | `cat_smooth` | sorted by gradient / (hessian + it); categories of fewer rows than it are left out |
    | `cat_l2`, `max_cat_subset` | more penalty for such tests; most categories on their one side |
    | `column_keys` | what columns are drawn by, 0 for those never tested; None: by their places |
    | `min_group` | least rows between two cuts tried; None: a hundredth of all, at least 1 and at most 100 |
    """

    max_leaf_nodes: int = 31
    max_depth: int = 0
    growth: Literal["leaf", "depth"] = "leaf"
    min_samples_leaf: float | None = None
    most_in_least_leaf: float = 20.0
    min_child_weight: float = 1e-3
    l1: float = 0.0
    l2: float = 0.0
    min_gain: float = 0.0
    learning_rate: float = 0.1
    monotonic: Array | None = None
    interactions: tuple[tuple[int, ...], ...] | None = None
    max_features: float = 1.0
    max_features_tree: float = 1.0
    cat_smooth: float = 10.0
    cat_l2: float = 10.0
    max_cat_subset: int = 32
    min_group: float | None = None
    one_hot_up_to: int = 4
    column_keys: Array | None = None
    seed: int = 0

    def of_weight(self, weight: float) -> GrowthOptions:
        """The same for rows of this weight, which limits that were left open are shares of: few rows may have small
        leaves, and a row of weight 2 counts as two."""
        leaf, group = self._limits(weight)
        return replace(self, min_samples_leaf=leaf, min_group=group)

    def _limits(self, weight: float) -> tuple[float, float]:
        leaf = self.min_samples_leaf
        leaf = min(self.most_in_least_leaf, weight / 10) if leaf is None else float(leaf)
        return leaf, min(100.0, max(1.0, weight / 100)) if self.min_group is None else self.min_group

    def kernel(self, n_columns: int, n_rows: int) -> _core.BoostRules:
        """The same for kernels; limits still open are shares of the number of rows."""
        leaf, group = self._limits(n_rows)
        options = _core.BoostOptions(
            max_leaf_nodes=self.max_leaf_nodes,
            max_depth=self.max_depth,
            by_depth=self.growth == "depth",
            min_samples_leaf=leaf,
            min_child_weight=self.min_child_weight,
            l1=self.l1,
            l2=self.l2,
            min_gain=self.min_gain,
            learning_rate=self.learning_rate,
            max_features=self.max_features,
            max_features_tree=self.max_features_tree,
            cat_smooth=self.cat_smooth,
            cat_l2=self.cat_l2,
            max_cat_subset=self.max_cat_subset,
            min_group=group,
            one_hot_up_to=self.one_hot_up_to,
            seed=self.seed & (1 << 64) - 1,
        )
        monotonic = None if self.monotonic is None else np.ascontiguousarray(self.monotonic, np.int8)
        groups = [list(columns) for columns in self.interactions or ()]
        return _core.BoostRules(options, n_columns, monotonic, groups, self.column_keys)
