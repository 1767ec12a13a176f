"""Growing an exact tree, and sending rows down one: the compiled kernels, called with tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Column, Table
from learnt.tree.arrays import TreeArrays

Array = np.ndarray[Any, Any]
Criterion = Literal["entropy", "gain_ratio", "gini", "misclassification", "mse", "mae"]

# The fields of a tree that say where rows go.
_WALKED = (
    "feature",
    "threshold",
    "child_start",
    "n_children",
    "children",
    "route_start",
    "n_routes",
    "route_codes",
    "routes",
    "otherwise",
    "missing",
    "weight",
    "value",
)


@dataclass(frozen=True)
class GrowOptions:
    """How a tree is grown.

    | field | meaning |
    |---|---|
    | `criterion` | what a split lowers: impurity of classes (entropies in bits), or squared or absolute error |
    | `nominal` | one branch per declared category, one category against the rest, or the best two sets |
    | `missing` | missing cells go to all branches by share, to the heaviest, to their class's heaviest, or where best |
    | `max_depth` | tests on the longest path |
    | `min_samples_split`, `min_samples_leaf` | least weight of a node that is split, of each branch |
    | `min_impurity_decrease` | least decrease of impurity, times the node's share of all weight |
    | `max_leaf_nodes` | grow the best node first, up to so many leaves |
    | `max_features` | look at so many columns in each node, drawn from `seed` |
    | `random_cuts` | of each column look at one test, drawn from `seed` |
    | `monotonic` | by column, 1: the target (the share of class 1) does not fall when the column rises, −1: not rise |
    | `feature_costs` | compare columns by gain² / cost |
    | `min_branches` | C4.5: two branches of `min_samples_leaf` are enough, others may be smaller |
    | `mdl_correction` | C4.5: thresholds pay for having been chosen: log₂(cuts tried) / weight |
    | `average_gain` | C4.5: only columns of at least average gain; J48's tolerances |
    | `j48_numeric_minimum` | J48: a side of a threshold has 0.1 · weight / classes, from `min_samples_leaf` to 25 |
    | `thresholds_from_data` | C4.5: thresholds are cells of the training column |
    | `n_declared_classes` | for `j48_numeric_minimum` |
    """

    criterion: Criterion = "gini"
    nominal: Literal["multiway", "equals", "subset"] = "subset"
    missing: Literal["fractional", "majority", "class_majority", "learned"] = "learned"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    max_features: int | None = None
    seed: int = 0
    random_cuts: bool = False
    monotonic: Array | None = None
    feature_costs: Array | None = None
    min_branches: bool = False
    mdl_correction: bool = False
    average_gain: bool = False
    j48_numeric_minimum: bool = False
    thresholds_from_data: bool = False
    n_declared_classes: int = 0


def grow(
    table: Table, y: Array, weights: Array | None, options: GrowOptions, *, n_classes: int | None = None
) -> TreeArrays:
    """The exact tree of a table.

    `y` holds int32 codes of `n_classes` classes (by default, up to the largest code), or float64 numbers.
    Equal scores: the first column, then the lowest threshold. Rows without weight are left out.
    """
    labels, targets = None, None
    if np.issubdtype(y.dtype, np.integer):
        labels = np.ascontiguousarray(y, dtype=np.int32)
        n_classes = int(labels.max(initial=0)) + 1 if n_classes is None else n_classes
    else:
        targets = np.ascontiguousarray(y, dtype=np.float64)
    settings = asdict(options)
    settings["max_depth"] = -1 if options.max_depth is None else options.max_depth
    settings["max_leaf_nodes"] = options.max_leaf_nodes or 0
    settings["max_features"] = options.max_features or 0
    costs, monotonic = settings.pop("feature_costs"), settings.pop("monotonic")
    return TreeArrays.grown(
        _core.grow_tree(
            [column_cells(column) for column in table.columns],
            n_categories(table.schema),
            labels,
            n_classes or 0,
            targets,
            _doubles(weights),
            None if monotonic is None else np.ascontiguousarray(monotonic, np.int32),
            _doubles(costs),
            _core.TreeOptions(**settings),
        )
    )


def apply_rows(tree: TreeArrays, table: Table) -> Array:
    """The leaf of every row; rows that several children share follow the heaviest."""
    out = np.empty(table.n_rows, dtype=np.int32)
    _core.tree_apply(**walked_fields(tree, table.schema), x=kernel_rows(table), out=out)
    return out


def predict_rows(tree: TreeArrays, table: Table, *, classes: bool) -> Array:
    """Class shares (`classes`) or predictions of the leaves every row reaches, weighted by its share in each."""
    out = np.empty((table.n_rows, tree.n_outputs))
    _core.tree_predict(**walked_fields(tree, table.schema), classes=classes, x=kernel_rows(table), out=out)
    return out


def n_categories(schema: Schema) -> Array:
    """Per column the number of categories a tree may branch on; 0 where it cuts at thresholds."""
    return np.array([len(c.categories) if c.kind in ("nominal", "boolean") else 0 for c in schema], dtype=np.int32)


def walked_fields(tree: TreeArrays, schema: Schema) -> dict[str, Any]:
    """The fields of a tree that kernels send rows down by."""
    return {name: getattr(tree, name) for name in _WALKED} | {"n_categories": n_categories(schema)}


def kernel_rows(table: Table) -> Any:
    """The rows as the kernels take them: a matrix, or a list of columns."""
    return table.matrix if table.matrix is not None else [column_cells(column) for column in table.columns]


def column_cells(column: Column) -> Array:
    """The array of a column; a nominal one without categories has missing cells only, which a number can say."""
    if column.kind in ("nominal", "boolean") and not column.categories:
        return np.full(len(column), np.nan)
    return column.values


def _doubles(values: Array | None) -> Array | None:
    return None if values is None else np.ascontiguousarray(values, dtype=np.float64)
