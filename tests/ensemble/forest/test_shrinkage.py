"""Leaves drawn towards the nodes above them: the published recursion, and how far, as rows out of bag favour."""

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error
from tests.ensemble.forest.forest_reference import coded, table

from learnt import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    Table,
    load,
    save,
    threads,
)
from learnt.ensemble.forest.growth import Growth, OutOfBagSums, grow
from learnt.ensemble.forest.shrinkage import CANDIDATES, LEAST_OF_CLASSES, TRIAL_ROWS, TRIAL_TREES
from learnt.errors import ParameterError


def target_of(y, classes):
    return np.digitize(y, [0.2, 0.9][: classes - 1]).astype(np.int32) if classes else y


def recursion(tree, shrinkage, classes):
    """h of every node, from the root down, by the formula: a node's children are told by its own weight."""
    value = np.asarray(tree.value, dtype=float)
    v = value / value.sum(axis=1, keepdims=True) if classes else value
    h = np.full_like(v, np.nan)

    def go_down(node, parent):
        if parent is None:
            h[node] = v[node]
        else:
            h[node] = h[parent] + (v[node] - v[parent]) / (1 + shrinkage / tree.weight[parent])
        first = tree.child_start[node]
        for child in tree.children[first : first + tree.n_children[node]]:
            go_down(child, node)

    go_down(0, None)
    return h


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("shrinkage", [0.25, 7.0])
def test_nodes_say_what_the_recursion_says(classes, weighted, shrinkage):
    x, y = table(200, 3)
    target = target_of(y, classes)
    weights = np.random.default_rng(0).uniform(0.2, 3, 200) if weighted else None
    factors = np.array([2.0, 1.0, 0.5][:classes]) if weighted and classes else None
    rules = {"criterion": "gini" if classes else "squared_error", "max_features": 2, "n_classes": classes, "seed": 5}
    grown, shrunk = (
        grow(coded(x, target, weights), Growth(shrinkage=s, **rules), 4, class_factors=factors)[0]
        for s in (0.0, shrinkage)
    )
    np.testing.assert_array_equal(grown.feature, shrunk.feature)
    np.testing.assert_array_equal(grown.weight, shrunk.weight)
    for t in range(4):
        said = np.asarray(shrunk[t].value, dtype=float)
        total = said.sum(axis=1, keepdims=True)
        if classes:
            np.testing.assert_allclose(total[:, 0], np.sum(grown[t].value, axis=1), rtol=1e-12)
        expected = recursion(grown[t], shrinkage, classes)
        np.testing.assert_allclose(said / total if classes else said, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_what_shrunk_trees_would_say_out_of_bag_is_what_they_say_when_grown_so(classes):
    x, y = table(120, 4)
    rows = coded(x, target_of(y, classes))
    rules = {"criterion": "gini" if classes else "squared_error", "max_features": 2, "n_classes": classes}
    tried = np.array([0.0, 0.5, 8.0])
    together = OutOfBagSums.of(rows, classes, tried)
    grow(rows, Growth(**rules), 9, out_of_bag=together)
    for s, shrinkage in enumerate(tried):
        alone = OutOfBagSums.of(rows, classes)
        grow(rows, Growth(shrinkage=shrinkage, **rules), 9, out_of_bag=alone)
        said = alone.means()
        own = said[np.arange(120), rows.target] if classes else said[:, 0]
        np.testing.assert_array_equal(alone.trees, together.trees)
        np.testing.assert_allclose(together.means()[:, s], own, atol=1e-9)


@pytest.mark.parametrize("learner", [RandomForestClassifier, RandomForestRegressor])
def test_the_shrinkage_is_the_best_of_the_candidates_by_the_score_out_of_bag(learner):
    x, y = table(300, 6)
    y = target_of(y, 3) if learner is RandomForestClassifier else y
    scores = {}
    for shrinkage in CANDIDATES[learner is RandomForestClassifier :]:
        model = learner(n_estimators=TRIAL_TREES, shrinkage=shrinkage, oob_score=True).fit(x, y)
        if learner is RandomForestClassifier:
            scores[shrinkage] = log_loss(y, model.oob_decision_function_)
        else:
            scores[shrinkage] = mean_squared_error(y, model.oob_prediction_)
    assert learner().fit(x, y).shrinkage_ == min(scores, key=scores.get)
    assert max(scores.values()) > 1.01 * min(scores.values())


def noisy(n, seed, share):
    """Classes that no column tells but for a share of them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return x, np.where(rng.random(n) < share, x[:, 0] > 0, rng.random(n) < 0.3).astype(int)


@pytest.mark.parametrize("learner", [RandomForestClassifier, ExtraTreesClassifier])
def test_forests_are_as_sure_as_they_can_be(learner):
    """Where nothing can be known they say how often each class is; deep leaves would be certain of one or the other."""
    x, y = noisy(400, 0, 0.0)
    new_x, new_y = noisy(2000, 1, 0.0)
    entropy = -(0.3 * np.log(0.3) + 0.7 * np.log(0.7))
    assert log_loss(new_y, learner().fit(x, y).predict_proba(new_x)) < 1.03 * entropy
    assert log_loss(new_y, learner(shrinkage=0).fit(x, y).predict_proba(new_x)) > 1.08 * entropy
    clear = RandomForestClassifier().fit(x, (x[:, 0] > 0).astype(int))
    assert clear.shrinkage_ == LEAST_OF_CLASSES
    assert clear.predict_proba([[2.0, 0, 0, 0]])[0, 1] > 0.97


@pytest.mark.parametrize("learner", [RandomForestRegressor, ExtraTreesRegressor])
def test_numbers_are_shrunk_where_they_are_noise_and_not_where_they_are_not(learner):
    rng = np.random.default_rng(2)
    x, new_x = rng.uniform(size=(400, 3)), rng.uniform(size=(1000, 3))
    clean = learner().fit(x, x[:, 0])
    assert clean.shrinkage_ <= 0.25
    y, new_y = x[:, 0] + rng.normal(size=400), new_x[:, 0]
    chosen, grown = learner().fit(x, y), learner(shrinkage=0).fit(x, y)
    assert chosen.shrinkage_ >= 16
    assert mean_squared_error(new_y, chosen.predict(new_x)) < 0.7 * mean_squared_error(new_y, grown.predict(new_x))


def test_larger_weights_of_all_rows_change_no_answer():
    x, y = noisy(300, 3, 0.5)
    one, many = (RandomForestClassifier(n_estimators=20).fit(x, y, sample_weight=np.full(300, w)) for w in (1.0, 1e3))
    assert many.shrinkage_ == 1e3 * one.shrinkage_
    np.testing.assert_allclose(many.predict_proba(x), one.predict_proba(x), rtol=1e-12)


def test_neither_threads_nor_more_trees_change_what_is_chosen():
    x, y = noisy(3 * TRIAL_ROWS, 4, 0.5)
    found = []
    for n_threads, trees in ((1, 5), (4, 30)):
        with threads(n_threads):
            found.append(RandomForestClassifier(n_estimators=trees).fit(x, y))
    assert found[0].shrinkage_ == found[1].shrinkage_ > 0
    np.testing.assert_array_equal(found[0].trees_.value, found[1].trees_.part(0, 5).value)


def test_a_warm_start_goes_on_with_what_was_chosen():
    x, y = noisy(300, 5, 0.5)
    model = RandomForestClassifier(n_estimators=5, warm_start=True).fit(x, y)
    chosen = model.shrinkage_
    model.set_params(n_estimators=8).fit(x[:100], y[:100])
    assert model.shrinkage_ == chosen


@pytest.mark.parametrize("weight", ["balanced", {0: 5.0, 1: 0.5}])
def test_class_weights_count_for_the_choice(weight):
    x, y = noisy(400, 6, 0.4)
    model = RandomForestClassifier(class_weight=weight, oob_score=True).fit(x, y)
    assert model.shrinkage_ > 0
    assert 0 < model.oob_decision_function_.min() < model.oob_decision_function_.max() < 1


@pytest.mark.parametrize("learner", [RandomForestClassifier, RandomForestRegressor])
def test_the_smallest_tables_have_a_shrinkage_too(learner, tmp_path):
    for x, y in (([[1.0]], [1]), ([[1.0], [2.0]], [1, 1]), ([[1.0], [1.0]], [0, 1])):
        model = learner(n_estimators=3).fit(x, y)
        assert np.isfinite(model.shrinkage_)
        assert np.isfinite(model.predict(Table(np.array(x)))).all()
    save(model, tmp_path / "forest.learnt")
    assert load(tmp_path / "forest.learnt").shrinkage_ == model.shrinkage_


@pytest.mark.parametrize("wrong", [-1, np.nan, np.inf, "none", None])
def test_a_wrong_shrinkage_is_told(wrong):
    with pytest.raises(ParameterError, match=r"shrinkage=.*Expected"):
        RandomForestClassifier(shrinkage=wrong).fit([[1.0], [2.0]], [0, 1])
