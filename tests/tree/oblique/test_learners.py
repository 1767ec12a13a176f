"""Oblique trees: what they find, how they add up, what does not matter to them."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt import DecisionTreeClassifier, ObliqueTreeClassifier, ObliqueTreeRegressor, Table, datasets


@pytest.fixture
def slanted():
    """A border across two numbers and a town, with gaps and other columns that say nothing."""
    rng = np.random.default_rng(3)
    n = 300
    x, z, noise = rng.normal(size=(3, n))
    town = rng.choice(["Bern", "Basel", "Chur"], n)
    y = (x + 2 * z + 1.5 * (town == "Bern") > 0.5).astype(int)
    columns = {"x": x.tolist(), "z": z.tolist(), "noise": noise.tolist(), "town": town.tolist()}
    for i in range(0, n, 23):
        columns[("x", "town")[i % 2]][i] = None
    return Table(columns), y


def test_a_slanted_border_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 4))
    y = x[:, 0] + 2 * x[:, 2] > 0.3
    model = ObliqueTreeClassifier(max_depth=1).fit(x, y)
    (one,) = model.combinations_.sums
    assert [term.column for term, _ in one] == [0, 2]
    assert one[1][1] / one[0][1] == pytest.approx(2, rel=0.05)
    assert model.score(x, y) > 0.98
    assert DecisionTreeClassifier(max_depth=1).fit(x, y).score(x, y) < 0.9


def test_categories_are_terms(slanted):
    table, y = slanted
    model = ObliqueTreeClassifier(max_depth=1, max_terms=3).fit(table, y)
    assert "[town is Bern]" in str(model)
    assert model.score(table, y) > 0.93


def test_one_column_is_preferred_where_it_is_nearly_as_good():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    y = (x[:, 1] > 0) ^ (rng.random(300) < 0.1)
    assert len(ObliqueTreeClassifier(max_depth=1).fit(x, y).combinations_) == 0
    with_sums = ObliqueTreeClassifier(preference=100.0).fit(x, y)
    assert len(with_sums.combinations_) == 0


@pytest.mark.parametrize("settings", [{"max_terms": 1}, {"preference": 1e9}])
def test_without_sums_it_is_cart(settings):
    glass = datasets.load("glass")
    one = ObliqueTreeClassifier(prune=None, **settings).fit(glass)
    other = DecisionTreeClassifier().fit(glass)
    assert np.array_equal(one.tree_.feature, other.tree_.feature)
    assert np.array_equal(one.predict_proba(glass), other.predict_proba(glass))


def test_a_chosen_sum_gains_as_much_more_as_its_terms_ask_for():
    """Impurities by hand, at the root of a real table."""
    iris = datasets.load("iris")
    features, y = iris.drop(iris.target), np.array(iris[iris.target].labels())
    keep = y != "Iris-setosa"
    features, y = features.take(keep), y[keep]
    model = ObliqueTreeClassifier(max_depth=1, preference=0.0, prune=None).fit(features, y)

    def gini(labels):
        return 1 - sum(np.mean(labels == label) ** 2 for label in np.unique(labels))

    def gain(left):
        return gini(y) - left.mean() * gini(y[left]) - (~left).mean() * gini(y[~left])

    best = max(gain(cells <= cut) for cells in (c.values for c in features.columns) for cut in np.unique(cells)[:-1])
    wide = model.with_combinations(features)
    left = wide.columns[model.tree_.feature[0]].values <= model.tree_.threshold[0]
    assert len(model.combinations_) == 1
    assert gain(left) > best
    assert np.array_equal(model.apply(features) == 1, left)


def test_numbers_across_columns_need_fewer_leaves():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(500, 5))
    y = np.where(x[:, 0] - x[:, 3] > 0, 4.0, 1.0) + 0.1 * rng.normal(size=500)
    model = ObliqueTreeRegressor(max_depth=1).fit(x, y)
    assert model.score(x, y) > 0.95
    assert "x0" in str(model)
    assert "x3" in str(model)


def test_a_weight_of_two_is_a_row_twice(slanted):
    table, y = slanted
    times = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = ObliqueTreeClassifier().fit(table, y, sample_weight=times.astype(float))
    repeated = ObliqueTreeClassifier().fit(table.take(rows), y[rows])
    assert str(weighted) == str(repeated)


def test_the_order_of_rows_does_not_matter(slanted):
    table, y = slanted
    order = np.random.default_rng(2).permutation(len(y))
    one, other = ObliqueTreeClassifier().fit(table, y), ObliqueTreeClassifier().fit(table.take(order), y[order])
    assert str(one) == str(other)


def test_weights_of_classes_are_weights_of_their_rows(slanted):
    table, y = slanted
    by_class = ObliqueTreeClassifier(class_weight={1: 3.0}).fit(table, y)
    by_row = ObliqueTreeClassifier().fit(table, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert str(by_class) == str(by_row)


@pytest.mark.parametrize("kind", ["path", "attribution"])
def test_explanations_add_up_in_the_users_columns(slanted, kind):
    table, y = slanted
    model = ObliqueTreeClassifier(average="prunings").fit(table, y)
    assert len(model.combinations_)
    shares = model.predict_proba(table)
    for i, told in enumerate(model.explain(table.rows(0, 15), kind=kind)):
        assert [e.column for e in told.evidence] == list(table.names)
        assert told.add_up() == pytest.approx(shares[i].max(), abs=1e-9)
    parts = model._class_parts(table.rows(0, 1))
    np.testing.assert_allclose(parts.total, shares[0], atol=1e-9)


def test_missing_cells_count_as_means_in_sums(slanted):
    table, y = slanted
    model = ObliqueTreeClassifier(max_depth=1).fit(table, y)
    mean = float(np.nanmean(table["x"].values))
    blank, filled = ({"x": [cell], "z": [0.1], "noise": [0.0], "town": ["Chur"]} for cell in (None, mean))
    assert model.apply(blank)[0] == model.apply(filled)[0]
    nothing = {"x": [None], "z": [None], "noise": [None], "town": [None]}
    assert model.predict(nothing)[0] in (0, 1)


def test_poor_tables_do_no_harm():
    fit = ObliqueTreeClassifier().fit
    assert fit({"x": [1.0]}, ["a"]).predict({"x": [7.0]}).tolist() == ["a"]
    assert fit({"x": [1.0] * 30, "z": [None] * 30}, [0, 1] * 15).get_n_leaves() == 1
    rng = np.random.default_rng(0)
    for scale in (1e-150, 1e150):
        x = rng.normal(size=(60, 3)) * scale
        assert fit(x, x[:, 0] > 0).score(x, x[:, 0] > 0) == 1
    twice = np.repeat(rng.normal(size=(60, 1)), 3, axis=1)
    assert np.isfinite(ObliqueTreeRegressor().fit(twice, twice[:, 0]).predict(twice)).all()


def test_it_is_shown_and_saved_whole(slanted, tmp_path):
    table, y = slanted
    model = ObliqueTreeClassifier().fit(table, y)
    for text in (str(model), model.draw().svg, model.to_dot(), str(model.to_rules())):
        assert "z" in text
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert str(again) == str(model)
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    rules = model.to_rules()
    wide = model.with_combinations(table)
    assert len(rules) == model.get_n_leaves()
    assert all(rule.test(wide).shape == (table.n_rows,) for rule in rules)


def test_importance_is_divided_among_the_terms(slanted):
    table, y = slanted
    shares = ObliqueTreeClassifier().fit(table, y).feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert shares[1] == shares.max()
    assert shares[2] < 0.15
