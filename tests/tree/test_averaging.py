"""Averages along the way: the sum over all prunings, written out, and what they are good for."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import dirichlet_multinomial, t

import learnt
from learnt import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, datasets
from learnt.errors import ParameterError
from learnt.tree.averaging import MEAN_ROWS, VARIANCE_ROWS, WITHIN, averaged_numbers, averaged_shares


@pytest.fixture
def grown():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    y = (x[:, 0] + 0.8 * rng.normal(size=80) > 0).astype(int) + (x[:, 1] > 1)
    return DecisionTreeClassifier(max_depth=3).fit(x, y), x, y


def prunings(tree, i=0):
    """All prunings of a subtree: (leaves, prior), each test being kept with probability ½."""
    if tree.is_leaf[i]:
        return [((i,), 1.0)]
    found = [((i,), 0.5)]
    for parts in itertools.product(*(prunings(tree, int(c)) for c in tree.children_of(i))):
        found.append((sum((leaves for leaves, _ in parts), ()), 0.5 * math.prod(p for _, p in parts)))
    return found


def likelihood(counts, alpha):
    """Of the classes in their order: the multinomial's without its number of orders."""
    n = int(counts.sum())
    if n == 0:
        return 1.0
    orders = math.lgamma(n + 1) - sum(math.lgamma(c + 1) for c in counts)
    return math.exp(dirichlet_multinomial(alpha, n).logpmf(counts.astype(int)) - orders)


@pytest.mark.parametrize(("smoothing", "alpha"), [(None, 1.0), ("laplace", 1.0)])
def test_prunings_are_averaged_as_if_they_were_written_out(grown, smoothing, alpha):
    tree = grown[0].tree_
    prior = np.full(tree.n_outputs, alpha)
    one = [likelihood(row, prior) for row in tree.value]
    shares = (tree.value + prior) / (tree.value + prior).sum(axis=1, keepdims=True)
    parents = tree.parents()
    found = averaged_shares(tree, smoothing, "prunings")
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        way = {leaf}
        while (above := int(parents[min(way)])) >= 0:
            way.add(above)
        total, weight = np.zeros(tree.n_outputs), 0.0
        for leaves, before in prunings(tree):
            by = before * math.prod(one[i] for i in leaves)
            (end,) = way & set(leaves)
            total, weight = total + by * shares[end], weight + by
        np.testing.assert_allclose(found[leaf], total / weight, rtol=1e-9)


def test_a_path_is_averaged_by_the_likelihoods_of_the_trees_on_it(grown):
    """The trees written out: from the root alone, one test more each time, the one that raises P(D) most."""
    tree = grown[0].tree_
    prior = np.ones(tree.n_outputs)
    one = np.array([likelihood(row, prior) for row in tree.value])
    shares = (tree.value + prior) / (tree.value + prior).sum(axis=1, keepdims=True)
    path = [{0}]
    while not all(tree.is_leaf[i] for i in path[-1]):
        larger = [(path[-1] - {i}) | set(tree.children_of(i).tolist()) for i in sorted(path[-1]) if not tree.is_leaf[i]]
        path.append(max(larger, key=lambda leaves: math.prod(one[list(leaves)])))
    assert len(path) == tree.n_leaves
    weights = np.array([math.prod(one[list(leaves)]) for leaves in path])
    parents = tree.parents()
    found = averaged_shares(tree, None, "path")
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        way, i = [], leaf
        while i >= 0:
            way.append(i)
            i = int(parents[i])
        by_hand = sum(w * shares[next(i for i in way if i in leaves)] for w, leaves in zip(weights, path, strict=True))
        np.testing.assert_allclose(found[leaf], by_hand / weights.sum(), rtol=1e-9)


