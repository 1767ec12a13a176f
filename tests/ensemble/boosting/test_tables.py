"""Any table: gaps, categories by the thousand, hostile cells, constraints that hold at every row."""

import numpy as np
import pytest

import learnt
from learnt import Table, datasets
from learnt.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from learnt.errors import InputError, ParameterError

EAGER = {"min_samples_leaf": 1, "max_iter": 30, "learning_rate": 0.3}


def test_missing_cells_go_where_they_lower_the_loss():
    rng = np.random.default_rng(0)
    x = rng.random(600)
    x[rng.random(600) < 0.3] = np.nan
    for height in (5.0, -5.0):
        y = np.where(np.isnan(x), height, x)
        model = GradientBoostingRegressor(max_iter=60, learning_rate=0.1).fit(x[:, None], y)
        said = model.predict(np.array([[np.nan], [0.1], [0.9]]))
        np.testing.assert_allclose(said, [height, 0.1, 0.9], atol=0.06)


def test_where_nothing_was_missing_missing_cells_follow_the_heavier_side():
    x = np.r_[np.zeros(90), np.ones(30)][:, None]
    model = GradientBoostingRegressor(max_iter=1).fit(x, x[:, 0])
    assert model.predict(np.array([[np.nan]])) == model.predict(np.array([[0.0]]))


def test_ten_thousand_categories_are_taken_and_unseen_ones_are_missing():
    rng = np.random.default_rng(1)
    n = 150_000
    codes = rng.integers(0, 10_000, n)
    good = rng.random(10_000) < 0.5
    towns = np.array([f"town {i}" for i in range(10_000)])
    table = {"town": towns[codes], "x": rng.random(n)}
    y = np.where(good[codes], 1.0, 0.0) + 0.1 * rng.normal(size=n)
    model = GradientBoostingRegressor(max_iter=20, learning_rate=0.3, early_stopping=False).fit(table, y)
    assert model.score(table, y) > 0.3
    odd = {"town": ["nowhere", None], "x": [0.5, 0.5]}
    said = model.predict(odd)
    assert said[0] == said[1]
    assert np.isfinite(said).all()


def test_a_column_of_categories_needs_no_encoding():
    rng = np.random.default_rng(2)
    towns = np.array(list("abcdefghij"))[rng.integers(0, 10, 2000)]
    y = np.isin(towns, list("bdi")).astype(int)
    model = GradientBoostingClassifier(max_iter=20).fit({"town": towns}, y)
    assert model.score({"town": towns}, y) == 1.0


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_copies_of_rows_are_weights(kind):
    rng = np.random.default_rng(3)
    table = Table({"a": rng.normal(size=150).round(1), "t": np.array(list("xyzuv"))[rng.integers(0, 5, 150)]})
    y = rng.integers(0, 3, 150)
    counts = rng.integers(0, 4, 150)
    one = kind(max_iter=15).fit(table, y, counts)
    copies = np.repeat(np.arange(150), counts)
    other = kind(max_iter=15).fit(table.take(copies), y[copies])
    ask = (lambda m: m.predict_proba(table)) if kind is GradientBoostingClassifier else (lambda m: m.predict(table))
    np.testing.assert_allclose(ask(one), ask(other), rtol=1e-6)


@pytest.mark.parametrize(("name", "least"), [("iris", 0.85), ("labor", 0.7), ("vote", 0.85)])
def test_thirty_rows_are_enough_to_learn_something(name, least):
    table = datasets.load(name)
    scores = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(table.n_rows)
        scores.append(GradientBoostingClassifier().fit(table.take(order[:30])).score(table.take(order[30:])))
    assert np.mean(scores) > least  # the majority: 0.33, 0.65, 0.61


