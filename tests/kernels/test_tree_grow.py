"""Grown trees against the definitions, node by node, on small tables of all kinds."""

from dataclasses import replace

import numpy as np
import pytest

from learnt.data.table import Column, Table
from learnt.tree.grow.exact import GrowOptions, grow

from .tree_reference import Reference


def mixed_table(seed, n, missing=0.15, levels=4):
    """Numbers with ties, codes, an ordinal, a constant; some cells missing."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, levels, n).astype(np.int32), rng.integers(0, 2, n).astype(np.int32)]
    numbers = [rng.normal(size=n), rng.integers(0, 5, n).astype(np.float32), np.full(n, 3.0)]
    grades = rng.integers(0, 4, n).astype(np.int32)
    for cells in (*codes, grades):
        cells[rng.random(n) < missing] = -1
    for cells in numbers[:2]:
        cells[rng.random(n) < missing] = np.nan
    labels = tuple(f"level {i}" for i in range(levels + 1))  # the last one never occurs
    return Table.of_columns(
        [
            Column("a", "numeric", numbers[0]),
            Column("town", "nominal", codes[0], labels),
            Column("b", "numeric", numbers[1]),
            Column("flag", "boolean", codes[1], (False, True)),
            Column("grade", "ordinal", grades, ("low", "mid", "high", "top")),
            Column("same", "numeric", numbers[2]),
        ]
    )


def target_of(table, seed, k):
    rng = np.random.default_rng(seed + 1000)
    a = np.nan_to_num(table["a"].values, nan=0.5)
    town = table["town"].values
    score = a + (town % 2) * 1.5 + rng.normal(size=len(a))
    if k == 0:
        return score
    return np.digitize(score, np.quantile(score, np.arange(1, k) / k)).astype(np.int32)


def as_numbers(column):
    return np.where(column.missing, np.nan, column.values.astype(float))


def check(table, y, weights, options, k, exhaustive=False):
    tree = grow(table, y, weights, options, n_classes=k or None)
    kinds = [len(c.categories) if c.kind in ("nominal", "boolean") else 0 for c in table.columns]
    cells = [
        c.values.astype(float)
        if n == 0 and c.kind == "numeric"
        else np.where(c.values < 0, np.nan, c.values)
        if n == 0
        else c.values
        for c, n in zip(table.columns, kinds, strict=True)
    ]
    Reference(cells, kinds, y, weights, options, k, exhaustive).check(tree)
    return tree


CLASSES = ["gini", "entropy", "misclassification", "gain_ratio"]
WAYS = ["fractional", "majority", "class_majority", "learned"]


@pytest.mark.costly
@pytest.mark.parametrize("nominal", ["multiway", "equals", "subset"])
@pytest.mark.parametrize("missing", WAYS)
@pytest.mark.parametrize("criterion", CLASSES)
def test_every_node_of_a_classification_is_the_best_split(criterion, missing, nominal):
    for seed, k, weighted in [(0, 2, False), (1, 3, True), (2, 4, False), (3, 2, True)]:
        table = mixed_table(seed, 90)
        weights = np.random.default_rng(seed).uniform(0.2, 3, 90) if weighted else None
        options = GrowOptions(criterion=criterion, missing=missing, nominal=nominal, min_samples_leaf=4)
        tree = check(table, target_of(table, seed, k), weights, options, k)
        assert tree.n_leaves > 3


@pytest.mark.parametrize("nominal", ["multiway", "equals", "subset"])
@pytest.mark.parametrize("missing", ["fractional", "majority", "learned"])
@pytest.mark.parametrize("criterion", ["mse", "mae"])
def test_every_node_of_a_regression_is_the_best_split(criterion, missing, nominal):
    if criterion == "mae" and nominal == "subset":
        nominal = "equals"  # sets in the order of their medians are not always the best two
    for seed, weighted in [(0, False), (1, True)]:
        table = mixed_table(seed, 60)
        weights = np.random.default_rng(seed).uniform(0.2, 3, 60) if weighted else None
        options = GrowOptions(criterion=criterion, missing=missing, nominal=nominal, min_samples_leaf=4)
        assert check(table, target_of(table, seed, 0), weights, options, 0).n_leaves > 3


@pytest.mark.parametrize(
    "change",
    [
        {"max_depth": 2},
        {"min_samples_split": 30},
        {"min_samples_leaf": 12.5},
        {"min_impurity_decrease": 0.02},
        {"feature_costs": np.array([1.0, 9.0, 2.0, 1.0, 0.5, 1.0])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_limit_of_growth_is_kept(change):
    for missing in WAYS:
        table = mixed_table(7, 100)
        options = replace(GrowOptions(missing=missing, min_samples_leaf=3), **change)
        check(table, target_of(table, 7, 3), None, options, 3)


@pytest.mark.costly
@pytest.mark.parametrize("nominal", ["multiway", "equals"])
@pytest.mark.parametrize("mdl", [False, True])
def test_the_ways_of_c45_are_kept(nominal, mdl):
    options = GrowOptions(
        criterion="gain_ratio",
        nominal=nominal,
        missing="fractional",
        min_samples_leaf=2,
        min_samples_split=4,
        min_branches=True,
        mdl_correction=mdl,
        average_gain=True,
        j48_numeric_minimum=True,
        n_declared_classes=3,
    )
    for seed in range(4):
        table = mixed_table(seed, 120)
        check(table, target_of(table, seed, 3), None, options, 3)


def test_no_weight_and_no_row_are_the_same():
    table = mixed_table(5, 80)
    y = target_of(table, 5, 2)
    weights = np.where(np.arange(80) % 3 == 0, 0.0, 1.0)
    a = grow(table, y, weights, GrowOptions(), n_classes=2)
    b = grow(table.take(weights > 0), y[weights > 0], None, GrowOptions(), n_classes=2)
    for name in ("feature", "threshold", "weight", "value", "missing", "route_codes", "routes"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("missing", WAYS)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_row_twice_is_a_row_of_weight_two(criterion, missing):
    table = mixed_table(6, 70)
    y = target_of(table, 6, 3)
    times = np.random.default_rng(6).integers(1, 4, 70)
    options = GrowOptions(criterion=criterion, missing=missing, min_samples_leaf=9)
    a = grow(table, y, times.astype(float), options, n_classes=3)
    rows = np.repeat(np.arange(70), times)
    b = grow(table.take(rows), y[rows], None, options, n_classes=3)
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    np.testing.assert_allclose(a.value, b.value, atol=1e-9)


def test_thresholds_can_be_taken_from_the_column():
    x = np.array([1.0, 2.0, 5.0, 9.0, 2.5])
    y = np.array([0, 0, 1, 1, 0], dtype=np.int32)
    table = Table.of_columns([Column("x", "numeric", x)])
    assert grow(table, y, None, GrowOptions(max_depth=1)).threshold[0] == 3.75
    assert grow(table, y, None, GrowOptions(max_depth=1, thresholds_from_data=True)).threshold[0] == 2.5


@pytest.mark.costly
@pytest.mark.parametrize(("criterion", "k"), [("gini", 2), ("entropy", 2), ("misclassification", 2), ("mse", 0)])
def test_levels_in_order_of_their_means_need_no_other_sets(criterion, k):
    for seed in range(4):
        table = mixed_table(seed, 120, missing=0.0, levels=7)
        options = GrowOptions(criterion=criterion, max_depth=4)
        check(table, target_of(table, seed, k), None, options, k, exhaustive=True)


def test_a_subset_among_many_levels_of_many_classes_is_good():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 40, 3000).astype(np.int32)
    y = np.where(town % 2 == 0, rng.integers(0, 2, 3000), rng.integers(2, 4, 3000)).astype(np.int32)
    table = Table.of_columns([Column("town", "nominal", town, tuple(map(str, range(40))))])
    tree = grow(table, y, None, GrowOptions(max_depth=1), n_classes=4)
    even = tree.routes_of(0, 40)[0::2]
    odd = tree.routes_of(0, 40)[1::2]
    assert len(set(even)) == len(set(odd)) == 1
    assert even[0] != odd[0]