def test_a_path_tells_more_than_a_whole_tree_about_numbers():
    """A whole tree has a leaf for each row; trees on the way to it are likelier, and err less on rows not fitted."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 4))
    y = 3.0 * (x[:, 0] > 0) + 2.0 * (x[:, 1] > 0) + rng.normal(size=400)
    errors = []
    for average in (None, "path"):
        model = DecisionTreeRegressor(average=average).fit(x[:200], y[:200])
        errors.append(np.mean((model.predict(x[200:]) - y[200:]) ** 2))
    assert errors[1] < 0.9 * errors[0]
    assert errors[1] < 0.5 * np.var(y[200:])


@pytest.mark.parametrize("average", ["path", "prunings"])
def test_a_tree_of_one_leaf_and_one_of_ten_thousand_tests_are_averaged(average):
    lone = DecisionTreeClassifier(average=average).fit({"x": [1.0, 1.0]}, ["a", "b"])
    assert lone.predict_proba({"x": [3.0]}).tolist() == [[0.5, 0.5]]
    y = np.random.default_rng(0).normal(size=10_001)
    model = DecisionTreeRegressor(average=average).fit({"x": np.arange(10_001.0)}, y)
    answers = model.predict({"x": np.arange(10_001.0)})
    assert np.isfinite(answers).all()
    assert answers.std() < y.std()


def test_numbers_have_the_likelihood_of_students_distribution():
    """A tree of one test: the odds of keeping it, from predictive densities one row after another."""
    rng = np.random.default_rng(1)
    x = np.arange(12.0)
    y = np.where(x > 5.5, 1.0, 0.0) + rng.normal(size=12)
    tree = DecisionTreeRegressor(max_depth=1).fit({"x": x}, y).tree_

    def log_likelihood(values):
        total, n, mean, rest = 0.0, MEAN_ROWS, y.mean(), VARIANCE_ROWS * WITHIN * y.var()
        for k, value in enumerate(values):
            free = VARIANCE_ROWS + k
            total += t.logpdf(value, free, mean, math.sqrt(rest / free * (n + 1) / n))
            rest += n / (n + 1) * (value - mean) ** 2
            n, mean = n + 1, mean + (value - mean) / (n + 1)
        return total, mean

    left = x <= tree.threshold[0]
    (a, mean_a), (b, mean_b), (whole, mean) = (log_likelihood(part) for part in (y[left], y[~left], y))
    kept = 1 / (1 + math.exp(whole - a - b))
    expected = [kept * end + (1 - kept) * mean for end in (mean_a, mean_b)]
    np.testing.assert_allclose(averaged_numbers(tree, "prunings")[1:, 0], expected)
    np.testing.assert_allclose(averaged_numbers(tree, "path")[1:, 0], expected)  # two trees either way


@pytest.mark.parametrize("average", ["path", "prunings"])
def test_whole_trees_get_better_probabilities(average):
    """Against the same trees without, on rows not fitted."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(600, 5))
    y = (x[:, 0] * x[:, 1] > 0) ^ (rng.random(600) < 0.15)
    losses = []
    for settings in ({"smoothing": "laplace"}, {"average": average}):
        model = DecisionTreeClassifier(**settings).fit(x[:300], y[:300])
        p = model.predict_proba(x[300:])[np.arange(300), y[300:].astype(int)]
        losses.append(-np.log(p).mean())
    assert losses[1] < losses[0]


@pytest.mark.parametrize("average", ["path", "prunings"])
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, C45Classifier])
def test_explanations_of_classes_add_up(average, learner):
    table = datasets.load("labor")
    model = learner(average=average).fit(table)
    shares = model.predict_proba(table)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    for kind in ("path", "attribution"):
        for i, told in enumerate(model.explain(table.rows(0, 12), kind=kind)):
            assert told.add_up() == pytest.approx(shares[i].max(), abs=1e-9)


def test_explanations_and_text_of_numbers_have_the_averages(tmp_path):
    cpu = datasets.load("cpu")
    model = DecisionTreeRegressor(max_depth=4, average="prunings").fit(cpu)
    plain = DecisionTreeRegressor(max_depth=4).fit(cpu)
    answers = model.predict(cpu)
    assert not np.allclose(answers, plain.predict(cpu))
    assert str(model) != str(plain)
    for i, told in enumerate(model.explain(cpu.rows(0, 10))):
        assert told.add_up() == pytest.approx(answers[i])
    learnt.save(model, tmp_path / "m.learnt")
    assert np.array_equal(learnt.load(tmp_path / "m.learnt").predict(cpu), answers)


def test_weights_count_as_rows(grown):
    _, x, y = grown
    times = np.random.default_rng(3).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    one = DecisionTreeClassifier(average="prunings").fit(x, y, sample_weight=times)
    two = DecisionTreeClassifier(average="prunings").fit(x[rows], y[rows])
    np.testing.assert_allclose(one.predict_proba(x), two.predict_proba(x), rtol=1e-9)


def test_what_does_not_go_together_is_refused():
    rows = {"x": [1.0, 2.0, 3.0]}
    with pytest.raises(ParameterError, match="absolute"):
        DecisionTreeRegressor(average="path", criterion="mae").fit(rows, [1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="average"):
        DecisionTreeRegressor(average="path", monotonic_cst={"x": 1}).fit(rows, [1.0, 2.0, 3.0])
    same = DecisionTreeRegressor(average="prunings").fit(rows, [2.0, 2.0, 2.0])
    assert same.predict({"x": [9.0]}).tolist() == [2.0]