def test_the_least_rows_of_a_leaf_are_a_tenth_of_few_rows_and_three_of_more():
    rng = np.random.default_rng(0)
    for n_rows, least in ((20, 2), (200, 3), (900, 3)):
        x = rng.normal(size=(n_rows, 2))
        y = x[:, 0] + rng.normal(size=n_rows)
        tree = GradientBoostingRegressor(max_iter=1).fit(x, y).trees_[0]
        assert tree.weight[tree.is_leaf].min() >= least
        given = GradientBoostingRegressor(max_iter=1, min_samples_leaf=least).fit(x, y)
        np.testing.assert_array_equal(given.trees_[0].threshold, tree.threshold)


def test_one_class_one_row_and_columns_that_say_nothing():
    only = GradientBoostingClassifier().fit({"x": [1.0, 2.0]}, ["yes", "yes"])
    assert only.predict_proba({"x": [5.0]}).tolist() == [[1.0]]
    assert only.explain({"x": [5.0]})[0].prediction == "yes"
    assert GradientBoostingRegressor().fit({"x": [1.0]}, [7.0]).predict({"x": [0.0]}).tolist() == [7.0]
    blank = {"a": [np.nan] * 60, "b": [3.0] * 60, "c": [None] * 59 + ["x"], "x": np.arange(60.0)}
    alone = {"x": np.arange(60.0)}
    y = np.arange(60.0) ** 2
    settings = {"max_iter": 20, "min_samples_leaf": 5, "subsample": 1.0, "max_features": 1.0}
    np.testing.assert_allclose(
        GradientBoostingRegressor(**settings).fit(blank, y).predict(blank),
        GradientBoostingRegressor(**settings).fit(alone, y).predict(alone),
    )


def test_names_of_columns_may_be_anything():
    rng = np.random.default_rng(4)
    table = {"Größe 🌳": rng.random(100), "": rng.random(100), "a = b": ["ü", "<b>"] * 50}
    model = GradientBoostingRegressor(max_iter=5).fit(table, rng.random(100))
    assert "Größe" in str(model.tree(0)) + str([e.column for e in model.explain(table)[0].evidence])


def test_infinite_cells_are_named():
    x = np.zeros((30, 2))
    x[7, 1] = -np.inf
    with pytest.raises(InputError, match=r"'x1' has 1 infinite value \(first in row 7\)"):
        GradientBoostingRegressor().fit(x, np.zeros(30))


def test_huge_and_tiny_numbers_do_no_harm():
    x = np.array([[1e-300], [1e300], [-1e300], [5e-324]] * 30)
    y = np.array([1e150, -1e150, 0.0, 1.0] * 30)
    model = GradientBoostingRegressor(**EAGER).fit(x, y)
    assert np.isfinite(model.predict(x)).all()
    assert model.score(x, y) > 0.9


# Constraints


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "poisson"])
@pytest.mark.parametrize("growth", ["leaf", "depth"])
def test_predictions_rise_and_fall_as_they_must_at_every_row(loss, growth):
    rng = np.random.default_rng(5)
    x = rng.random((500, 3))
    y = np.abs(np.sin(6 * x[:, 0]) + x[:, 1] + rng.normal(size=500))
    ways = {"x0": 1, "x2": -1}
    model = GradientBoostingRegressor(loss=loss, growth=growth, monotonic_cst=ways, max_iter=40, min_samples_leaf=5)
    model.fit({f"x{j}": x[:, j] for j in range(3)}, y)
    grid = np.linspace(-0.1, 1.1, 60)
    for column, way in ways.items():
        cells = {f"x{j}": np.tile(x[:80, j], 60) for j in range(3)} | {column: np.repeat(grid, 80)}
        steps = np.diff(model.predict(cells).reshape(60, 80), axis=0) * way
        assert steps.min() >= -1e-12
    free = GradientBoostingRegressor(loss=loss, growth=growth, max_iter=40, min_samples_leaf=5)
    cells = {f"x{j}": np.tile(x[:80, j], 60) for j in range(3)} | {"x0": np.repeat(grid, 80)}
    free.fit({f"x{j}": x[:, j] for j in range(3)}, y)
    assert np.diff(free.predict(cells).reshape(60, 80), axis=0).min() < -1e-3  # it is the constraint that does it


