"""What holds for every CART tree: on mixed tables with gaps, under any way to treat them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnt import DecisionTreeClassifier, DecisionTreeRegressor, Table

MISSING = ["learned", "majority", "class_majority", "fractional"]
NOMINAL = ["subset", "equals", "multiway"]


def table_of(seed, n=80, gaps=0.2):
    """Numbers, ordered labels, text and truths, a share of them missing; classes, numbers and weights with them."""
    rng = np.random.default_rng(seed)
    cells = {
        "age": rng.normal(40, 12, n).round(rng.integers(0, 3)),
        "mass": rng.gamma(2, 2, n).astype(np.float32),
        "town": [("Bern", "Basel", "Genf", "Chur")[i] for i in rng.integers(4, size=n)],
        "size": [("S", "M", "L")[i] for i in rng.integers(3, size=n)],
        "owned": [bool(b) for b in rng.integers(2, size=n)],
    }
    goal = np.where(cells["age"] > 40, 2.0, 0.0) + np.array([t in ("Bern", "Chur") for t in cells["town"]])
    for column in cells.values():
        for i in np.flatnonzero(rng.random(n) < gaps).tolist():
            column[i] = np.nan if isinstance(column, np.ndarray) else None
    table = Table(cells, ordinal={"size": ["S", "M", "L"]})
    goal = goal + rng.normal(0, 0.8, n)
    return table, np.digitize(goal, [0.7, 2.2]), goal, rng.uniform(0.5, 2, n)


def learner(kind, missing, **options):
    if kind == "numbers":
        return DecisionTreeRegressor(missing="majority" if missing == "class_majority" else missing, **options)
    return DecisionTreeClassifier(missing=missing, **options)


every_way = [
    pytest.mark.parametrize("missing", MISSING),
    pytest.mark.parametrize("nominal", NOMINAL),
    pytest.mark.parametrize("kind", ["classes", "numbers"]),
]


def in_every_way(test):
    for mark in every_way:
        test = mark(test)
    return test


@in_every_way
def test_every_row_reaches_one_leaf_or_parts_of_it_that_make_one(missing, nominal, kind):
    table, classes, numbers, w = table_of(1)
    model = learner(kind, missing, nominal=nominal, max_depth=6).fit(
        table, numbers if kind == "numbers" else classes, w
    )
    path, tree = model.decision_path(table), model.tree_
    at_leaves = path[:, np.flatnonzero(tree.is_leaf)]
    np.testing.assert_allclose(at_leaves.sum(axis=1), 1, rtol=1e-12)
    if missing != "fractional":
        assert set(path.data.tolist()) == {1.0}
        np.testing.assert_array_equal(at_leaves.getnnz(axis=1), 1)
        np.testing.assert_array_equal(path[np.arange(table.n_rows), model.apply(table)], 1)


@in_every_way
def test_the_tree_remembers_the_weight_of_the_rows_it_sends(missing, nominal, kind):
    table, classes, numbers, w = table_of(2)
    goal = numbers if kind == "numbers" else classes
    model = learner(kind, missing, nominal=nominal, max_depth=5).fit(table, goal, w)
    if missing == "class_majority" and kind == "classes":
        return  # training rows go with their class, which no row to predict has
    reached = model.decision_path(table).T @ w
    np.testing.assert_allclose(reached, model.tree_.weight, rtol=1e-9)
    if kind == "classes":
        counts = model.decision_path(table).T @ (w[:, None] * (classes[:, None] == model.classes_))
        used = model.tree_.weight > 0
        np.testing.assert_allclose(counts[used], model.tree_.value[used], rtol=1e-9, atol=1e-9)


@in_every_way
def test_predictions_are_the_parts_of_the_leaves(missing, nominal, kind):
    table, classes, numbers, w = table_of(3)
    model = learner(kind, missing, nominal=nominal).fit(table, numbers if kind == "numbers" else classes, w)
    other, tree = table_of(4)[0], model.tree_
    parts = model.decision_path(other).toarray() * tree.is_leaf
    if kind == "numbers":
        np.testing.assert_allclose(model.predict(other), parts @ tree.value[:, 0], rtol=1e-10)
    else:
        shares = tree.value / tree.value.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(other), parts @ shares, rtol=1e-10, atol=1e-12)
        best = model.predict_proba(other).max(axis=1)
        np.testing.assert_allclose(model.predict_proba(other)[np.arange(80), model.predict(other)], best)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("nominal", NOMINAL)
def test_a_child_is_never_more_mixed_than_the_weighted_mean_allows(missing, nominal):
    table, classes, _, w = table_of(5)
    tree = DecisionTreeClassifier(missing=missing, nominal=nominal).fit(table, classes, w).tree_
    for i in np.flatnonzero(~tree.is_leaf):
        below = tree.children_of(i)
        if missing in ("learned", "majority", "class_majority"):
            np.testing.assert_allclose(tree.weight[below].sum(), tree.weight[i], rtol=1e-9)
            assert tree.weight[below] @ tree.impurity[below] <= tree.weight[i] * tree.impurity[i] * (1 + 1e-9)


def partition(model, table):
    """Which rows share a leaf, as numbers that do not depend on how nodes are numbered."""
    _, first, place = np.unique(model.apply(table), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["classes", "numbers"]))
@settings(max_examples=40, deadline=None)
def test_the_partition_does_not_depend_on_the_order_of_rows_or_columns(seed, kind):
    """Real-valued weights leave no splits that tie, but for those that part the same rows, where the names decide."""
    table, classes, numbers, w = table_of(seed, gaps=0.0)
    goal, rng = numbers if kind == "numbers" else classes, np.random.default_rng(seed)
    whole = learner(kind, "learned", min_weight_fraction_leaf=0.05).fit(table, goal, w)
    rows, columns = rng.permutation(table.n_rows), rng.permutation(table.n_columns)
    shuffled = table.select([table.names[j] for j in columns]).take(rows)
    other = learner(kind, "learned", min_weight_fraction_leaf=0.05).fit(shuffled, goal[rows], w[rows])
    np.testing.assert_array_equal(partition(other, table), partition(whole, table))


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["classes", "numbers"]))
@settings(max_examples=40, deadline=None)
def test_monotone_transforms_of_numbers_leave_the_partition_as_it_is(seed, kind):
    table, classes, numbers, w = table_of(seed, gaps=0.1)
    goal = numbers if kind == "numbers" else classes
    columns = table.to_dict()

    def bent(values):
        return [None if v is None else np.exp(v / 30) + v**3 for v in values]

    other = Table(
        {**columns, "age": bent(columns["age"]), "mass": bent(columns["mass"])}, ordinal={"size": ["S", "M", "L"]}
    )
    one, two = (learner(kind, "learned", min_weight_fraction_leaf=0.03).fit(t, goal, w) for t in (table, other))
    np.testing.assert_array_equal(partition(one, table), partition(two, other))


@given(
    seed=st.integers(0, 10**6),
    missing=st.sampled_from(["learned", "majority", "fractional"]),
    kind=st.sampled_from(["classes", "numbers"]),
)
@settings(max_examples=40, deadline=None)
def test_copies_of_rows_are_weights(seed, missing, kind):
    table, classes, numbers, w = table_of(seed, n=40)
    goal, counts = numbers if kind == "numbers" else classes, np.random.default_rng(seed).integers(1, 4, 40)
    copied = np.repeat(np.arange(40), counts)
    # Useless splits tie: all of them gain nothing, but for rounding.
    options = {"min_samples_leaf": 3, "min_samples_split": 9, "min_impurity_decrease": 1e-6}
    weighted = learner(kind, missing, **options).fit(table, goal, counts * w)
    repeated = learner(kind, missing, **options).fit(table.take(copied), goal[copied], w[copied])
    np.testing.assert_array_equal(partition(weighted, table), partition(repeated, table))


@pytest.mark.parametrize("nominal", ["subset", "equals"])
def test_the_first_split_on_categories_is_the_best_there_is(nominal):
    """Against all ways to part five categories, or one from the others, by the definition of the impurity."""
    from itertools import combinations

    rng = np.random.default_rng(0)
    codes = rng.integers(5, size=200)
    noise = rng.normal(0, 1, 200)
    y = (noise + np.array([0.3, -1.0, 1.0, 0.1, -0.4])[codes] > 0).astype(int)
    goal = noise + np.array([0.3, -1.0, 1.0, 0.1, -0.4])[codes]
    three = np.digitize(goal, [-0.5, 0.5])
    table = Table({"letter": ["abcde"[c] for c in codes]})

    def gini(part):
        share = np.bincount(part) / len(part)
        return 1 - np.sum(share**2)

    sizes = (1,) if nominal == "equals" else (1, 2)
    ways = [np.isin(codes, left) for k in sizes for left in combinations(range(5), k)]
    for target, mixed, model in (
        (y, gini, DecisionTreeClassifier(max_depth=1, nominal=nominal)),
        (three, gini, DecisionTreeClassifier(max_depth=1, nominal=nominal)),
        (goal, np.var, DecisionTreeRegressor(max_depth=1, nominal=nominal)),
    ):
        best = min(way.mean() * mixed(target[way]) + (~way).mean() * mixed(target[~way]) for way in ways)
        tree = model.fit(table, target).tree_
        below = tree.children_of(0)
        assert tree.weight[below] @ tree.impurity[below] / 200 == pytest.approx(best, rel=1e-12)
