"""Option trees: the trees in them, averaged; what limits them; how they add up."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt import DecisionTreeClassifier, OptionTreeClassifier, Table, datasets


@pytest.fixture
def cancer():
    table = datasets.load("breast_cancer")
    return table.drop(table.target), np.array(table[table.target].labels())


def trees_inside(tree, option_column, i=0):
    """All plain trees that an option tree stands for: functions from a row's numbers to class shares."""
    if tree.is_leaf[i]:
        share = tree.value[i] / tree.value[i].sum()
        return [lambda row: share]
    children = [int(c) for c in tree.children_of(i)]
    if tree.feature[i] == option_column:
        return [one for child in children for one in trees_inside(tree, option_column, child)]
    j, cut = int(tree.feature[i]), float(tree.threshold[i])
    return [
        lambda row, a=a, b=b: a(row) if row[j] <= cut else b(row)
        for a in trees_inside(tree, option_column, children[0])
        for b in trees_inside(tree, option_column, children[1])
    ]


def test_it_is_the_mean_of_the_trees_in_it():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 4))
    y = (x[:, 0] + x[:, 1] + 0.5 * rng.normal(size=80) > 0).astype(int)
    model = OptionTreeClassifier(option_depth=2, max_options=2, tolerance=0.9, max_depth=2).fit(x, y)
    inside = trees_inside(model.tree_, 4)
    assert len(inside) == 2 * 2 * 2  # two at the root, two below each of its branches
    # Every combination of options is one tree; their plain mean is that of the ways, in equal parts.
    expected = [np.mean([tree(row) for tree in inside], axis=0) for row in x]
    np.testing.assert_allclose(model.predict_proba(x), expected, rtol=1e-12)


@pytest.mark.parametrize("settings", [{"max_options": 1}, {"option_depth": 0}])
def test_without_options_it_is_cart(cancer, settings):
    features, y = cancer
    one = OptionTreeClassifier(prune=None, **settings).fit(features, y)
    other = DecisionTreeClassifier().fit(features, y)
    np.testing.assert_allclose(one.predict_proba(features), other.predict_proba(features))
    assert one.get_n_leaves() == other.get_n_leaves()


def test_options_are_the_best_tests_of_other_columns_that_gain_enough(cancer):
    """Gains by hand: one stump for each column."""
    features, y = cancer
    model = OptionTreeClassifier(option_depth=1, max_options=4, tolerance=0.4).fit(features, y)
    gains = {}
    for name in features.names:
        tree = DecisionTreeClassifier(max_depth=1).fit(features.select([name]), y).tree_
        below = (tree.weight[1:] * tree.impurity[1:]).sum() / tree.weight[0]
        gains[name] = tree.impurity[0] - below
    best = sorted(gains, key=lambda name: -gains[name])
    expected = [name for name in best if gains[name] >= 0.6 * gains[best[0]]][:4]
    tested = [features.names[model.tree_.feature[i]] for i in model.tree_.children_of(0)]
    assert tested == expected
    assert len(tested) > 1


def test_a_row_goes_all_ways_in_equal_parts(cancer):
    features, y = cancer
    model = OptionTreeClassifier(option_depth=1).fit(features, y)
    path = model.decision_path(features).toarray()
    options = model.tree_.children_of(0)
    np.testing.assert_allclose(path[:, options], 1 / len(options))
    np.testing.assert_allclose(path[:, model.tree_.is_leaf].sum(axis=1), 1)


@pytest.mark.parametrize("kind", ["path", "attribution"])
def test_explanations_add_up(cancer, kind):
    features, y = cancer
    model = OptionTreeClassifier().fit(features, y)
    shares = model.predict_proba(features)
    for i, told in enumerate(model.explain(features.rows(0, 8), kind=kind)):
        assert [e.column for e in told.evidence] == list(features.names)
        assert told.add_up() == pytest.approx(shares[i].max(), abs=1e-9)
    np.testing.assert_allclose(model._class_parts(features.rows(0, 1)).total, shares[0], atol=1e-9)


def test_a_weight_of_two_is_a_row_twice(cancer):
    features, y = cancer
    times = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = OptionTreeClassifier().fit(features, y, sample_weight=times.astype(float))
    repeated = OptionTreeClassifier().fit(features.take(rows), y[rows])
    np.testing.assert_allclose(weighted.predict_proba(features), repeated.predict_proba(features), rtol=1e-9)


def test_it_is_shown_and_saved_whole(cancer, tmp_path):
    features, y = cancer
    model = OptionTreeClassifier(option_depth=1).fit(features, y)
    assert str(model).startswith("option is 1\n")
    assert "option" in model.draw().svg
    assert "option" in model.to_dot()
    assert model.feature_importances_.sum() == pytest.approx(1)
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert np.array_equal(again.predict_proba(features), model.predict_proba(features))


def test_poor_tables_do_no_harm():
    fit = OptionTreeClassifier().fit
    assert fit({"x": [1.0]}, ["a"]).predict({"x": [7.0]}).tolist() == ["a"]
    assert fit({"option": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]}, [0, 0, 1, 1]).get_n_leaves() == 4
    assert fit(Table({"x": [None] * 4, "z": [1.0] * 4}), [0, 1, 0, 1]).get_n_leaves() == 1
    gaps = {"x": [1.0, None, 3.0, 4.0], "t": ["a", None, "b", "b"]}
    assert fit(gaps, [0, 0, 1, 1]).predict({"x": [None], "t": ["never seen"]})[0] in (0, 1)


@pytest.mark.parametrize("options", [1, 2, 9])
def test_settings_changed_after_fitting_change_no_answer(cancer, options):
    features, y = cancer
    model = OptionTreeClassifier(max_options=3).fit(features, y)
    shares, text, told = model.predict_proba(features), str(model), str(model.explain(features)[0])
    model.set_params(max_options=options, option_depth=0)
    np.testing.assert_array_equal(model.predict_proba(features), shares)
    assert (str(model), str(model.explain(features)[0])) == (text, told)


def ways_through(tree, option_column, i=0):
    """The most ways that a row has down a tree."""
    if tree.is_leaf[i]:
        return 1
    below = [ways_through(tree, option_column, int(c)) for c in tree.children_of(i)]
    return sum(below) if tree.feature[i] == option_column else max(below)


def test_growth_ends_where_every_level_has_options():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 6))
    y = rng.integers(0, 2, 60)
    model = OptionTreeClassifier(option_depth=12, max_options=6, tolerance=1.0).fit(x, y)
    assert 64 <= ways_through(model.tree_, 6) <= 128
    few = OptionTreeClassifier(option_depth=1, max_options=6, tolerance=1.0).fit(x, y)
    assert ways_through(few.tree_, 6) == 6