def test_columns_of_different_groups_never_stand_on_one_way():
    rng = np.random.default_rng(6)
    x = rng.random((800, 4))
    y = x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3]
    model = GradientBoostingRegressor(interaction_cst=[["x0", "x1"], ["x1", "x2"]], max_iter=40).fit(
        {f"x{j}": x[:, j] for j in range(4)}, y
    )
    ways = set()
    for tree in model.trees_:
        parents = tree.parents()
        for leaf in np.flatnonzero(tree.is_leaf):
            columns, node = set(), int(parents[leaf])
            while node >= 0:
                columns.add(int(tree.feature[node]))
                node = int(parents[node])
            ways.add(frozenset(columns))
    assert all(way <= {0, 1} or way <= {1, 2} or way <= {3} for way in ways)
    assert frozenset({0, 1}) in ways


def test_without_interactions_columns_add_up():
    rng = np.random.default_rng(7)
    x = rng.random((600, 2))
    model = GradientBoostingRegressor(interaction_cst="no_interactions", max_iter=30).fit(x, x[:, 0] * x[:, 1])
    a, b, c, d = model.predict(np.array([[0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]]))
    assert a + d == pytest.approx(b + c, abs=1e-12)


def test_constraints_that_make_no_sense_are_refused():
    x, y = np.random.default_rng(8).random((60, 2)), np.arange(60) % 3
    for settings, said in (
        ({"monotonic_cst": [1, 0]}, "two classes"),
        ({"monotonic_cst": {"z": 1}}, "'z'"),
        ({"interaction_cst": [["z"]]}, "'z'"),
        ({"interaction_cst": [[5]]}, "column 5"),
        ({"max_bins": 256}, "max_bins"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"class_weight": {9: 1.0}}, "9"),
    ):
        with pytest.raises(ParameterError, match=said):
            GradientBoostingClassifier(**settings).fit(x, y)


def test_class_weights_are_weights():
    x, y = np.random.default_rng(9).random((300, 3)).round(1), np.random.default_rng(10).integers(0, 3, 300)
    by_class = GradientBoostingClassifier(max_iter=10, class_weight={0: 3.0, 2: 0.5}).fit(x, y)
    by_row = GradientBoostingClassifier(max_iter=10).fit(x, y, np.array([3.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(by_class.predict_proba(x), by_row.predict_proba(x), rtol=1e-12)
    none = GradientBoostingClassifier(max_iter=10, class_weight={2: 0.0}).fit(x, y)
    assert none.predict_proba(x)[:, 2].max() < 1e-6
    assert GradientBoostingClassifier(max_iter=10).fit(x, y, (y < 2).astype(float)).classes_.tolist() == [0, 1]
    counts = np.bincount(y)
    balanced = GradientBoostingClassifier(max_iter=10, class_weight="balanced").fit(x, y)
    by_hand = GradientBoostingClassifier(max_iter=10).fit(x, y, (300 / 3 / counts)[y])
    np.testing.assert_allclose(balanced.predict_proba(x), by_hand.predict_proba(x), rtol=1e-9)


def test_threads_change_no_bit():
    rng = np.random.default_rng(11)
    x = rng.normal(size=(40_000, 6)).astype(np.float32)
    y = (x[:, 0] * x[:, 1] + rng.normal(size=40_000) > 0).astype(int)
    said = []
    for count in (1, 2, 3):
        with learnt.threads(count):
            model = GradientBoostingClassifier(max_iter=8).fit(x, y)
            arrays = (model.predict_proba(x), model.trees_.threshold, model.trees_.value, model.train_score_)
        said.append([array.tobytes() for array in arrays])
    assert said[0] == said[1] == said[2]
