"""`splitter="random"`: of each column one drawn test, and the best of these."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare, kstest
from tests.tree.test_cart_laws import table_of

import learnt
from learnt import DecisionTreeClassifier, DecisionTreeRegressor, Table
from learnt.data.table import Column
from learnt.tree.grow.exact import GrowOptions, grow


def cells(seed=0, n=400, p=3):
    x = np.random.default_rng(seed).normal(size=(n, p))
    return x, x[:, 0] + x[:, 1] ** 2 + np.random.default_rng(seed + 1).normal(size=n) / 4


@pytest.mark.parametrize("criterion", ["mse", "mae"])
def test_thresholds_are_uniform_between_the_least_and_the_greatest_cell(criterion):
    x = np.array([-3.0, 0.1, 0.2, 0.25, 5.0])
    y = np.arange(5.0)
    drawn = [
        grow(Table(x[:, None]), y, None, GrowOptions(criterion, max_depth=1, random_cuts=True, seed=s)).threshold[0]
        for s in range(2000)
    ]
    assert kstest(drawn, "uniform", args=(-3, 8)).pvalue > 0.001


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_every_node_cuts_inside_its_own_cells(criterion):
    x, y = cells(n=150)
    model = DecisionTreeRegressor(criterion=criterion, splitter="random", random_state=5).fit(x, y)
    tree, path = model.tree_, model.decision_path(x).toarray().astype(bool)
    for i in np.flatnonzero(~tree.is_leaf):
        own = x[path[:, i], tree.feature[i]]
        assert own.min() <= tree.threshold[i] < own.max()
    np.testing.assert_allclose(model.predict(x), y)  # it is grown to the end all the same


def test_the_column_is_the_one_whose_drawn_cut_gains_most():
    x, y = cells(n=200)
    for seed in range(20):
        options = GrowOptions("mse", max_depth=1, random_cuts=True, seed=seed)
        alone = [grow(Table(np.where(np.arange(3) == j, x, 0.0)), y, None, options) for j in range(3)]
        left = [(x[:, j] <= tree.threshold[0]) for j, tree in enumerate(alone)]
        error = [np.var(y[side]) * side.sum() + np.var(y[~side]) * (~side).sum() for side in left]
        together = grow(Table(x), y, None, options)
        best = int(np.argmin(error))
        assert (together.feature[0], together.threshold[0]) == (best, alone[best].threshold[0])


@pytest.mark.parametrize("criterion", ["mse", "mae"])
def test_categories_go_left_or_right_by_fair_coins(criterion):
    codes = np.array([0, 2, 3, 2, 0, 3], dtype=np.int32)
    table = Table.of_columns([Column("town", "nominal", codes, ("a", "b", "c", "d"))])
    y = np.array([1.0, 5, 2, 5, 1, 2])
    seen = Counter()
    for seed in range(1200):
        tree = grow(table, y, None, GrowOptions(criterion, max_depth=1, random_cuts=True, seed=seed))
        routes = tree.routes_of(0, 4)
        assert routes[1] == -1  # it is not there
        seen[tuple(routes[[0, 2, 3]].tolist())] += 1
    assert len(seen) == 6  # all sets but none and all
    assert chisquare(list(seen.values())).pvalue > 0.001


@pytest.mark.parametrize("criterion", ["mse", "mae"])
def test_one_category_against_the_others_is_any_of_those_present(criterion):
    codes = np.array([0, 2, 3, 2, 0, 3], dtype=np.int32)
    table = Table.of_columns([Column("town", "nominal", codes, ("a", "b", "c", "d"))])
    options = {"nominal": "equals", "max_depth": 1, "random_cuts": True}
    seen = Counter(
        int(np.flatnonzero(tree.routes_of(0, 4) == 0)[0])
        for tree in (grow(table, np.arange(6.0), None, GrowOptions(criterion, **options, seed=s)) for s in range(900))
    )
    assert set(seen) == {0, 2, 3}
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_a_seed_repeats_itself_and_another_draws_another_tree():
    table, classes, _, _ = table_of(2, 200)

    def drawn(state):
        return DecisionTreeClassifier(splitter="random", random_state=state).fit(table, classes).tree_

    assert np.array_equal(drawn(1).threshold, drawn(1).threshold, equal_nan=True)
    assert len({tuple(drawn(state).feature.tolist()) for state in range(6)}) > 1


def test_drawn_columns_do_not_bias_the_cut():
    """The draw of which column comes first must not be the draw of where it is cut."""
    x = np.tile(np.linspace(0, 1, 50)[:, None], (1, 4))
    y = np.arange(50.0)
    options = [GrowOptions("mse", max_depth=1, max_features=1, random_cuts=True, seed=s) for s in range(1000)]
    assert kstest([grow(Table(x), y, None, o).threshold[0] for o in options], "uniform").pvalue > 0.001


def test_many_drawn_trees_together_are_better_than_one():
    x, y = cells(seed=3, n=600)
    new, target = cells(seed=4, n=600)
    trees = [DecisionTreeRegressor(splitter="random", random_state=s).fit(x, y) for s in range(30)]
    answers = np.array([tree.predict(new) for tree in trees])
    alone = np.mean((answers - target) ** 2, axis=1)
    assert np.mean((answers.mean(axis=0) - target) ** 2) < 0.8 * alone.min()


def test_names_and_threads_change_nothing_where_cells_are_missing():
    table, _, numbers, w = table_of(8, 200, gaps=0.3)
    settings = {"splitter": "random", "random_state": 4, "min_samples_leaf": 5}
    one = DecisionTreeRegressor(**settings).fit(table, numbers, w)
    renamed = Table.of_columns([replace(c, name=f"z{9 - j}") for j, c in enumerate(table.columns)])
    other = DecisionTreeRegressor(**settings).fit(renamed, numbers, w)
    np.testing.assert_array_equal(one.predict(table), other.predict(renamed))
    with learnt.threads(1):
        alone = DecisionTreeRegressor(**settings).fit(table, numbers, w)
    np.testing.assert_array_equal(one.tree_.value, alone.tree_.value)
