"""The same neighbours, probabilities and predictions as scikit-learn, wherever both have the same rule."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import neighbors as peer

from learnt import KNeighborsClassifier, KNeighborsRegressor

METRICS = {
    "euclidean": {},
    "manhattan": {},
    "chebyshev": {},
    "minkowski": {"p": 3},
    "hamming": {},
    "cosine": {},
    "mahalanobis": {},
}


def rows(kind: str, seed: int = 0):
    """Rows with targets, and rows to ask about: spread out, or so coarse that many are equal or equally far."""
    rng = np.random.default_rng(seed)
    x, q = rng.normal(size=(120, 3)), rng.normal(size=(40, 3))
    if kind == "coarse":
        x, q = np.round(x) + 5, np.round(q) + 5
    return x, q, rng.integers(3, size=120), rng.normal(size=120)


def pair(cls, metric: str, x, **settings):
    """learnt's learner and scikit-learn's, the latter by brute force, in which ties keep the order of rows."""
    extra = {"VI": np.linalg.inv(np.cov(x.T, bias=True))} if metric == "mahalanobis" else None
    theirs = getattr(peer, cls.__name__)(
        algorithm="brute", metric=metric, metric_params=extra, **METRICS[metric], **settings
    )
    return cls(metric=metric, ties="first", **METRICS[metric], **settings), theirs


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", METRICS)
def test_probabilities_and_means_are_those_of_scikit_learn(metric, weights):
    x, q, labels, values = rows("fine")
    ours, theirs = pair(KNeighborsClassifier, metric, x, weights=weights, n_neighbors=7)
    if metric == "hamming":  # fine rows are all at 1 from each other: which are nearest is nobody's business
        x, q = rows("coarse")[:2]
    ours.fit(x, labels), theirs.fit(x, labels)
    if metric != "hamming":
        np.testing.assert_allclose(ours.predict_proba(q), theirs.predict_proba(q), rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(ours.predict(q), theirs.predict(q))
        ours, theirs = pair(KNeighborsRegressor, metric, x, weights=weights, n_neighbors=7)
        np.testing.assert_allclose(ours.fit(x, values).predict(q), theirs.fit(x, values).predict(q), rtol=1e-9)
    distances, _ = theirs.kneighbors(q)
    np.testing.assert_allclose(ours.fit(x, labels).kneighbors(q)[0], distances, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "hamming"])
def test_among_duplicates_and_ties_the_rows_taken_are_as_near_and_come_first(metric):
    x, q, labels, _ = rows("coarse")
    ours, theirs = pair(KNeighborsClassifier, metric, x, n_neighbors=6)
    away = peer.NearestNeighbors(n_neighbors=120, algorithm="brute", metric=metric).fit(x)
    distances, order = away.kneighbors(q)
    found, numbers = ours.fit(x, labels).kneighbors(q)
    np.testing.assert_allclose(found, theirs.fit(x, labels).kneighbors(q)[0], rtol=1e-9)
    for i in range(len(q)):
        by_row = np.empty(120)
        by_row[order[i]] = distances[i].round(9)
        np.testing.assert_array_equal(numbers[i], np.lexsort((np.arange(120), by_row))[:6])


def test_a_function_of_distances_weighs_as_in_scikit_learn():
    x, q, labels, values = rows("fine")

    def weights(d):
        return np.exp(-d)

    for cls, y in ((KNeighborsClassifier, labels), (KNeighborsRegressor, values)):
        ours, theirs = pair(cls, "euclidean", x, weights=weights)
        one, other = ours.fit(x, y), theirs.fit(x, y)
        ask = "predict_proba" if cls is KNeighborsClassifier else "predict"
        np.testing.assert_allclose(getattr(one, ask)(q), getattr(other, ask)(q), rtol=1e-12)


def test_a_function_of_two_rows_measures_as_in_scikit_learn():
    x, q, labels, _ = rows("fine")

    def metric(a, b):
        return float(np.abs(a - b).sum() + (a[0] - b[0]) ** 2)

    ours = KNeighborsClassifier(metric=metric).fit(x, labels)
    theirs = peer.KNeighborsClassifier(metric=metric).fit(x, labels)
    np.testing.assert_allclose(ours.predict_proba(q), theirs.predict_proba(q), rtol=1e-12)
    np.testing.assert_array_equal(ours.kneighbors(q)[1], theirs.kneighbors(q)[1])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_within_a_radius_are_those_of_scikit_learn(weights):
    x, q, labels, values = rows("fine")
    q = np.vstack([q, x[:3]])
    settings = {"radius": 0.9, "weights": weights, "metric": "euclidean"}
    theirs = peer.RadiusNeighborsClassifier(outlier_label=0, **settings).fit(x, labels)
    ours = KNeighborsClassifier(**settings).fit(x, labels)
    reached = np.array([len(found) > 0 for found in theirs.radius_neighbors(q)[1]])
    assert 0 < reached.sum() < len(q)
    np.testing.assert_allclose(ours.predict_proba(q)[reached], theirs.predict_proba(q)[reached], rtol=1e-9, atol=1e-12)
    means = peer.RadiusNeighborsRegressor(**settings).fit(x, values).predict(q[reached])
    np.testing.assert_allclose(KNeighborsRegressor(**settings).fit(x, values).predict(q)[reached], means, rtol=1e-9)
    # Whoever has nobody within the radius asks the nearest, as if there were none.
    plain = KNeighborsClassifier(weights=weights, metric="euclidean").fit(x, labels)
    np.testing.assert_array_equal(ours.predict_proba(q)[~reached], plain.predict_proba(q)[~reached])


def test_graphs_and_lists_of_neighbours_are_those_of_scikit_learn():
    x, q, labels, _ = rows("fine")
    ours = KNeighborsClassifier(metric="euclidean").fit(x, labels)
    theirs = peer.KNeighborsClassifier(metric="euclidean").fit(x, labels)
    for about in (q, None):
        for mode in ("connectivity", "distance"):
            one, other = (m.kneighbors_graph(about, 4, mode=mode) for m in (ours, theirs))
            np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=1e-12)
        np.testing.assert_array_equal(*(m.kneighbors(about, 3, return_distance=False) for m in (ours, theirs)))
    near = peer.NearestNeighbors(radius=0.8).fit(x)
    for about in (q, None):
        distances, numbers = ours.radius_neighbors(about, 0.8)
        expected = near.radius_neighbors(about, sort_results=True)
        for i in range(len(numbers)):
            np.testing.assert_array_equal(numbers[i], expected[1][i])
            np.testing.assert_allclose(distances[i], expected[0][i], rtol=1e-12)
        one, other = ours.radius_neighbors_graph(about, 0.8), near.radius_neighbors_graph(about)
        np.testing.assert_array_equal(one.toarray(), other.toarray())


@pytest.mark.parametrize("index", ["brute", "kd_tree", "vp_tree"])
def test_every_index_gives_the_same_answers(index):
    x, q, labels, values = rows("coarse")
    for cls, y in ((KNeighborsClassifier, labels), (KNeighborsRegressor, values)):
        plain = cls(metric="euclidean").fit(x, y)
        chosen = cls(metric="euclidean", index=index).fit(x, y)
        assert chosen.index_.kind == index
        np.testing.assert_array_equal(chosen.predict(q), plain.predict(q))
    assert "estimated" in plain.index_.why
