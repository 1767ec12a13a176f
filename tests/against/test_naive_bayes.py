"""Naive Bayes against scikit-learn, to rounding, and against Weka on mixed tables with gaps."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import naive_bayes as peer

from learnt import BernoulliNB, ComplementNB, MultinomialNB, NaiveBayesClassifier, Table, datasets

REFERENCE = json.loads((Path(__file__).parent / "naive_bayes.json").read_text(encoding="utf-8"))["sets"]
VARIANTS = {"NB": None, "NB-K": "kernel", "NB-D": "mdl"}
NOMINAL = ["breast-cancer", "contact-lenses", "vote", "weather.nominal"]


def loaded(name):
    return datasets.load(name)


def numeric(name):
    table = loaded(name)
    y = np.array(table[table.target].labels())
    return np.column_stack([c.values for c in table.drop(table.target).columns]), y


# scikit-learn


@pytest.mark.parametrize("name", ["iris", "glass"])
def test_gaussian_columns_are_those_of_scikit_learn(name):
    """In units of each column's deviation, where scikit-learn's share of the largest variance is one of each."""
    x, y = numeric(name)
    x = x / x.std(axis=0)
    ours, theirs = NaiveBayesClassifier().fit(x, y), peer.GaussianNB().fit(x, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize("shift", [0, 1e4])
def test_gaussian_columns_far_from_zero_and_far_apart_are_those_of_scikit_learn(shift):
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=5000)
    x = rng.normal(size=(5000, 7)) * 10.0 ** np.arange(-3, 4) + shift + 5 * y[:, None]
    ours, theirs = (kind(var_smoothing=0).fit(x, y) for kind in (NaiveBayesClassifier, peer.GaussianNB))
    np.testing.assert_allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x), rtol=1e-9, atol=1e-8)


def test_weights_and_priors_of_gaussian_columns_are_those_of_scikit_learn():
    x, y = numeric("iris")
    w = np.random.default_rng(1).random(150)
    for priors in (None, [0.2, 0.3, 0.5]):
        ours = NaiveBayesClassifier(priors=priors, var_smoothing=1e-12).fit(x, y, w)
        theirs = peer.GaussianNB(priors=priors, var_smoothing=1e-12).fit(x, y, w)
        np.testing.assert_allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0])
def test_categories_are_those_of_scikit_learn(alpha):
    rng = np.random.default_rng(2)
    codes, y, w = rng.integers([3, 5, 2], size=(300, 3)), rng.integers(3, size=300), rng.random(300)
    table = Table({"abc"[j]: codes[:, j] for j in range(3)}, kinds=dict.fromkeys("abc", "nominal"))
    ours = NaiveBayesClassifier(alpha=alpha).fit(table, y, w)
    theirs = peer.CategoricalNB(alpha=alpha).fit(codes, y, w)
    np.testing.assert_allclose(ours.predict_log_proba(table), theirs.predict_log_proba(codes), rtol=1e-10)


def test_truths_are_those_of_scikit_learns_bernoulli():
    rng = np.random.default_rng(3)
    x, y = rng.random((200, 6)) < 0.3, rng.integers(3, size=200)
    theirs = peer.BernoulliNB(alpha=0.7).fit(x, y).predict_log_proba(x)
    np.testing.assert_allclose(NaiveBayesClassifier(alpha=0.7).fit(x, y).predict_log_proba(x), theirs, rtol=1e-10)
    counts = x * rng.integers(1, 9, size=x.shape).astype(float)
    ours = NaiveBayesClassifier(alpha=0.7, likelihoods="bernoulli").fit(counts, y)
    np.testing.assert_allclose(ours.predict_log_proba(counts), theirs, rtol=1e-10)


EVENT_MODELS = [
    (MultinomialNB(), peer.MultinomialNB()),
    (MultinomialNB(alpha=0.01), peer.MultinomialNB(alpha=0.01)),
    (MultinomialNB(priors="uniform"), peer.MultinomialNB(fit_prior=False)),
    (MultinomialNB(priors=[0.5, 0.2, 0.3]), peer.MultinomialNB(class_prior=[0.5, 0.2, 0.3])),
    (BernoulliNB(), peer.BernoulliNB()),
    (BernoulliNB(alpha=0.1, binarize=1.0), peer.BernoulliNB(alpha=0.1, binarize=1.0)),
    (ComplementNB(), peer.ComplementNB()),
    (ComplementNB(alpha=0.3, norm=True), peer.ComplementNB(alpha=0.3, norm=True)),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix, lambda x: x.astype(np.float32)])
@pytest.mark.parametrize(("ours", "theirs"), EVENT_MODELS, ids=lambda m: repr(m))
def test_event_models_are_those_of_scikit_learn(ours, theirs, container, weighted):
    rng = np.random.default_rng(4)
    y = np.array(["b", "a", "c"])[rng.choice(3, size=150, p=[0.6, 0.3, 0.1])]
    x = container(rng.poisson(0.4, size=(150, 40)).astype(float))
    w = rng.random(150) if weighted else None
    theirs.fit(x, y, w)
    ours.fit(x, y, w)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


def test_learning_in_instalments_ends_where_scikit_learn_ends():
    x, y = numeric("iris")
    order = np.random.default_rng(5).permutation(150)
    ours, theirs = MultinomialNB(), peer.MultinomialNB()
    for rows in np.array_split(order, 7):
        ours.partial_fit(x[rows], y[rows], classes=np.unique(y))
        theirs.partial_fit(x[rows], y[rows], classes=np.unique(y))
    np.testing.assert_allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x), rtol=1e-10)


# Weka


def truth_and_columns(name):
    table = loaded(name)
    return np.array(table[table.target].labels()), table


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_as_many_rows_are_right_as_with_weka(name, variant):
    """Weka rounds numbers to the mean gap between values and smooths the priors: a few rows may fall otherwise."""
    y, table = truth_and_columns(name)
    reference = REFERENCE[name][variant]
    model = NaiveBayesClassifier(likelihoods=VARIANTS[variant])
    few = max(2, 0.015 * len(y))
    assert abs(np.sum(model.fit(table).predict(table) == y) - reference["correct"]) <= few
    fold = np.array(list(REFERENCE[name]["folds"]))
    right = 0
    for f in np.unique(fold):
        model.fit(table.take(fold != f))
        right += np.sum(model.predict(table.take(fold == f)) == y[fold == f])
    assert abs(right - reference["cv_correct"]) <= few


@pytest.mark.parametrize("name", NOMINAL)
def test_with_its_smoothed_priors_weka_gives_the_same_probabilities_for_categories(name):
    y, table = truth_and_columns(name)
    labels, codes = np.unique(y, return_inverse=True)
    prior = (np.bincount(codes) + 1) / (len(y) + len(labels))
    model = NaiveBayesClassifier(priors=prior).fit(table)
    p_true = model.predict_proba(table)[np.arange(len(y)), codes].sum()
    assert p_true == pytest.approx(REFERENCE[name]["NB"]["sum_p_true"], rel=1e-9)
