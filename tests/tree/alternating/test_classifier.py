"""Alternating trees: the algorithm against its definition, and what does not matter to it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tree.alternating.plain_alternating import boost, score

import learnt
from learnt import AlternatingTreeClassifier, Table, datasets


@pytest.fixture
def mixed():
    """Numbers and towns that decide together, with gaps in both."""
    rng = np.random.default_rng(4)
    n = 40
    x, z = np.round(rng.normal(size=n), 2), np.round(rng.normal(size=n), 2)
    town = rng.choice(["Bern", "Basel", "Chur"], n)
    y = (x + (town == "Chur") * z + 0.3 * rng.normal(size=n) > 0).astype(int)
    columns = {"x": x.tolist(), "z": z.tolist(), "town": town.tolist()}
    for i in range(0, n, 7):
        columns[("x", "z", "town")[i % 3]][i] = None
    return Table(columns), y


def rows_of(table):
    return list(zip(*(table[name].labels() for name in table.names), strict=True))


def test_it_does_what_freund_and_mason_write(mixed):
    table, y = mixed
    rows = [tuple(None if cell is None or cell != cell else cell for cell in row) for row in rows_of(table)]
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    rules = boost(rows, (2 * y - 1).tolist(), weights.tolist(), 4)
    model = AlternatingTreeClassifier(n_estimators=4).fit(table, y, sample_weight=weights)
    expected = [score(rules, row) for row in rows]
    np.testing.assert_allclose(model.decision_function(table), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(table)[:, 1], 1 / (1 + np.exp(-2 * np.array(expected))), rtol=1e-9)


@pytest.mark.parametrize("name", ["breast_cancer", "labor", "vote"])
def test_real_tables_give_the_trees_of_the_definition(name):
    """Tables of Weka, two rounds of the plain algorithm."""
    table = datasets.load(name)
    features, target = table.drop(table.target), np.array(table[table.target].labels())
    some = np.arange(0, features.n_rows, max(1, features.n_rows // 60))
    features, y = features.take(some), target[some]
    rows = [tuple(None if cell is None or cell != cell else cell for cell in row) for row in rows_of(features)]
    signs = np.where(y == np.unique(y)[1], 1, -1)
    model = AlternatingTreeClassifier(n_estimators=2).fit(features, y)
    rules = boost(rows, signs.tolist(), [1.0] * len(y), 2)
    np.testing.assert_allclose(model.decision_function(features), [score(rules, row) for row in rows], atol=1e-9)


def test_more_classes_have_a_tree_each_against_the_others():
    iris = datasets.load("iris")
    features, y = iris.drop(iris.target), np.array(iris[iris.target].labels())
    model = AlternatingTreeClassifier(n_estimators=4).fit(features, y)
    scores = model.decision_function(features)
    for c, label in enumerate(model.classes_.tolist()):
        alone = AlternatingTreeClassifier(n_estimators=4).fit(features, y == label)
        np.testing.assert_allclose(scores[:, c], alone.decision_function(features), rtol=1e-12)
    shares = 1 / (1 + np.exp(-2 * scores))
    np.testing.assert_allclose(model.predict_proba(features), shares / shares.sum(axis=1, keepdims=True))
    assert model.score(features, y) > 0.95


def test_the_bound_of_the_training_error_falls():
    """The mean of e^(−y·score) bounds the training error and falls with the rounds."""
    table = datasets.load("vote")
    features, target = table.drop(table.target), np.array(table[table.target].labels())
    sign = np.where(target == np.unique(target)[1], 1, -1)
    bounds = []
    for rounds in (1, 3, 10):
        model = AlternatingTreeClassifier(n_estimators=rounds).fit(features, target)
        bounds.append(float(np.mean(np.exp(-sign * model.decision_function(features)))))
        assert 1 - model.score(features, target) <= bounds[-1]
    assert bounds == sorted(bounds, reverse=True)


def test_a_weight_of_two_is_a_row_twice(mixed):
    table, y = mixed
    times = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    weighted = AlternatingTreeClassifier().fit(table, y, sample_weight=times.astype(float))
    repeated = AlternatingTreeClassifier().fit(table.take(rows), y[rows])
    assert str(weighted) == str(repeated)
    np.testing.assert_allclose(weighted.decision_function(table), repeated.decision_function(table), rtol=1e-9)


def test_weights_of_classes_are_weights_of_their_rows(mixed):
    table, y = mixed
    by_class = AlternatingTreeClassifier(class_weight={1: 3.0}).fit(table, y)
    by_row = AlternatingTreeClassifier().fit(table, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert np.array_equal(by_class.decision_function(table), by_row.decision_function(table))


def test_the_order_of_rows_does_not_matter(mixed):
    table, y = mixed
    order = np.random.default_rng(2).permutation(len(y))
    one, other = AlternatingTreeClassifier().fit(table, y), AlternatingTreeClassifier().fit(table.take(order), y[order])
    assert str(one) == str(other)


def test_a_row_without_cells_gets_the_root(mixed):
    table, y = mixed
    model = AlternatingTreeClassifier().fit(table, y)
    nothing = {"x": [None], "z": [None], "town": [None]}
    assert model.decision_function(nothing)[0] == model.trees_[0].value[0]
    unseen = {"x": [0.5], "z": [0.0], "town": ["Genf"]}
    assert model.decision_function(unseen)[0] == model.decision_function(unseen | {"town": [None]})[0]


def test_it_stops_where_nothing_can_be_told():
    assert AlternatingTreeClassifier().fit({"x": [1.0] * 8}, [0, 1] * 4).trees_[0].n_tests == 0
    noise = AlternatingTreeClassifier().fit({"x": [1.0, 1.0, 2.0, 2.0]}, [0, 1, 0, 1])
    assert noise.trees_[0].n_tests == 0
    alone = AlternatingTreeClassifier().fit({"x": [1.0, 2.0]}, ["a", "a"])
    assert alone.predict({"x": [3.0]}).tolist() == ["a"]
    assert alone.decision_function({"x": [3.0]}).tolist() == [0.0]
    assert str(alone) == "always a"


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_units_do_not_matter(scale):
    x = np.arange(20.0)
    model = AlternatingTreeClassifier(n_estimators=3).fit({"x": x * scale}, (x > 7.5) & (x < 15.5))
    assert model.score({"x": x * scale}, (x > 7.5) & (x < 15.5)) == 1


def test_it_is_saved_whole(mixed, tmp_path):
    table, y = mixed
    model = AlternatingTreeClassifier().fit(table, y)
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert str(again) == str(model)
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))


def test_importance_is_of_the_columns_that_tell():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    model = AlternatingTreeClassifier().fit(x, x[:, 2] > 0.2)
    assert model.feature_importances_.argmax() == 2
    assert model.feature_importances_.sum() == pytest.approx(1)
